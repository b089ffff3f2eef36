"""The part `cached`: how much of a stage's prompt is the same as in its call before, and how much of it the server kept.

A chat of twelve turns, talk and orders, with every stage asked, is taken once for planning in steps and once for planning
by one call; a proxy keeps what was sent. Shares are of the calls after a stage's first: the bytes that a prompt has in
common with the same stage's prompt before (or with any before: stages that name commands have a prompt for each of them),
and the tokens that the server says it had kept. Then the same calls are sent again, answers cut to a token, to servers with
other settings. These have a model of zeros: what is kept goes by tokens alone.
"""

import json
import os
import pathlib
import tempfile
import urllib.request
from typing import NamedTuple

import program as running
from empty import empty
from proxy import Proxy, counts, events

TURNS = [
    "hello, I'm getting ready to move to a smaller flat and it's a bit much",
    "could you put calling the moving company onto my list for tomorrow at ten",
    "honestly I own far too many books, what do people do with theirs?",
    "jot down somewhere that the new flat has a door code, 4417",
    "my sister Vera thinks I should sell the sofa, she may be right",
    "please have me reminded on Friday evening to measure the sofa",
    "how do people wrap glasses so that they don't break?",
    "keep in mind for me that the landlord is called Mr Aydin",
    "what have I got to do for the move so far?",
    "block Saturday from nine to twelve for packing with Vera",
    "thanks, that takes a load off my mind",
    "and one more on the list: hand in the old keys by the end of the month",
]
# Every stage is asked, also where built-in understanding is sure.
ASKED = {"BRAIN_SKIP_ROUTER": "false", "BRAIN_SKIP_PLANNER": "false"}
# Of a call that was sent again.
LIMIT = 600
# Settings of the server beside those of serve.py: two slots, and its store of prompts that left a slot.
BESIDE = [
    (),
    ("n_parallel=1",),
    ("n_parallel=1", "cache_ram_mib=0"),
    ("cache_ram_mib=0",),
    ("n_parallel=6", "n_ctx=49152", "cache_ram_mib=0"),
]


class Share(NamedTuple):
    """Of one stage's calls after its first."""

    calls: int
    # Tokens of these prompts, and of them kept.
    tokens: int
    kept: int
    # Bytes of these prompts, and of them in common with the one before, and with whichever before has most.
    size: int
    common: int
    common_most: int


def prefix(one, other):
    """So many bytes both begin with."""
    one, other = one.encode(), other.encode()
    return next((at for at, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def prompt(call):
    return f"{call.fixed}\n{call.changing}"


def shares(calls, kept):
    """By stage; `kept` are tokens of each call's prompt, and how many of them the server had."""
    before, found = {}, {}
    for call, (tokens, cached) in zip(calls, kept):
        earlier, said = before.setdefault(call.stage, []), prompt(call)
        if earlier:
            common = [prefix(one, said) for one in earlier]
            more = (1, tokens, cached, len(said.encode()), common[-1], max(common))
            share = found.get(call.stage, Share(*[0] * len(more)))
            found[call.stage] = Share(*(a + b for a, b in zip(share, more)))
        earlier.append(said)
    return found


def table(found):
    for stage, share in sorted(found.items()):
        print(
            f"  {stage}: {share.calls} calls, {share.tokens // share.calls} tokens each; in common with the one before "
            f"{share.common / share.size:.0%}, with any before {share.common_most / share.size:.0%}, "
            f"kept by the server {share.kept / max(share.tokens, 1):.0%}",
            flush=True,
        )


def again(server, calls):
    """The same calls, each cut to one token of an answer; what the server had of each."""
    kept = []
    for call in calls:
        body = {**call.request, "max_tokens": 1, "stream": False}
        for name in ("max_completion_tokens", "stream_options", "response_format"):
            body.pop(name, None)
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{server.url}/v1/chat/completions", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:
            kept.append(counts(events(answer.read(), False)))
    return kept


def chat(program, server, planning):
    proxy = Proxy(server)
    settings = {**ASKED, "BRAIN_PLANNING": planning}
    turns = TURNS[: int(os.environ.get("MODEL_TURNS") or len(TURNS))]
    try:
        with tempfile.TemporaryDirectory() as data:
            with program.at(proxy.url).console(data, clock=(), **settings) as console:
                for text in turns:
                    console.say(text)
                    proxy.quiet(1, LIMIT)
            return list(proxy.calls)
    finally:
        proxy.stop()


def run(program, server, model):
    report, all_calls = os.environ.get("MODEL_REPORT"), []
    for planning in ("steps", "whole"):
        calls = chat(program, server, planning)
        print(f"planning: {planning}")
        table(shares(calls, [(call.tokens, call.tokens_cached) for call in calls]))
        all_calls += calls
        if report:
            with open(report, "a") as file:
                file.writelines(json.dumps(call._asdict()) + "\n" for call in calls)
    with tempfile.TemporaryDirectory() as folder:
        words_alone = pathlib.Path(folder) / "empty.gguf"
        empty(model, words_alone)
        for settings in BESIDE:
            beside(words_alone, settings, all_calls)


def beside(model, settings, calls):
    server = running.Server(model, *settings)
    try:
        kept = again(server, calls)
    finally:
        server.stop()
    share = sum(had for _, had in kept) / max(sum(tokens for tokens, _ in kept), 1)
    print(f"the same {len(calls)} calls, {' '.join(settings) or 'as above'}: {share:.0%} of all kept")
    table(shares(calls, kept))
