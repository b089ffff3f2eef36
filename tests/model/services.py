"""The part `services`: the same requests over more and more commands, planned in steps by the program and by one prompt
that has every schema, as an assistant does it that sends all its tools with each message.

Of 6 commands that are asked for, 6, 30, 100 and 300 are there, each with the schema of its parameters, and beside them
the built-in ones, in both. Told is how often the right command was planned, and with the right parameters, what it took
of tokens and of time. The one prompt is sent from here, to the same model at the same settings; the program would not
send it.
"""

import contextlib
import json
import os
import pathlib
import random
import re
import sys
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from program import LIMIT, Server, name, words
from proxy import stages

TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}


def tool(name, does, required, **properties):
    schema = {"type": "object", "required": required, "properties": properties, "additionalProperties": False}
    return {"name": name, "description": does, "inputSchema": schema}


WANTED = {
    "heating": [
        tool("set_temperature", "Set the temperature of a room", ["room", "degrees"], room=TEXT, degrees=NUMBER),
        tool("switch_lamp", "Switch the lamp of a room on or off", ["room", "on"], room=TEXT, on=FLAG),
    ],
    "parcels": [
        tool("track_parcel", "Tell where a parcel is", ["number"], number=TEXT),
        tool("order_box", "Order cardboard boxes of a size", ["count", "size"], count=NUMBER, size={"enum": ["small", "large"]}),
    ],
    "printing": [
        tool("print_paper", "Print a paper by its name", ["paper", "copies"], paper=TEXT, copies=NUMBER),
        tool("scan_paper", "Scan the paper that lies in the scanner into a folder", ["folder"], folder=TEXT),
    ],
}
ROOMS = ["kitchen", "hall", "bedroom", "study"]
# What is asked, the command, its parameters: 40 of them.
REQUESTS = (
    [(f"set the {room} to {degrees} degrees", "mcp:heating.set_temperature", {"room": room, "degrees": degrees})
     for room, degrees in zip(ROOMS * 2, [19, 21, 17, 22, 18, 20, 16, 23])]
    + [(f"switch the {room} lamp {'on' if on else 'off'}", "mcp:heating.switch_lamp", {"room": room, "on": on})
       for room, on in zip(ROOMS * 2, [True, False, True, True, False, False, True, False])]
    + [(f"where is my parcel {number}?", "mcp:parcels.track_parcel", {"number": number})
       for number in ["A4411", "B2090", "C7781", "D1503", "E9920", "F3307"]]
    + [(f"order {count} {size} cardboard boxes", "mcp:parcels.order_box", {"count": count, "size": size})
       for count, size in [(4, "small"), (12, "large"), (6, "large"), (20, "small"), (3, "large"), (9, "small")]]
    + [(f"print {copies} copies of {paper}", "mcp:printing.print_paper", {"paper": paper, "copies": copies})
       for copies, paper in [(2, "the lease"), (5, "my resume"), (3, "the invoice"), (10, "the flyer"), (4, "the menu"), (7, "the map")]]
    + [(f"scan what lies in the scanner into the folder {folder}", "mcp:printing.scan_paper", {"folder": folder})
       for folder in ["taxes", "school", "travel", "health", "car", "recipes"]]
)
AREAS = ["garden", "camera", "ledger", "ticket", "playlist", "vehicle", "library", "kiosk", "shelter", "harbour"]
DEEDS = ["list", "get", "create", "rename", "archive", "restore", "lock", "unlock", "share", "copy", "move", "merge", "split",
         "tag", "rate", "schedule", "pause", "resume", "export", "import", "compare", "count", "validate", "refresh",
         "calibrate", "assign", "watch", "reset", "describe", "sort"]


def servers(many):
    """The tools of `many` commands, by server: those that are asked for, and others."""
    found = {area: list(tools) for area, tools in WANTED.items()}
    others = [(area, deed) for deed in DEEDS for area in AREAS]
    for area, deed in others[: many - 6]:
        made = tool(
            f"{deed}_{area}", f"{deed.capitalize()} something of the {area}", ["number"], number=NUMBER, place=TEXT,
            force=FLAG, mode={"enum": ["careful", "normal", "fast"]},
        )
        found.setdefault(area, []).append(made)
    return found


def is_right(params, wanted):
    """Values alone, as people compare them."""
    plain = lambda value: str(value).lower().removeprefix("the ").removeprefix("my ").strip()
    return {key: plain(value) for key, value in params.items()} == {key: plain(value) for key, value in wanted.items()}


class Tally:
    def __init__(self):
        self.tools = self.params = self.tokens = self.calls = 0
        self.seconds = []

    def add(self, command, params, wanted, wanted_params, tokens, calls, seconds):
        right = command == wanted
        self.tools += right
        self.params += right and is_right(params, wanted_params)
        self.tokens += tokens
        self.calls += calls
        self.seconds.append(seconds)

    def told(self, what, many, of):
        middle = sorted(self.seconds)[len(self.seconds) // 2]
        print(
            f"{many} commands, {what}: right command {self.tools} of {of}, with the right parameters {self.params}; "
            f"{self.tokens // of} tokens and {self.calls / of:.1f} calls a request, {middle:.1f} s in the middle, "
            f"{max(self.seconds):.0f} s at most",
            flush=True,
        )


class Planner(BaseHTTPRequestHandler):
    """A model endpoint that routes a message to every service and plans nothing. The prompts that it is sent are kept."""

    prompts = []

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = "\n".join(message["content"] for message in asked["messages"])
        self.prompts.append(prompt)
        answer = {"actions": [], "question": "Which one?", "open": None}
        if prompt.startswith(stages()["route"]):
            answer = {"type": "action", "domains": re.findall(r"^- ([a-z]+): ", prompt, re.M), "is_followup": False}
        choice = {"index": 0, "message": {"role": "assistant", "content": json.dumps(answer)}, "finish_reason": "stop"}
        body = json.dumps({"choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(BrokenPipeError):
            # Not every call is waited for.
            self.wfile.write(body)

    def log_message(self, *_):
        pass


def built_in(program):
    """The lines of the built-in commands with their parameters, as the program itself writes them into one prompt."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Planner) as server, tempfile.TemporaryDirectory() as data:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        at = program.at(f"http://127.0.0.1:{server.server_port}")
        with at.console(data, BRAIN_PLANNING="whole", BRAIN_SKIP_ROUTER="false") as console:
            console.start("please do the thing with the other one")
            console.answer()
        server.shutdown()
    lines = [line for line in Planner.prompts[-1].splitlines() if re.match(r"[a-z]+\.[a-z_]+: .*\{.*\}$", line)]
    if len(lines) < 30:
        sys.exit(f"FAILED: of the built-in commands {len(lines)} are in the prompt")
    return lines


def listed(console, tools):
    """Waits until every server has said what it offers."""
    until, missing = time.monotonic() + LIMIT, set(tools)
    while missing:
        if time.monotonic() > until:
            sys.exit(f"FAILED: nothing came of {', '.join(sorted(missing))}")
        time.sleep(0.2)
        console.start("/help")
        help_text = words(console.answer())
        missing = {area for area in missing if area.capitalize() not in help_text}


def in_steps(program, tools, requests, many):
    tally = Tally()
    areas = pathlib.Path(__file__).with_name("areas.py")
    with tempfile.TemporaryDirectory() as folder:
        file, config = pathlib.Path(folder) / "tools.json", pathlib.Path(folder) / "servers.json"
        file.write_text(json.dumps(tools))
        each = {
            area: {"command": sys.executable, "args": [str(areas), str(file), area], "users": ["*"]} for area in tools
        }
        config.write_text(json.dumps({"mcpServers": each}))
        settings = {"BRAIN_MCP_CONFIG": str(config), "BRAIN_RESPOND": "never"}
        with tempfile.TemporaryDirectory() as data, program.console(data, **settings) as console:
            listed(console, tools)
            answers = []
            for number, (said, _, _) in enumerate(requests):
                # A person for each: what one leaves open is no part of the next.
                began = time.monotonic()
                console.start(said, user=f"guest{number}")
                answers.append((console.answer()[-1], time.monotonic() - began))
        for (said, wanted, params), (done, took) in zip(requests, answers):
            outcome = done["outcomes"][0] if len(done["outcomes"]) == 1 else None
            command = name(outcome) if outcome else ""
            tally.add(command, (outcome or {}).get("params", {}), wanted, params,
                      done["tokens_in"] + done["tokens_out"], done["llm_calls"], took)
            if command != wanted:
                print(f"          in steps, {said}: {command or 'nothing'}")
    tally.told("in steps", many, len(requests))


def by_one_prompt(server, own, tools, requests, many):
    tally = Tally()
    lines = own + [
        f"mcp:{area}.{one['name']}: {one['description']} {json.dumps(one['inputSchema']['properties'])}"
        for area, of in tools.items()
        for one in of
    ]
    names = [line.partition(": ")[0] for line in lines]
    listed = "\n".join(lines)
    system = (
        "You carry out what a person asks with one of these commands. Answer with JSON only: "
        f'{{"command": "…", "params": {{…}}}}\n\n{listed}'
    )
    shape = {
        "type": "object", "required": ["command", "params"], "additionalProperties": False,
        "properties": {"command": {"enum": names}, "params": {"type": "object"}},
    }
    for said, wanted, params in requests:
        body = {
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": f"Message: {said}"}],
            "temperature": 0, "max_tokens": 200,
            "response_format": {"type": "json_schema", "json_schema": {"name": "call", "schema": shape, "strict": True}},
        }
        began = time.monotonic()
        request = urllib.request.Request(
            f"{server.url}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:
            got = json.load(answer)
        took = time.monotonic() - began
        try:
            call = json.loads(got["choices"][0]["message"]["content"])
        except ValueError:
            call = {}
        usage = got["usage"]
        tally.add(call.get("command", ""), call.get("params", {}), wanted, params,
                  usage["prompt_tokens"] + usage["completion_tokens"], 1, took)
    tally.told("by one prompt", many, len(requests))


def run(program, model):
    requests = random.Random(1).sample(REQUESTS, int(os.environ.get("MODEL_REQUESTS") or len(REQUESTS)))
    sizes = [int(size) for size in (os.environ.get("MODEL_SIZES") or "6,30,100,300").split(",")]
    own = built_in(program)
    # One conversation with room for a prompt of every schema.
    server = Server(model, "n_parallel=1", "n_ctx=32768")
    try:
        for many in sizes:
            tools = servers(many)
            in_steps(program.at(server.url), tools, requests, many)
            by_one_prompt(server, own, tools, requests, many)
    finally:
        server.stop()
