"""run.py PROGRAM MODEL [PART…]: what tests/model.sh runs, the program with a real model on the processor.

A model this small plans badly. What is asserted is what must hold with any: every turn ends, no marker of a chat template
is shown, nothing that needs a yes runs without one, and a server that is gone is told. What it did with each request is
printed for whoever reads it; how good that is, the evaluation counts.
"""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

PARTS = ["chat", "plans", "investigation", "killed", "eval"]
# A request for every service, and what it asks for.
PLANS = [
    ("remind me to call mom tomorrow at 5pm", "task.create"),
    ("lunch with Anna on Friday from 12:30 to 13:30", "calendar.create_event"),
    ("send an email to bob@example.com saying that the report is late", "email.send_email"),
    ("note that the code of the bicycle shed is 4711", "keep.create"),
    ("remember that I take my coffee black", "memory.store"),
    ("save Bob's address: bob@example.com", "contacts.save"),
]
NEEDS_A_YES = {
    "task.delete",
    "calendar.update_event",
    "calendar.delete_event",
    "email.send_email",
    "email.reply_to_email",
    "email.reply_all",
    "email.forward_email",
    "email.delete_email",
    "memory.forget",
    "keep.delete",
}
QUESTION = "what emails am I blocking people on?"
# Of one turn, in seconds: an investigation by a slow model has minutes.
LIMIT = 900
# Until a server has read its model.
START = 300


class Server:
    def __init__(self, model):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        threads = os.environ.get("MODEL_THREADS") or str(os.cpu_count())
        serve = pathlib.Path(__file__).with_name("serve.py")
        quiet = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.child = subprocess.Popen([sys.executable, serve, model, str(port), threads], **quiet)
        until = time.monotonic() + START
        while not self.is_up():
            if self.child.poll() is not None:
                sys.exit(f"the model server ended with {self.child.returncode}")
            if time.monotonic() > until:
                self.stop()
                sys.exit(f"the model server did not come up within {START} s")
            time.sleep(0.2)

    def is_up(self):
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5) as health:
                return health.status == 200
        except OSError:
            return False

    def stop(self):
        self.child.kill()
        self.child.wait()


class Program:
    def __init__(self, path, server, model):
        self.path = path
        given = {"LLM_TIMEOUT": "5m", **os.environ}
        name = pathlib.Path(model).stem
        self.environment = {**given, "LLM_BASE_URL": f"{server.url}/v1", "LLM_MODEL": name}

    def console(self, data, *flags):
        return Console(self, data, flags)

    def evaluate(self):
        shipped = pathlib.Path(__file__).parents[2] / "data/eval/scenarios.jsonl"
        sample, seed = os.environ.get("MODEL_SAMPLE", "60"), os.environ.get("MODEL_SEED", "1")
        file = os.environ.get("MODEL_SCENARIOS", str(shipped))
        command = [self.path, "eval", "scenario", file, "--sample", sample, "--seed", seed, "--errors"]
        with tempfile.TemporaryDirectory() as data:
            environment = {**self.environment, "BRAIN_DATA_DIR": data}
            subprocess.run(command, env=environment, check=True)


class Console:
    def __init__(self, program, data, flags):
        environment = {**program.environment, "BRAIN_DATA_DIR": data}
        command = [program.path, "console", "--json", "--now", "2026-01-12T09:00:00Z", "--tz", "UTC", *flags]
        pipe = subprocess.PIPE
        self.child = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()

    def start(self, text):
        self.child.stdin.write(json.dumps({"text": text}) + "\n")
        self.child.stdin.flush()

    def answer(self):
        watch = threading.Timer(LIMIT, self.child.kill)
        watch.start()
        lines = []
        for line in self.child.stdout:
            lines.append(json.loads(line))
            if lines[-1]["type"] == "done":
                watch.cancel()
                return lines
        watch.cancel()
        ended = "ended" if self.child.wait() >= 0 else f"did not answer within {LIMIT} s"
        sys.exit(f"FAILED: the program {ended}: {lines}")

    def say(self, text):
        """One turn; what must hold of every turn is checked, and what it took is printed."""
        began = time.monotonic()
        self.start(text)
        lines = self.answer()
        took = time.monotonic() - began
        done = lines[-1]
        check(words(lines).strip(), "an answer without a word", lines)
        for marker in ("<|", "<tool_call>", "<think>"):
            check(marker not in words(lines), f"{marker} is shown", lines)
        ran = {name(outcome) for outcome in done["outcomes"] if outcome["status"] == "succeeded"}
        check(not ran & NEEDS_A_YES, "something ran that needs a yes", lines)
        tokens = f"{done['tokens_in']} + {done['tokens_out']}"
        print(f"{took:6.1f} s  {done['llm_calls']} calls, {tokens} tokens, {done['path']}: {text}", flush=True)
        for line in words(lines).splitlines():
            print(f"          | {line}")
        return lines


def name(outcome):
    return f"{outcome['service']}.{outcome['command']}"


def words(lines):
    return "\n".join(line["text"] for line in lines if line.get("text") and line["type"] in ("message", "edit"))


def check(condition, why, lines):
    if not condition:
        sys.exit(f"FAILED: {why}\n" + "\n".join(json.dumps(line) for line in lines))


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
    unknown = set(parts) - set(PARTS)
    if unknown:
        sys.exit(f"{', '.join(sorted(unknown))}: there is {', '.join(PARTS)}")
    # A server that was killed is started again for what comes after.
    server = None
    try:
        for part in [part for part in PARTS if part in (parts or PARTS)]:
            print(f"== {part}", flush=True)
            if server is None:
                server = Server(model)
            program = Program(path, server, model)
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
                elif part == "eval":
                    program.evaluate()
    finally:
        if server is not None:
            server.stop()
    print("ok")


if __name__ == "__main__":
    main()
