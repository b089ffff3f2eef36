"""Another client of the same calendars and address books: Python's caldav, so that a test does not believe what it
tests.

Its first line of standard input is {"url", "user", "password"}; each further one is [name, argument, …], answered by one
line: {"done": value}, {"refused": status, "why": text} when the server said no, {"error": text} for anything else. It
ends with its standard input.

caldav makes calendars and reads them for occurrences, which recurring_ical_events expands; the rest is plain HTTP, so
that every byte and header is seen. Collections are named by what a person reads, or by href.
"""

import datetime
import json
import sys
import traceback
import urllib.parse
import xml.etree.ElementTree as ElementTree

import caldav
import icalendar
import recurring_ical_events
import requests

TIME_LIMIT_SECONDS = 60
NAMES = {"d": "DAV:", "cal": "urn:ietf:params:xml:ns:caldav", "card": "urn:ietf:params:xml:ns:carddav"}
DECLARED = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in NAMES.items())
XML = "application/xml; charset=utf-8"


class Refused(Exception):
    """The server answered, and not with success."""

    def __init__(self, status, why):
        super().__init__(f"{status}: {why}")
        self.status, self.why = status, why


class OtherClient:
    def __init__(self, told):
        self.url = told["url"]
        # As bytes: text would be sent as Latin-1.
        auth = requests.auth.HTTPBasicAuth(told["user"].encode(), told["password"].encode())
        self.dav = caldav.DAVClient(url=self.url, username=told["user"], auth=auth)
        self.dav.timeout = TIME_LIMIT_SECONDS
        self.http = requests.Session()
        self.http.trust_env = False
        self.http.auth = auth

    def asked(self, method, href, body=None, **headers):
        """One request by plain HTTP."""
        headers = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        url = urllib.parse.urljoin(self.url, href)
        body = body.encode() if body is not None else None
        answer = self.http.request(method, url, data=body, headers=headers, timeout=TIME_LIMIT_SECONDS)
        if not answer.ok:
            raise Refused(answer.status_code, answer.text[:2000])
        return answer

    def found(self, href, depth, *names):
        """What PROPFIND says of these properties: for each href, the elements that are there."""
        wanted = "".join(f"<{name}/>" for name in names)
        body = f"<d:propfind {DECLARED}><d:prop>{wanted}</d:prop></d:propfind>"
        answer = self.asked("PROPFIND", href, body, Depth=depth, Content_Type=XML)
        rows = []
        for response in ElementTree.fromstring(answer.content).iterfind("d:response", NAMES):
            groups = response.iterfind("d:propstat", NAMES)
            good = [group for group in groups if " 200" in group.findtext("d:status", "", NAMES)]
            there = [prop for group in good for prop in group.find("d:prop", NAMES)]
            path = urllib.parse.urljoin(answer.url, response.findtext("d:href", "", NAMES).strip())
            rows.append((urllib.parse.urlsplit(path).path, {prop.tag: prop for prop in there}))
        return rows

    def home(self, name):
        """Where this user's collections of one kind are, from the root alone (RFC 5397, 4791, 6352)."""
        href = "/"
        for step in ["d:current-user-principal", name]:
            prefix, local = step.split(":")
            [(_, there)] = self.found(href, "0", step)
            href = there[f"{{{NAMES[prefix]}}}{local}"].findtext("d:href", "", NAMES)
        return href

    def step_collections(self):
        """In the server's own spelling of their hrefs, which caldav would change."""
        homes = [self.home("cal:calendar-home-set"), self.home("card:addressbook-home-set")]
        wanted = ["d:resourcetype", "d:displayname", "cal:supported-calendar-component-set"]
        rows = {href: there for home in homes for href, there in self.found(home, "1", *wanted)}
        found = [collection(href, there) for href, there in rows.items()]
        return sorted((row for row in found if row["kind"]), key=lambda row: row["href"])

    def href(self, collection):
        if collection.startswith("/"):
            return collection
        rows = self.step_collections()
        match [row["href"] for row in rows if row["name"] == collection]:
            case [href]:
                return href
        raise LookupError(f"{collection!r} is not one of {[row['name'] for row in rows]}")

    def step_etags(self, collection):
        rows = self.found(self.href(collection), "1", "d:getetag", "d:resourcetype")
        kinds = [(href, there, there.get("{DAV:}resourcetype")) for href, there in rows]
        members = [(href, there) for href, there, kind in kinds if kind is None or len(kind) == 0]
        return sorted([href, there["{DAV:}getetag"].text] for href, there in members)

    def step_resources(self, collection):
        """Each by a GET of its own: an answer in XML would not keep its line ends."""
        return [self.step_resource(href) for href, _ in self.step_etags(collection)]

    def step_resource(self, href):
        answer = self.asked("GET", href)
        return {"href": href, "etag": answer.headers.get("ETag", ""), "text": answer.content.decode()}

    def step_put(self, href, text, if_match=None, if_none_match=None):
        """The new ETag, empty when the server says none."""
        card = text.lstrip()[:11].upper() == "BEGIN:VCARD"
        kind = "text/vcard; charset=utf-8" if card else "text/calendar; charset=utf-8"
        answer = self.asked("PUT", href, text, Content_Type=kind, If_Match=if_match, If_None_Match=if_none_match)
        return answer.headers.get("ETag", "")

    def step_put_into(self, collection, name, text, if_match=None, if_none_match=None):
        href = self.href(collection).rstrip("/") + "/" + urllib.parse.quote(name)
        return [href, self.step_put(href, text, if_match, if_none_match)]

    def step_delete(self, href, if_match=None):
        self.asked("DELETE", href, If_Match=if_match)

    def step_make_calendar(self, name, components, href_name=None):
        principal = self.dav.principal()
        made = principal.make_calendar(name=name, cal_id=href_name, supported_calendar_component_set=components)
        return self.as_listed(urllib.parse.urlsplit(str(made.url)).path)

    def as_listed(self, href):
        """In the server's own spelling of it."""
        plain = urllib.parse.unquote(href)
        [listed] = [row["href"] for row in self.step_collections() if urllib.parse.unquote(row["href"]) == plain]
        return listed

    def step_make_address_book(self, name, href_name):
        href = self.home("card:addressbook-home-set").rstrip("/") + "/" + urllib.parse.quote(href_name) + "/"
        kind = "<d:resourcetype><d:collection/><card:addressbook/></d:resourcetype>"
        props = f"<d:set><d:prop>{kind}<d:displayname/></d:prop></d:set>"
        mkcol = ElementTree.fromstring(f"<d:mkcol {DECLARED}>{props}</d:mkcol>")
        mkcol.find(".//d:displayname", NAMES).text = name
        body = ElementTree.tostring(mkcol, encoding="unicode")
        self.asked("MKCOL", href, body, Content_Type=XML)
        return self.as_listed(href)

    def step_remove_collection(self, collection):
        self.asked("DELETE", self.href(collection).rstrip("/") + "/")

    def step_recreate(self, collection):
        """The same href, name and components; nothing in it."""
        [row] = [row for row in self.step_collections() if collection in (row["name"], row["href"])]
        href_name = urllib.parse.unquote(row["href"].rstrip("/").rsplit("/", 1)[-1])
        self.step_remove_collection(row["href"])
        if row["kind"] == "addressbook":
            return self.step_make_address_book(row["name"], href_name)
        return self.step_make_calendar(row["name"], row["components"], href_name)

    def step_occurrences(self, collection, start, end):
        """By recurring_ical_events over what caldav finds there, events and tasks, done ones too."""
        calendar = self.dav.calendar(url=urllib.parse.urljoin(self.url, self.href(collection)))
        items = calendar.search(event=True) + calendar.search(todo=True, include_completed=True)
        found = [row for item in items for row in expanded(item.data, moment(start), moment(end))]
        return sorted(found, key=lambda row: (row["start"], row["uid"]))

    def step_expanded_by_server(self, collection, start, end):
        """By the server's own expansion (RFC 4791, 9.6.5), of events."""
        limits = f'start="{utc(start)}" end="{utc(end)}"'
        body = f"""<cal:calendar-query {DECLARED}>
            <d:prop><cal:calendar-data><cal:expand {limits}/></cal:calendar-data></d:prop>
            <cal:filter><cal:comp-filter name="VCALENDAR"><cal:comp-filter name="VEVENT">
                <cal:time-range {limits}/></cal:comp-filter></cal:comp-filter></cal:filter>
        </cal:calendar-query>"""
        answer = self.asked("REPORT", self.href(collection), body, Depth="1", Content_Type=XML)
        texts = [data.text for data in ElementTree.fromstring(answer.content).iterfind(".//cal:calendar-data", NAMES)]
        events = [event for text in texts for event in icalendar.Calendar.from_ical(text).walk("VEVENT")]
        return sorted(map(seen, events), key=lambda row: (row["start"], row["uid"]))


def collection(href, there):
    """What one is, with no kind when it is neither a calendar nor an address book."""
    kinds = there["{DAV:}resourcetype"]
    kind = "calendar" if kinds.find("cal:calendar", NAMES) is not None else ""
    kind = "addressbook" if kinds.find("card:addressbook", NAMES) is not None else kind
    named = there.get("{DAV:}displayname")
    name = (named.text or "") if named is not None else ""
    listed = there.get(f"{{{NAMES['cal']}}}supported-calendar-component-set")
    components = [one.get("name") for one in listed] if kind == "calendar" and listed is not None else []
    return {"href": href, "name": name, "kind": kind, "components": sorted(components)}


def utc(text):
    """A time with its offset, as a filter in a query has it."""
    return moment(text).astimezone(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")


def moment(text):
    """A date, or a time with its offset."""
    return datetime.date.fromisoformat(text) if len(text) == 10 else datetime.datetime.fromisoformat(text)


def expanded(text, start, end):
    query = recurring_ical_events.of(icalendar.Calendar.from_ical(text), components=["VEVENT", "VTODO"])
    return [seen(component) for component in query.between(start, end)]


def seen(component):
    """Dates as dates, times with the offset of their zone, floating ones without."""
    begins = component.get("DTSTART")
    ends = component.get("DTEND") or component.get("DUE")
    ends = ends.dt if ends else begins.dt + component["DURATION"].dt if begins and "DURATION" in component else None
    return {
        "uid": str(component.get("UID", "")),
        "summary": str(component.get("SUMMARY", "")),
        "start": begins.dt.isoformat() if begins else "",
        "end": ends.isoformat() if ends else "",
    }


def answered(client, line):
    name, *arguments = json.loads(line)
    try:
        return {"done": getattr(client, "step_" + name)(*arguments)}
    except Refused as refused:
        return {"refused": refused.status, "why": refused.why}
    except Exception:
        return {"error": traceback.format_exc()}


def main():
    client = OtherClient(json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        print(json.dumps(answered(client, line)), flush=True)


main()
