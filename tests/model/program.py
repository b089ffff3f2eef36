"""The program and the model server, for the parts of tests/model.sh: how both are started, and how a turn is taken."""

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
# Of one turn, in seconds: an investigation by a slow model has minutes.
LIMIT = 900
# Until a server has read its model.
START = 300
# A clock that stands still; without it the program's work between turns goes by the real one.
STANDING = ("--now", "2026-01-12T09:00:00Z", "--tz", "UTC")


class Server:
    def __init__(self, model, *settings):
        """`settings` of the server, as serve.py takes them: NAME=VALUE."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        threads = os.environ.get("MODEL_THREADS") or str(os.cpu_count())
        serve = pathlib.Path(__file__).with_name("serve.py")
        quiet = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.child = subprocess.Popen([sys.executable, serve, model, str(port), threads, *settings], **quiet)
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
    def __init__(self, path, url, model):
        self.path, self.model = path, model
        given = {"LLM_TIMEOUT": "5m", **os.environ}
        name = pathlib.Path(model).stem
        self.environment = {**given, "LLM_BASE_URL": f"{url}/v1", "LLM_MODEL": name}

    def at(self, url):
        """The same program with its model elsewhere."""
        return Program(self.path, url, self.model)

    def console(self, data, *flags, clock=STANDING, **settings):
        """A conversation; `settings` are variables of the environment."""
        return Console(self, data, [*clock, *flags], settings)

    def evaluate(self):
        shipped = pathlib.Path(__file__).parents[2] / "data/eval/scenarios.jsonl"
        sample, seed = os.environ.get("MODEL_SAMPLE", "60"), os.environ.get("MODEL_SEED", "1")
        file = os.environ.get("MODEL_SCENARIOS", str(shipped))
        command = [self.path, "eval", "scenario", file, "--sample", sample, "--seed", seed, "--errors"]
        with tempfile.TemporaryDirectory() as data:
            environment = {**self.environment, "BRAIN_DATA_DIR": data}
            subprocess.run(command, env=environment, check=True)


class Console:
    def __init__(self, program, data, flags, settings):
        environment = {**program.environment, "BRAIN_DATA_DIR": data, **settings}
        command = [program.path, "console", "--json", *flags]
        pipe = subprocess.PIPE
        self.child = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()

    def start(self, text, **more):
        self.child.stdin.write(json.dumps({"text": text, **more}) + "\n")
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
