"""Another client of the same mailbox: Python's imaplib, so that a test does not believe what it tests.

Reads one JSON object from standard input: {"host", "port", "user", "password", "ca" (a file, or null for no TLS),
"steps": [[name, argument, …], …]}. Prints one JSON array with one value for each step. Bytes stand in it as text of the
same numbers (Latin-1).
"""

import imaplib
import json
import re
import ssl
import sys

imaplib._MAXLINE = 50_000_000


def modified_utf7(name):
    """A folder's name as IMAP writes it (RFC 3501, 5.1.3)."""
    import base64

    def shifted(found):
        packed = base64.b64encode(found.group().encode("utf-16-be")).decode().rstrip("=").replace("/", ",")
        return "&" + packed + "-"

    return re.sub(r"[^\x20-\x7e]+", shifted, name.replace("&", "&-"))


def quoted(name):
    return '"' + modified_utf7(name).replace("\\", "\\\\").replace('"', '\\"') + '"'


def must(answer):
    status, data = answer
    if status != "OK":
        raise SystemExit(f"the server said {status}: {data!r}")
    return data


class OtherClient:
    def __init__(self, told):
        self.told = told
        self.imap = self.connected()
        must(self.imap.login(told["user"], told["password"]))

    def connected(self):
        if self.told.get("ca"):
            trust = ssl.create_default_context(cafile=self.told["ca"])
            return imaplib.IMAP4_SSL(self.told["host"], self.told["port"], ssl_context=trust, timeout=60)
        return imaplib.IMAP4(self.told["host"], self.told["port"], timeout=60)

    def opened(self, folder, readonly=False):
        must(self.imap.select(quoted(folder), readonly))

    def fetched(self, folder, what):
        self.opened(folder, readonly=True)
        answers, found = must(self.imap.uid("FETCH", "1:*", what)), []
        for answer in answers:
            if isinstance(answer, tuple):
                found.append([answer[0], answer[1]])
            elif answer and b"UID " in answer and b"(" in answer:
                found.append([answer, b""])
            elif answer and found:
                found[-1][0] += answer
        return [self.read(head, literal) for head, literal in found]

    @staticmethod
    def read(head, literal):
        head = head.decode("latin-1")
        date = re.search(r'INTERNALDATE "([^"]*)"', head)
        message_id = re.search(rb"(?im)^message-id:\s*(\S+)", literal.split(b"\r\n\r\n")[0])
        return {
            "uid": int(re.search(r"UID (\d+)", head).group(1)),
            "flags": sorted(re.search(r"FLAGS \(([^)]*)\)", head).group(1).split()),
            "internal_date": date.group(1) if date else "",
            "message_id": message_id.group(1).decode("latin-1") if message_id else "",
            "raw": literal.decode("latin-1"),
        }

    def step_messages(self, folder):
        return self.fetched(folder, "(UID FLAGS INTERNALDATE BODY.PEEK[])")

    def step_ids(self, folder):
        """The same without bodies, for large folders."""
        return self.fetched(folder, "(UID FLAGS INTERNALDATE BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])")

    def step_token(self, mechanism, token):
        """Signs in once more, by a token. After a challenge that says why not, an empty answer ends the attempt."""
        bearer = {
            "XOAUTH2": f"user={self.told['user']}\x01auth=Bearer {token}\x01\x01",
            "OAUTHBEARER": f"n,a={self.told['user']},\x01auth=Bearer {token}\x01\x01",
        }[mechanism]
        second = self.connected()
        answers = iter([bearer])
        try:
            status, _ = second.authenticate(mechanism, lambda _: next(answers, "").encode())
        except imaplib.IMAP4.error:
            status = "NO"
        second.shutdown()
        return status

    def step_folders(self):
        """Each folder's name as the server writes it, and its attributes."""
        rows = [re.match(r'\(([^)]*)\) (?:"."|NIL) (.*)', row.decode("latin-1")) for row in must(self.imap.list())]
        return [[row.group(2).strip('"'), row.group(1).split()] for row in rows if row]

    def step_uid_validity(self, folder):
        answer = must(self.imap.status(quoted(folder), "(UIDVALIDITY)"))[0].decode("latin-1")
        return int(re.search(r"UIDVALIDITY (\d+)", answer).group(1))

    def step_append(self, folder, flags, raw):
        must(self.imap.append(quoted(folder), "(" + " ".join(flags) + ")", None, raw.encode("latin-1")))

    def step_flag(self, folder, uid, sign, flags):
        self.opened(folder)
        must(self.imap.uid("STORE", str(uid), sign + "FLAGS.SILENT", "(" + " ".join(flags) + ")"))

    def step_move(self, folder, uid, target):
        self.opened(folder)
        must(self.imap.uid("MOVE", str(uid), quoted(target)))

    def step_copy(self, folder, uid, target):
        self.opened(folder)
        must(self.imap.uid("COPY", str(uid), quoted(target)))

    def step_expunge(self, folder, uid):
        self.opened(folder)
        must(self.imap.uid("STORE", str(uid), "+FLAGS.SILENT", "(\\Deleted)"))
        must(self.imap.uid("EXPUNGE", str(uid)))

    def step_create(self, folder):
        must(self.imap.create(quoted(folder)))

    def step_delete(self, folder):
        must(self.imap.delete(quoted(folder)))

    def step_rename(self, folder, name):
        must(self.imap.rename(quoted(folder), quoted(name)))


def main():
    told = json.load(sys.stdin)
    client = OtherClient(told)
    done = [getattr(client, "step_" + name)(*arguments) for name, *arguments in told["steps"]]
    client.imap.logout()
    json.dump(done, sys.stdout)


imaplib.Commands.setdefault("MOVE", ("SELECTED",))
main()
