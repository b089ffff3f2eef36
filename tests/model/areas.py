"""areas.py FILE NAME: a server of the Model Context Protocol over standard input and output, with the tools that FILE, a
JSON object, has for NAME. Each answers what it was called with, and does nothing."""

import json
import pathlib
import sys

tools = json.loads(pathlib.Path(sys.argv[1]).read_text())[sys.argv[2]]


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": sys.argv[2], "version": "1"},
        }
    if method == "tools/list":
        return {"tools": tools}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": json.dumps(params)}]}
    return None


for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    result = answer(asked["method"], asked.get("params", {}))
    said = {"result": result} if result is not None else {"error": {"code": -32601, "message": "not known"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said}), flush=True)
