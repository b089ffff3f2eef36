"""A proxy between program and model server on loopback, which keeps what each call of a stage sent and got."""

import http.client
import json
import pathlib
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

PROMPTS = pathlib.Path(__file__).parents[2] / "prompts"
# Of a prompt, what tells its stage.
HEAD = 40
PIECE = 4_096


class Call(NamedTuple):
    """One call of the model, as it went over the wire."""

    stage: str
    request: dict
    # The fixed part of the prompt, and what changes.
    fixed: str
    changing: str
    answer: str
    tokens: int
    tokens_cached: int
    began: float
    seconds: float


def stages():
    """How each stage's prompt begins."""
    return {file.stem: file.read_text()[:HEAD] for file in sorted(PROMPTS.glob("*.md"))}


def events(body, is_stream):
    """The JSON objects of an answer."""
    if not is_stream:
        return [json.loads(body)]
    # What stands behind the last line's end is a part of one.
    whole = body.decode(errors="replace").rpartition("\n")[0]
    lines = (line.removeprefix("data:").strip() for line in whole.splitlines() if line.startswith("data:"))
    return [json.loads(line) for line in lines if line and line != "[DONE]"]


def counts(all_events):
    """Tokens of the prompt, and how many of them the server had kept; by its usage, else by its timings."""
    tokens = cached = 0
    for event in all_events:
        usage, timings = event.get("usage") or {}, event.get("timings") or {}
        kept = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", timings.get("cache_n"))
        cached = cached if kept is None else kept
        tokens = usage.get("prompt_tokens") or timings.get("prompt_n", 0) + timings.get("cache_n", 0) or tokens
    return tokens, cached


def said(all_events):
    choices = [choice for event in all_events for choice in event.get("choices") or []]
    parts = [choice.get("delta") or choice.get("message") or {} for choice in choices]
    return "".join(part.get("content") or "" for part in parts)


class Proxy:
    def __init__(self, server):
        self.calls, self.open, self.ended, self.lock = [], 0, 0.0, threading.Lock()
        self.port = int(server.url.rsplit(":", 1)[1])
        self.heads = stages()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                proxy.passes_on(self, b"")

            def do_POST(self):
                proxy.passes_on(self, self.rfile.read(int(self.headers["Content-Length"] or 0)))

        self.listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.listener.server_port}"
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def passes_on(self, handler, body):
        if body:
            # So the counts are there before the last piece, which not every call waits for.
            body = json.dumps({**json.loads(body), "timings_per_token": True}).encode()
        began = time.monotonic()
        with self.lock:
            self.open += 1
        try:
            upstream = http.client.HTTPConnection("127.0.0.1", self.port)
            passed = {"Content-Type": "application/json"} if body else {}
            upstream.request(handler.command, handler.path, body, passed)
            answer = upstream.getresponse()
            handler.send_response(answer.status)
            handler.send_header("Content-Type", answer.headers["Content-Type"] or "application/json")
            handler.send_header("Connection", "close")
            handler.end_headers()
            got = b""
            try:
                while piece := answer.read1(PIECE):
                    got += piece
                    handler.wfile.write(piece)
            except OSError:
                # The program ends a call as soon as it has what it needs.
                pass
            if body and answer.status == 200:
                self.keeps(json.loads(body), got, began)
        except OSError:
            # The server has gone.
            pass
        finally:
            upstream.close()
            with self.lock:
                self.open -= 1
                self.ended = time.monotonic()

    def keeps(self, request, got, began):
        if "messages" not in request:
            return
        fixed, changing = (
            "\n".join(m["content"] for m in request["messages"] if (m["role"] == "system") is wanted)
            for wanted in (True, False)
        )
        stage = next((stage for stage, head in self.heads.items() if fixed.startswith(head)), "other")
        all_events = events(got, request.get("stream"))
        took = time.monotonic() - began
        call = Call(stage, request, fixed, changing, said(all_events), *counts(all_events), began, took)
        with self.lock:
            self.calls.append(call)

    def quiet(self, seconds, limit):
        """Waits until no call has been open for so long; at most `limit` seconds."""
        began = time.monotonic()
        while time.monotonic() - began < limit:
            with self.lock:
                since = max(self.ended, began)
                if self.open == 0 and time.monotonic() - since >= seconds:
                    return
            time.sleep(0.05)

    def stop(self):
        self.listener.shutdown()
