"""xandikos_serve.py FOLDER PORT: Xandikos on plain HTTP of 127.0.0.1, for the users in FOLDER/users (name:password).

Its own command line has users with passwords over TLS only. This starts the same application behind its own check of
the Authorization header (`basic_auth_middleware`), each user below /NAME/; nothing of the protocol is here.
"""

import asyncio
import logging
import os
import sys

from aiohttp import web
from xandikos.multi_user import MultiUserFilesystemBackend, MultiUserXandikosApp
from xandikos.web import WELLKNOWN_DAV_PATHS, RedirectDavHandler, basic_auth_middleware
from xandikos.webdav import ForbiddenError


class Users:
    """Read anew each time: a test may change them."""

    def __init__(self, path):
        self.path = path

    def check(self, name, password):
        with open(self.path, encoding="utf-8") as lines:
            return f"{name}:{password}" in lines.read().splitlines()


async def serve(folder, port):
    data = os.path.join(folder, "data")
    os.makedirs(data, exist_ok=True)
    dav = MultiUserXandikosApp(MultiUserFilesystemBackend(data), current_user_principal="/%(REMOTE_USER)s/")

    async def answer(request):
        try:
            return await dav.aiohttp_handler(request, "/")
        except ForbiddenError:
            # Somebody else's path; as it is, that is an internal error.
            return web.Response(status=403, text="Access denied")

    app = web.Application(middlewares=[basic_auth_middleware(Users(os.path.join(folder, "users")))])
    for path in WELLKNOWN_DAV_PATHS:
        app.router.add_route("*", path, RedirectDavHandler("/"))
    app.router.add_route("*", "/{path_info:.*}", answer)
    runner = web.AppRunner(app, access_log_format='%t "%r" %s %b')
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    logging.info("Xandikos is listening on %d", port)
    await asyncio.Event().wait()


# What a killed process wrote stays; nobody here pulls the plug, and git syncs ten times for each collection.
os.fsync = lambda _: None
logging.basicConfig(level=logging.INFO, format="%(message)s")
asyncio.run(serve(sys.argv[1], int(sys.argv[2])))
