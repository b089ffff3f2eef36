"""The part `conversations`: what a small model makes of made conversations when the program sums them up by itself.

Each conversation of data/eval/conversations.jsonl is imported into a store of its own; the program, on the real clock, sums
it up after a turn, as it does for anybody. Counted are the facts that were planted in what the summary covers: those that
stand in it, and those that are found when they are asked for without the model. What a summary holds beyond its source is
looked for here once more, by other rules than the program's own. How good a summary is, who reads it says: all are printed.
"""

import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import program as running
from proxy import Proxy

SHIPPED = pathlib.Path(__file__).parents[2] / "data/eval/conversations.jsonl"
# The version of a document in which an answer says what of it is somebody else's.
EXPORT = 2
# As many as the server has slots.
SIDE_BY_SIDE = 2
# Turns until a summary stands: two refused answers, the one that code makes, and one to see it.
TURNS_MAX = 5
# No call for so long: whoever sums up is done.
PAUSE = 1.5
SUMMED_UP_WITHIN = 600
MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
ENDS = re.compile(r"[.!?:\n]\s*[\"'“„(*-]*\s*$")
# Letters by which two words are taken for forms of one.
FORM = 4
JOINING = set(
    """about above after also although another around asked asks because been before being both conversation could
    during each either from have having however informed into later mentioned more must need needs never notes only other
    over person person's planned said says should since some still such than that their them then there these they this
    those through told until update wants wanted were what when where which while whom will with without would assistant
    auch aber alle allen auf beim dann dass dem den der des die dies diese dieser ein eine einem einen einer für hat haben
    ihr ihre ihren im in ist kann mit nach nicht noch nur oder sein seine sich sie sind soll sollte über und um von vor war
    werden will wird zu zum zur person assistent möchte muss""".split()
)


class Result(NamedTuple):
    """What came of one conversation."""

    id: str
    language: str
    # Who made the summary, "model" or "code", and what was said of each refused answer.
    maker: str
    refused: list
    summary: str
    covered: int
    facts: int
    kept: int
    # Facts of which the summary has only what was corrected later.
    outdated: int
    found: int
    tokens_before: int
    tokens_after: int
    seconds: float
    # Names, numbers and addresses that stand in no message, and words of which no form does.
    invented: list
    other_words: list


def rows():
    file = pathlib.Path(os.environ.get("MODEL_CONVERSATIONS") or SHIPPED)
    all_rows = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
    return all_rows[: int(os.environ.get("MODEL_CONVERSATIONS_MAX") or len(all_rows))]


def document(row):
    """The conversation as an archive has it; it began two days ago."""
    began = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=2)
    messages = []
    for number, (speaker, text, *repeated) in enumerate(row["messages"]):
        at = (began + datetime.timedelta(minutes=number)).isoformat(timespec="seconds")
        message = {"at": at, "speaker": speaker, "origin": "typed", "text": text}
        if repeated:
            source, words = repeated
            message["untrusted"] = [{"source": source, "text": words}]
        messages.append(message)
    return {"brain_agent_export": EXPORT, "person": {"id": "me", "zone": "Europe/Berlin"}, "messages": messages}


def imported(program, row, data):
    file = pathlib.Path(data).with_suffix(".json")
    file.write_text(json.dumps(document(row)))
    environment = {**program.environment, "BRAIN_DATA_DIR": data}
    subprocess.run([program.path, "import", str(file)], env=environment, check=True, stdout=subprocess.DEVNULL)
    file.unlink()


def shown(lines):
    """The summary that `/memory conversation` shows, and how many messages it is of."""
    said = running.words(lines)
    head = re.search(r"in short, of (\d+) older messages\n\n", said)
    if not head:
        return "", 0
    rest = said[head.end() :]
    return rest[: rest.rfind("\n\n")].strip(), int(head[1])


def summed_up(console, proxy):
    """Takes turns until a summary stands; the reasons why answers were refused, and what /trace says at last."""
    refused, trace = [], ""
    for _ in range(TURNS_MAX):
        console.start("/trace")
        trace = running.words(console.answer())
        if failed := re.search(r"did not work .*?, so it stays as it is for now: (.*)\.", trace):
            refused.append(failed[1])
        elif "shortened last" in trace:
            break
        proxy.quiet(PAUSE, SUMMED_UP_WITHIN)
    return refused, trace


def without_model(program, row, data):
    """How many facts are found when they are asked for, without the model."""
    found = 0
    with program.console(data, clock=(), LLM_BASE_URL="", LLM_MODEL="") as console:
        for fact in row["facts"]:
            console.start(fact["ask"])
            found += holds(running.words(console.answer()), fact["any"])
    return found


def holds(text, alternatives):
    """Whether one of these stands in it: all words of a group that " & " joins."""
    folded = text.casefold()
    return any(all(stands(part, folded) for part in alternative.split(" & ")) for alternative in alternatives)


def stands(part, folded):
    part = part.casefold().strip()
    return re.search(rf"(?<![\w]){re.escape(part)}", folded) is not None


def beyond(summary, source):
    """What of a summary no message holds: names, numbers and addresses; and other words."""
    folded = source.casefold()
    invented = [mail for mail in MAIL.findall(summary) if mail.casefold() not in folded]
    digits = set(NUMBER.findall(source)) | set(re.findall(r"\d+", source))
    invented += [number for number in NUMBER.findall(summary) if number not in digits]
    words = {word.casefold() for word in WORD.findall(source)}
    forms = {word[:FORM] for word in words}
    other = []
    for match in WORD.finditer(MAIL.sub(" ", summary)):
        word, before = match[0], summary[: match.start()]
        folded_word = word.casefold().removesuffix("'s").removesuffix("’s")
        if folded_word in words or folded_word in JOINING:
            continue
        is_name = word[0].isupper() and before.strip() and not ENDS.search(before)
        if is_name and not any(known.startswith(folded_word[: max(FORM, len(folded_word) - 2)]) for known in words):
            invented.append(word)
        elif len(folded_word) > FORM and folded_word[:FORM] not in forms:
            other.append(folded_word)
    return sorted(set(invented)), sorted(set(other))


def conversation(program, proxy, row, folder):
    data = str(pathlib.Path(folder) / row["id"])
    imported(program, row, data)
    with program.console(data, clock=()) as console:
        refused, trace = summed_up(console, proxy)
        console.start("/memory conversation")
        summary, covered = shown(console.answer())
    calls = [call for call in proxy.calls if call.stage == "summarize"]
    figures = re.search(r"messages are in a summary: (\d+) tokens in place of (\d+)", trace)
    after, before = map(int, figures.groups()) if figures else (0, 0)
    maker = "none" if not summary else "code" if "by code" in trace or not calls else "model"
    # What was said in the console as well may be in it, where it took more than one turn.
    source = "\n".join(" ".join(message[1:]) for message in row["messages"][:covered]) + "\nperson assistant /trace"
    invented, other_words = beyond(summary, source)
    facts = row["facts"]
    kept = [fact for fact in facts if holds(summary, fact["any"])]
    outdated = [fact for fact in facts if fact not in kept and holds(summary, fact.get("was", []))]
    return Result(
        id=row["id"],
        language=row["lang"],
        maker=maker,
        refused=refused,
        summary=summary,
        covered=covered,
        facts=len(facts),
        kept=len(kept),
        outdated=len(outdated),
        found=without_model(program, row, data),
        tokens_before=before,
        tokens_after=after,
        seconds=sum(call.seconds for call in calls),
        invented=invented,
        other_words=other_words,
    ), [call.answer for call in calls]


def told(result, answers):
    print(
        f"{result.seconds:6.1f} s  {result.id} ({result.language}): by {result.maker}, of {result.covered} messages, "
        f"{result.tokens_before} tokens to {result.tokens_after}; of {result.facts} facts {result.kept} kept, "
        f"{result.outdated} outdated, {result.found} found when asked for",
        flush=True,
    )
    for line in result.summary.splitlines():
        print(f"          | {line}")
    for why in result.refused:
        print(f"          refused: {why}")
    if result.refused:
        for answer in answers:
            print(f"          answer: {answer!r}")
    if result.invented:
        print(f"          in no message: {', '.join(result.invented)}")
    if result.other_words:
        print(f"          other words: {', '.join(result.other_words)}")


def totals(maker, results, all_results):
    def sum_of(field):
        return sum(getattr(result, field) for result in results)

    facts, before, after = sum_of("facts"), sum_of("tokens_before"), sum_of("tokens_after")
    print(f"by {maker}: {len(results)} of {all_results}; {sum(len(result.refused) for result in results)} answers refused before")
    print(f"  facts: {sum_of('kept')} of {facts} kept, {sum_of('outdated')} outdated, {sum_of('found')} found when asked for")
    print(f"  tokens: {before} to {after}, {after / max(before, 1):.2f}")
    print(f"  seconds of the model: median {statistics.median(result.seconds for result in results):.1f}")
    flagged = [result for result in results if result.invented]
    print(f"  with a name, number or address that stands in no message: {len(flagged)}")


def alone(program, server, row, folder, until):
    """One conversation with a proxy of its own; nothing where there is no time left."""
    if time.monotonic() > until:
        return None
    proxy = Proxy(server)
    try:
        return conversation(program.at(proxy.url), proxy, row, folder)
    finally:
        proxy.stop()


def run(program, server):
    results, report, all_rows = [], os.environ.get("MODEL_REPORT"), rows()
    until = time.monotonic() + 60 * float(os.environ.get("MODEL_MINUTES") or 1e6)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        for made in [pool.submit(alone, program, server, row, folder, until) for row in all_rows]:
            if made.result() is None:
                continue
            result, answers = made.result()
            told(result, answers)
            results.append(result)
            if report:
                with open(report, "a") as file:
                    file.write(json.dumps({**result._asdict(), "answers": answers}, ensure_ascii=False) + "\n")
    print(f"{len(results)} of {len(all_rows)} conversations")
    without = [result.id for result in results if not result.summary]
    running.check(not without, "there is no summary", without)
    for maker in ("model", "code"):
        if of := [result for result in results if result.maker == maker]:
            totals(maker, of, len(results))
