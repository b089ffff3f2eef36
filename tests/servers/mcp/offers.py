"""A well-behaved server of the Model Context Protocol by its own library for Python, over HTTP on a port of loopback:
`offers.py PORT FILE`. Its tools read and write FILE; it keeps its sessions in memory, so that a restart forgets them.
"""

import sys
from pathlib import Path

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

PORT, FILE = int(sys.argv[1]), Path(sys.argv[2])
server = MCPServer("notebook")


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def read_page() -> str:
    """Read the page of the notebook."""
    return FILE.read_text(encoding="utf-8")


@server.tool()
def write_page(text: str, times: int = 1) -> str:
    """Write the page of the notebook anew."""
    FILE.write_text(text * times, encoding="utf-8")
    return f"{len(text) * times} characters"


server.run("streamable-http", host="127.0.0.1", port=PORT)
