"""What tests/model.sh runs: the program with a real model on the processor, killed in the middle of a turn at the end.

A model this small plans badly. What is asserted is what must hold with any: every turn ends, no marker of a chat template
is shown, nothing runs that was not asked for or needs a yes, and a server that is gone is told.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

TURNS = [
    ("chat", "hello, how are you today?", set()),
    ("plan", "remind me to call mom tomorrow at 5pm", {"task.create"}),
    ("plan", "send an email to bob@example.com saying that the report is late", set()),
    ("answer", "what do I have tomorrow?", {"calendar.list_events", "task.list"}),
]
LIMIT = 600


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def serve(port):
    command = [os.environ["LLAMA_SERVER"], "--model", os.environ["LLAMA_MODEL"], "--host", "127.0.0.1"]
    command += ["--port", str(port), "--ctx-size", "8192", "--parallel", "2", "--jinja", "--no-repack"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        if server.poll() is not None:
            sys.exit(f"the model server ended with {server.returncode}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1) as health:
                if health.status == 200:
                    return server
        except OSError:
            time.sleep(0.1)
    server.kill()
    sys.exit("the model server did not come up within a minute")


class Console:
    def __init__(self, program, port, data):
        environment = {
            **os.environ,
            "LLM_BASE_URL": f"http://127.0.0.1:{port}/v1",
            "LLM_MODEL": "smollm2",
            "LLM_TIMEOUT": "2m",
            "BRAIN_DATA_DIR": data,
            "BRAIN_SKIP_ROUTER": "false",
        }
        command = [program, "console", "--json", "--now", "2026-01-12T09:00:00Z", "--tz", "UTC"]
        pipe = subprocess.PIPE
        self.child = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)

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
        sys.exit(f"no done within {LIMIT} s: {lines}")

    def say(self, text):
        began = time.monotonic()
        self.start(text)
        lines = self.answer()
        return lines, time.monotonic() - began


def words(lines):
    return "\n".join(line["text"] for line in lines if line.get("text") and line["type"] in ("message", "edit"))


def check(condition, why, lines):
    if not condition:
        sys.exit(f"FAILED: {why}\n" + "\n".join(json.dumps(line) for line in lines))


def main():
    program = sys.argv[1]
    port = free_port()
    server = serve(port)
    with tempfile.TemporaryDirectory() as data:
        console = Console(program, port, data)
        try:
            calls = 0
            for kind, said, may_run in TURNS:
                lines, took = console.say(said)
                done = lines[-1]
                calls += done["llm_calls"]
                check(words(lines).strip(), "an answer without a word", lines)
                check("<|" not in words(lines), "a marker of a chat template", lines)
                for outcome in done["outcomes"]:
                    name = f"{outcome['service']}.{outcome['command']}"
                    ran = outcome["status"] == "succeeded"
                    check(not ran or name in may_run, f"{name} ran", lines)
                    check(outcome["command"] != "send_email" or not ran, "a mail went without a yes", lines)
                short = words(lines).splitlines()[-1][:100]
                print(f"{kind:7} {took:6.1f} s  {done['llm_calls']} calls, {done['tokens_in']} + {done['tokens_out']} tokens: {short}")
            check(calls > 0, "the model was never asked", [])
            console.start("write me a poem about the sea, the wind and a very old lighthouse")
            time.sleep(1)
            server.kill()
            server.wait()
            lines = console.answer()
            check(words(lines).strip(), "nothing was said when the server was killed", lines)
            status, _ = console.say("/status")
            check("no answer just now" in words(status), "/status does not tell that the model is gone", status)
            print("killed   in the middle of a turn: told, and the program goes on")
        finally:
            console.child.kill()
            server.kill()
    print("ok")


if __name__ == "__main__":
    main()
