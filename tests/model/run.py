"""run.py PROGRAM MODEL [PART…]: what tests/model.sh runs, the program with a real model on the processor.

A model this small plans badly. What is asserted is what must hold with any: every turn ends, no marker of a chat template
is shown, nothing that needs a yes runs without one, and a server that is gone is told. What it did with each request is
printed for whoever reads it; how good that is, the evaluation counts.
"""

import sys
import tempfile
import time

import cached
import conversations
import services
from program import NEEDS_A_YES, Program, Server, check, name, words

PARTS = ["chat", "plans", "investigation", "killed", "eval"]
# Only where they are named: each takes half an hour.
LONG_PARTS = ["conversations", "cached", "services"]
# A request for every service, and what it asks for.
PLANS = [
    ("remind me to call mom tomorrow at 5pm", "task.create"),
    ("lunch with Anna on Friday from 12:30 to 13:30", "calendar.create_event"),
    ("send an email to bob@example.com saying that the report is late", "email.send_email"),
    ("note that the code of the bicycle shed is 4711", "keep.create"),
    ("remember that I take my coffee black", "memory.store"),
    ("save Bob's address: bob@example.com", "contacts.save"),
]
QUESTION = "what emails am I blocking people on?"


def chat(program, data):
    with program.console(data) as console:
        lines = console.say("hello, how are you today?")
        check(lines[-1]["llm_calls"] > 0, "the model was not asked", lines)
        check(not lines[-1]["outcomes"], "small talk did something", lines)


def plans(program, data):
    right = 0
    for said, wanted in PLANS:
        # A world for each: what one leaves open is no part of the next.
        with tempfile.TemporaryDirectory() as own, program.console(own) as console:
            outcomes = console.say(said)[-1]["outcomes"]
        got = {name(outcome) for outcome in outcomes}
        right += got == {wanted}
        print(f"          {'as asked' if got == {wanted} else 'instead of ' + wanted}: {', '.join(sorted(got)) or 'nothing'}")
    print(f"{right} of {len(PLANS)} plans are of the command that was asked for")


def investigation(program, data):
    with program.console(data, "--demo") as console:
        outcomes = console.say(QUESTION)[-1]["outcomes"]
        check(not any(o["status"] == "succeeded" and name(o) in NEEDS_A_YES for o in outcomes), "it did", outcomes)


def killed(program, data, server):
    with program.console(data) as console:
        console.start("write me a poem about the sea, the wind and a very old lighthouse")
        time.sleep(1)
        server.stop()
        lines = console.answer()
        check(words(lines).strip(), "nothing was said when the server was killed", lines)
        status = console.say("/status")
        check("no answer just now" in words(status), "/status does not tell that the model is gone", status)
        print("killed in the middle of a turn: told, and the program goes on")


def main():
    path, model, *parts = sys.argv[1:]
    known = PARTS + LONG_PARTS
    unknown = set(parts) - set(known)
    if unknown:
        sys.exit(f"{', '.join(sorted(unknown))}: there is {', '.join(known)}")
    # A server that was killed is started again for what comes after.
    server = None
    try:
        for part in [part for part in known if part in (parts or PARTS)]:
            print(f"== {part}", flush=True)
            if server is None:
                server = Server(model)
            program = Program(path, server.url, model)
            with tempfile.TemporaryDirectory() as data:
                if part == "chat":
                    chat(program, data)
                elif part == "plans":
                    plans(program, data)
                elif part == "investigation":
                    investigation(program, data)
                elif part == "killed":
                    killed(program, data, server)
                    server = None
                elif part == "conversations":
                    conversations.run(program, server)
                elif part == "cached":
                    cached.run(program, server, model)
                elif part == "services":
                    server.stop()
                    server = None
                    services.run(program, model)
                elif part == "eval":
                    program.evaluate()
    finally:
        if server is not None:
            server.stop()
    print("ok")


if __name__ == "__main__":
    main()
