"""An oracle for repeating events: generated calendars and when they take place, by Python's recurring-ical-events.

Usage: recurrences.py --seed N --count 10000. Prints one JSON object a line, the same ones for the same seed:

    {"ics": a calendar, "zone": the reader's zone, "from": "...Z", "to": "...Z",
     "occurrences": [[start, end], ...], "read": [names of READINGS]}

"occurrences" are those that overlap from..to: UTC for times, dates for whole days. Floating times and whole days are
the reader's. Where the oracle leaves what RFC 5545 says, or the RFC says nothing, the oracle is asked the question in
words that both understand, and "read" names how (READINGS has the reasons). What cannot be asked has "skip" with the
reason. With --readings they are printed with how often each occurs.

Time zone data must be of the release that the program has; `--tzdata 2025b` fails when it is another.
"""

import argparse
import collections
import datetime as dt
import itertools
import json
import random
import types
import zoneinfo

zoneinfo.reset_tzpath([])  # The package tzdata, not what the machine has.

import dateutil.rrule  # noqa: E402
import icalendar  # noqa: E402
import recurring_ical_events  # noqa: E402
import recurring_ical_events.adapters.component as oracle_components  # noqa: E402
import recurring_ical_events.series.rrule as oracle_series  # noqa: E402
import tzdata  # noqa: E402

# A rule that matches nothing is followed to the last year there is; that year is nearer here.
dateutil.rrule.datetime = types.SimpleNamespace(**{**vars(dt), "MAXYEAR": 2070})

# The oracle knows an occurrence by its time in UTC and by its local time alike, both without a zone, so that EXDATE at
# 01:30 in Cairo takes away 03:30 there, which is 01:30 in UTC. Its time in UTC names it well enough.
by_utc_and_local = oracle_series.to_recurrence_ids
oracle_series.to_recurrence_ids = oracle_components.to_recurrence_ids = lambda time: by_utc_and_local(time)[:1]

READINGS = {
    "elapsed": "A rule of hours or minutes without conditions counts time that passes. The oracle counts the hours of"
    " the local clock: one is left out where clocks go back. It is asked in UTC.",
    "count": "DTSTART is the first occurrence that COUNT counts (RFC 5545, 3.3.10), also when it does not match its"
    " rule. The oracle adds it on top. It is asked for one less.",
    "until-day": "UNTIL as a date, DTSTART with a time (invalid): all of that local day is meant, as in other clients."
    " The oracle takes midnight in UTC. It is asked for the last second of the day.",
    "until-local": "UNTIL without a zone, DTSTART with one (invalid): the time of day is meant in the zone of DTSTART."
    " The oracle takes UTC. It is asked for that instant.",
    "until-utc": "UNTIL in UTC, DTSTART floating (invalid): the instant is meant. The oracle drops the Z. It is asked"
    " for the reader's local time.",
    "exdate-of-day": "EXDATE with a time, whole days (invalid): that day is meant. The oracle excludes nothing. It is"
    " asked with the date.",
    "rdate-day": "EXDATE as a date excludes what begins on that day of the zone of DTSTART. The oracle takes the day in"
    " UTC of an RDATE that is written in UTC. It is asked with the local time.",
    "exact-length": "The exact length of DTSTART to DTEND holds for all occurrences (RFC 5545, 3.8.5.3). The oracle"
    " keeps the time of day at which one ends. Ends are counted from the starts it gives.",
    "once": "Two local times that are one instant, because clocks went forward, are one occurrence: a recurrence set"
    " is a set. The oracle has both.",
}
FIFTH_LAST = "BYDAY=-5MO in a monthly rule: the program's engine refuses it, and such an event is marked as not understood"
LONG_MINUTES = "MINUTELY of more than an hour, with conditions: refused by the program, as its engine miscounts it"
IN_GAP = "DTSTART inside a gap, hours or minutes with conditions: an event is kept with its instant, not that local time"
ENDS_FIRST = "DTSTART inside a gap and DTEND behind it, so that the end is before the start: the oracle swaps them"
OVER_BEFORE = "UNTIL before DTSTART: the start takes place here, as the first occurrence; the oracle leaves it out"
NOMINAL = "DURATION in days of an event with a time, over a change of clocks: an event is kept with its end, not so"

ZONES = [
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Sao_Paulo",
    "Africa/Casablanca", "Pacific/Apia", "Europe/Dublin", "America/St_Johns", "Africa/Cairo", "Asia/Gaza",
    "Pacific/Chatham", "Asia/Tehran", "America/Santiago", "Pacific/Auckland", "UTC",
]
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
SUB_DAILY = ("HOURLY", "MINUTELY")
UTC = dt.timezone.utc
MINUTE, HOUR, DAY = dt.timedelta(minutes=1), dt.timedelta(hours=1), dt.timedelta(days=1)


def changes(name):
    """The local times around which clocks change, 2001 to 2026: (before, after) as the clock shows them."""
    zone, found = zoneinfo.ZoneInfo(name), []
    at, end = dt.datetime(2001, 1, 1, tzinfo=UTC), dt.datetime(2026, 12, 1, tzinfo=UTC)
    while at < end:
        if (at + DAY).astimezone(zone).utcoffset() != at.astimezone(zone).utcoffset():
            low, high = at, at + DAY
            while high - low > MINUTE:
                middle = low + (high - low) // MINUTE // 2 * MINUTE
                same = middle.astimezone(zone).utcoffset() == at.astimezone(zone).utcoffset()
                low, high = (middle, high) if same else (low, middle)
            after = high.astimezone(zone).replace(tzinfo=None)
            found.append((high.replace(tzinfo=None) + low.astimezone(zone).utcoffset(), after))
        at += DAY
    return found


CHANGES = {name: changes(name) for name in ZONES}


def utc_text(at):
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def local_text(at):
    return at.strftime("%Y%m%dT%H%M%S")


class Case:
    """One calendar: an event that repeats, its exceptions, and a window."""

    def __init__(self, random_numbers):
        self.random = random_numbers
        self.kind = self.one_of(["zone"] * 6 + ["utc", "floating", "date", "date"])
        self.reader = self.one_of(ZONES)
        self.zone_name = {"zone": self.one_of(ZONES[:-1]), "utc": "UTC"}.get(self.kind, self.reader)
        self.zone = zoneinfo.ZoneInfo(self.zone_name)
        self.read, self.skip = set(), None
        self.start = self.any_start()
        self.freq = self.one_of(["YEARLY", "MONTHLY", "MONTHLY", "WEEKLY", "WEEKLY", "DAILY", "DAILY"]
                                + ([] if self.kind == "date" else list(SUB_DAILY)))
        self.parts = self.any_parts()
        if self.chance(0.6):
            self.start = self.matches(1)[0] if self.matches(1) else self.start
        if self.kind == "date":
            self.start = self.start.replace(hour=0, minute=0, second=0)
        self.ending = self.any_ending()
        self.length = self.any_length()
        self.begins, self.ends = self.any_window()
        self.exdates, self.rdates, self.overrides = [], [], []
        if self.chance(0.35):
            self.any_exceptions()

    def one_of(self, choices):
        return self.random.choice(choices)

    def some_of(self, choices, most):
        return sorted(self.random.sample(choices, self.random.randint(1, most)))

    def chance(self, share):
        return self.random.random() < share

    # What is generated.

    def any_start(self):
        clock = dt.time(self.random.randint(0, 23), self.one_of([0, 0, 0, 15, 30, 45]))
        kind = self.random.random()
        if kind < 0.3 and CHANGES[self.zone_name]:
            before, after = self.one_of(CHANGES[self.zone_name])
            # Inside the gap or the overlap, on that night or some days or months earlier.
            inside = min(before, after) + self.one_of([0, 15, 30, 45]) * MINUTE
            return inside - self.one_of([0, 0, 1, 2, 7, 14, 28, 31, 61, 180, 365]) * DAY
        year = self.random.randint(2003, 2026)
        if kind < 0.4:
            month = self.one_of([1, 3, 5, 7, 8, 10, 12])
            return dt.datetime.combine(dt.date(year, month, self.random.randint(29, 31)), clock)
        if kind < 0.45:
            return dt.datetime.combine(dt.date(self.one_of([2004, 2008, 2016, 2020, 2024]), 2, 29), clock)
        if kind < 0.5:
            last = dt.date(self.one_of([2004, 2009, 2015, 2020, 2026]), 12, 28)
            return dt.datetime.combine(last + self.random.randint(0, 7) * DAY, clock)
        return dt.datetime.combine(dt.date(year, 1, 1) + self.random.randint(0, 364) * DAY, clock)

    def any_parts(self):
        parts = [("FREQ", self.freq)]
        most = {"YEARLY": 4, "MONTHLY": 14, "WEEKLY": 6, "DAILY": 40, "HOURLY": 30, "MINUTELY": 200}[self.freq]
        interval = self.random.randint(1, most) if self.chance(0.5) else 1
        if self.freq == "MINUTELY":
            interval = max(interval, 5)
        if interval > 1 or self.chance(0.1):
            parts.append(("INTERVAL", interval))
        parts += getattr(self, "parts_" + self.freq.lower())()
        if self.kind != "date" and self.chance(0.15):
            if self.freq != "MINUTELY" or self.chance(0.5):
                parts.append(("BYHOUR", self.some_of(range(24), 3)))
            if self.freq != "HOURLY" and self.chance(0.5):
                parts.append(("BYMINUTE", self.some_of(range(0, 60, 15), 2)))
        expands = any(name.startswith("BY") for name, _ in parts)
        if expands and self.freq not in SUB_DAILY and self.chance(0.25):
            most = 7 if self.freq == "WEEKLY" else 12
            parts.append(("BYSETPOS", self.some_of([n for n in range(-5, most) if n], 2)))
        if self.chance(0.2):
            parts.append(("WKST", self.one_of(["SU", "MO", "SA", "WE"])))
        self.parts = parts
        try:
            self.matches(1)
        except ValueError:  # Such a time of day is never reached; the oracle follows no such rule.
            parts = [part for part in parts if part[0] not in ("BYHOUR", "BYMINUTE", "BYSETPOS")]
        return parts

    def month_days(self):
        return self.some_of([-31, -30, -3, -2, -1, 1, 2, 13, 15, 28, 29, 30, 31], 3)

    def months(self, share):
        return [("BYMONTH", self.some_of(range(1, 13), 4))] if self.chance(share) else []

    def ordinal_days(self, most):
        return [self.one_of([1, 2, 3, 4, 5, -1, -2, most, -most]).__str__() + self.one_of(DAYS) for _ in range(2)]

    def parts_yearly(self):
        kind = self.random.random()
        if kind < 0.2:
            return self.months(0.3)
        if kind < 0.35:
            return self.months(0.6) + [("BYMONTHDAY", self.month_days())]
        if kind < 0.5:
            return [("BYYEARDAY", self.some_of([-366, -365, -100, -1, 1, 59, 60, 61, 200, 365, 366], 3))]
        if kind < 0.7:
            return [("BYWEEKNO", self.some_of([-53, -52, -1, 1, 2, 20, 51, 52, 53], 2))] + (
                [("BYDAY", self.some_of(DAYS, 3))] if self.chance(0.7) else [])
        if kind < 0.85:
            return [("BYMONTH", self.some_of(range(1, 13), 2)), ("BYDAY", self.ordinal_days(4))]
        return [("BYDAY", self.ordinal_days(20) if self.chance(0.7) else self.some_of(DAYS, 3))]

    def parts_monthly(self):
        kind = self.random.random()
        if kind < 0.25:
            return self.months(0.2)
        if kind < 0.5:
            return self.months(0.2) + [("BYMONTHDAY", self.month_days())]
        if kind < 0.8:
            return self.months(0.2) + [("BYDAY", self.ordinal_days(5))]
        if kind < 0.9:
            return [("BYDAY", self.some_of(DAYS, 5))]
        return [("BYDAY", self.some_of(DAYS, 3)), ("BYMONTHDAY", list(range(8, 15)))]

    def parts_weekly(self):
        return self.months(0.15) + ([("BYDAY", self.some_of(DAYS, 4))] if self.chance(0.7) else [])

    def parts_daily(self):
        if self.chance(0.6):
            return []
        return self.months(0.4) + self.one_of([[("BYDAY", self.some_of(DAYS, 4))], [("BYMONTHDAY", self.month_days())]])

    def parts_hourly(self):
        return [] if self.chance(0.6) else self.parts_daily()

    parts_minutely = parts_hourly

    def any_ending(self):
        """None, ("COUNT", n) or ("UNTIL", form, local time)."""
        kind = self.random.random()
        if kind < 0.4:
            return None
        if kind < 0.7:
            return ("COUNT", self.random.randint(1, 60))
        step = {"YEARLY": 365, "MONTHLY": 31, "WEEKLY": 7, "DAILY": 1}.get(self.freq, 0.05)
        until = self.start + dt.timedelta(days=int(step * self.random.randint(0, 40)))
        found = self.matches(30)
        if found and self.chance(0.6):
            until = self.one_of(found)
        until += self.one_of([0, 0, 0, -1, 1, 90]) * MINUTE
        forms = ["right"] * 6 + ["date", "local", "utc"]
        return ("UNTIL", self.one_of(forms), until)

    def any_length(self):
        """A name and a length, or None."""
        if self.kind == "date":
            days = self.random.randint(1, 4)
            return self.one_of([None, ("DTEND", days * DAY), ("DURATION", days * DAY)])
        length = self.one_of([15, 30, 60, 60, 90, 120, 480, 1440, 1500]) * MINUTE
        return self.one_of([None, ("DTEND", length), ("DTEND", length), ("DURATION", length)])

    def any_window(self):
        start = self.instant(self.start)
        kind = self.random.random()
        far = {"HOURLY": 400, "MINUTELY": 20}.get(self.freq, 20 * 365)
        lengths = {"HOURLY": [1, 4, 7], "MINUTELY": [1, 2], "DAILY": [1, 7, 31, 92], "WEEKLY": [7, 31, 92, 366]}
        length = self.one_of(lengths.get(self.freq, [31, 366, 1500]))
        if kind < 0.08:
            begins = start - self.random.randint(10, 60) * DAY
        elif kind < 0.35:
            begins = start + self.random.randint(0, far) * DAY
        elif kind < 0.6 and CHANGES[self.zone_name]:
            later = [after for _, after in CHANGES[self.zone_name] if -1 <= (after - self.start) // DAY <= far]
            begins = self.instant(self.one_of(later or [self.start])) - self.random.randint(0, length * 24) * HOUR
        else:
            begins = start - self.random.randint(0, 48) * HOUR
        begins = begins.replace(minute=self.one_of([0, 15, 30]), second=0)
        return begins, begins + length * DAY

    def any_exceptions(self):
        found = [at for at in self.matches(200) if self.begins - 3 * DAY <= self.instant(at) <= self.ends] or self.matches(8)
        if not found:
            return
        chosen = self.random.sample(found, min(len(found), 5))
        for at in chosen[: self.random.randint(0, 3)]:
            self.exdates.append((self.one_of(["same", "same", "same", "utc", "other"]), at))
        for at in chosen[3:] if self.chance(0.6) else []:
            moved = at + self.one_of([30, 60, -60, 1440, -1440, 4320, 60 * 24 * 30]) * MINUTE
            if self.kind == "date":
                moved = at + self.one_of([1, -1, 3, 30]) * DAY
            self.overrides.append((self.one_of(["same", "utc"]), at, moved))
        if self.chance(0.4):
            for at in chosen[:2]:
                extra = at + self.one_of([0, 1, 2, 5]) * DAY
                self.rdates.append((self.one_of(["same", "utc"]), extra if self.kind == "date" else extra + 45 * MINUTE))

    # How it is written.

    def instant(self, local):
        return local.replace(tzinfo=self.zone).astimezone(UTC)

    def matches(self, most):
        """The first times that match the rule alone, as the local clock shows them."""
        return list(itertools.islice(self.rule(), most))

    def rule(self):
        """The rule alone; a ValueError, here or later, where it never reaches a time of day that it names."""
        return dateutil.rrule.rrulestr(self.rule_text(None), dtstart=self.start)

    def rule_text(self, ending):
        text = lambda value: ",".join(map(str, value)) if isinstance(value, list) else str(value)  # noqa: E731
        parts = [f"{name}={text(value)}" for name, value in self.parts]
        return ";".join(parts + ([ending] if ending else []))

    def counts_elapsed(self):
        return self.freq in SUB_DAILY and not any(name.startswith("BY") for name, _ in self.parts)

    def ending_text(self, asked):
        if self.ending is None:
            return None
        if self.ending[0] == "COUNT":
            count = self.ending[1]
            if asked and self.matches(1)[:1] != [self.start]:
                self.read.add("count")
                count -= 1
            return f"COUNT={count}"
        _, form, local = self.ending
        if self.kind == "date":
            # The oracle takes the date of any of them, and so do we.
            right = local.strftime("%Y%m%d")
            return "UNTIL=" + {"local": local_text(local), "utc": local_text(local) + "Z"}.get(form, right)
        right = local_text(local) if self.kind == "floating" else utc_text(self.instant(local))
        if asked and self.in_utc(asked):
            right = utc_text(self.instant(local))
        if form == "date":
            last = local.replace(hour=23, minute=59, second=59)
            if not asked:
                return "UNTIL=" + local.strftime("%Y%m%d")
            self.read.add("until-day")
            return "UNTIL=" + (utc_text(self.instant(last)) if right.endswith("Z") else local_text(last))
        if form == "local" and self.kind == "zone":
            self.read.add("until-local")
            return "UNTIL=" + (right if asked else local_text(local))
        if form == "utc" and self.kind == "floating":
            self.read.add("until-utc")
            back = self.instant(local).astimezone(self.zone).replace(tzinfo=None)
            if not asked:
                right = utc_text(self.instant(local))
            elif not right.endswith("Z"):
                right = local_text(back)
        return "UNTIL=" + right

    def in_utc(self, asked):
        return asked and self.counts_elapsed() and self.kind in ("zone", "floating")

    def rdate(self, form, local, asked):
        if asked and form == "utc" and self.kind == "zone":
            self.read.add("rdate-day")
            form = "same"
        return self.time("RDATE", local, asked, form)

    def time(self, name, local, asked, form="same"):
        if self.kind == "date":
            return f"{name};VALUE=DATE:{local:%Y%m%d}"
        if self.kind == "utc" or self.in_utc(asked) or (form == "utc" and self.kind == "zone"):
            return f"{name}:{utc_text(self.instant(local))}"
        if self.kind == "zone":
            return f"{name};TZID={self.zone_name}:{local_text(local)}"
        return f"{name}:{local_text(local)}"

    def exdate(self, form, local, asked):
        if form != "other":
            return self.time("EXDATE", local, asked, form)
        if self.in_utc(asked):
            # A local day is no day of the calendar that is asked.
            step = dt.timedelta(**{"hours" if self.freq == "HOURLY" else "minutes": dict(self.parts).get("INTERVAL", 1)})
            first, day = self.instant(self.start), dt.datetime.combine(local, dt.time())
            since = max((self.instant(day) - first) // step - 1, 0)
            times = [first + (since + number) * step for number in range(int(DAY / step) + 60)]
            times += [self.instant(at) for _, at in self.rdates]
            times = [at for at in times if at not in [self.instant(of) for _, of, _ in self.overrides]]
            return "EXDATE:" + ",".join(utc_text(at) for at in times if at.astimezone(self.zone).date() == day.date())
        if self.kind != "date":
            return f"EXDATE;VALUE=DATE:{local:%Y%m%d}"
        if asked:
            self.read.add("exdate-of-day")
            return self.time("EXDATE", local, asked)
        return f"EXDATE:{local_text(local + 10 * HOUR)}Z"

    def end(self, start, asked):
        if self.length is None:
            return []
        name, length = self.length
        if name == "DTEND":
            return [self.time(name, start + length, asked)]
        days, minutes = divmod(length // MINUTE, 1440)
        return [f"DURATION:P{days}D" if not minutes else f"DURATION:P{days}DT{minutes}M" if days else f"DURATION:PT{minutes}M"]

    def calendar(self, asked):
        ending = self.ending_text(asked)
        rule = [] if ending == "COUNT=0" else ["RRULE:" + self.rule_text(ending)]
        lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//oracle//EN", "BEGIN:VEVENT", "UID:one"]
        lines += [self.time("DTSTART", self.start, asked), *self.end(self.start, asked), *rule]
        excluded = [self.exdate(form, at, asked) for form, at in self.exdates]
        lines += [line for line in excluded if not line.endswith(":")]
        lines += [self.rdate(form, at, asked) for form, at in self.rdates]
        lines += ["SUMMARY:regular", "END:VEVENT"]
        for form, at, moved in self.overrides:
            lines += ["BEGIN:VEVENT", "UID:one", self.time("RECURRENCE-ID", at, asked, form)]
            lines += [self.time("DTSTART", moved, asked), *self.end(moved, asked), "SUMMARY:moved", "END:VEVENT"]
        return "\r\n".join([*lines, "END:VCALENDAR", ""])

    # What the oracle says.

    def span(self, start, end, is_override):
        """Its first instant, the first after it, and how both are told."""
        reader = zoneinfo.ZoneInfo(self.reader)
        if self.kind == "date":
            first = [dt.datetime.combine(day, dt.time()).replace(tzinfo=reader).astimezone(UTC) for day in (start, end)]
            return *first, [start.isoformat(), end.isoformat()]
        first, last = ((at if at.tzinfo else at.replace(tzinfo=reader)).astimezone(UTC) for at in (start, end))
        exact = dt.timedelta()
        if self.length:
            # An override has its own; a DURATION is added to the instant.
            since = start.replace(tzinfo=None) if is_override else self.start
            exact = max(self.instant(since + self.length[1]) - self.instant(since), exact)
            if self.length[0] == "DURATION":
                exact = self.length[1]
                if exact >= DAY and last != first + exact:
                    self.skip = NOMINAL
            if is_override:
                exact = exact if self.length[0] == "DURATION" else max(last - first, dt.timedelta())
        if first + exact != last:
            self.read.add("exact-length")
        return first, first + exact, [utc_text(first), utc_text(first + exact)]

    def answer(self):
        ics, asked = self.calendar(None), self.calendar("asked")
        if self.counts_elapsed() and self.kind in ("zone", "floating"):
            self.read.add("elapsed")
        reader = zoneinfo.ZoneInfo(self.reader)
        wide = [(at + days * DAY).astimezone(reader) for at, days in ((self.begins, -3), (self.ends, 3))]
        query = recurring_ical_events.of(icalendar.Calendar.from_ical(asked), keep_recurrence_attributes=True)
        found = []
        for occurrence in itertools.chain(*(series.between(*wide) for series in query.series)):
            first, last, told = self.span(occurrence.start, occurrence.end, bool(occurrence.recurrence_ids))
            if first < self.ends and (last > self.begins or first >= self.begins):
                found.append((tuple(told), occurrence.recurrence_ids))
        told = sorted(set(found))
        if len(told) < len(found):
            self.read.add("once")
        parts = dict(self.parts)
        if self.freq == "MONTHLY" and any(str(day).startswith("-5") for day in parts.get("BYDAY", [])):
            self.skip = FIFTH_LAST
        if self.freq == "MINUTELY" and parts.get("INTERVAL", 1) > 60 and not self.counts_elapsed():
            self.skip = LONG_MINUTES
        if self.ending and self.ending[0] == "UNTIL":
            _, form, last = self.ending
            if (last.replace(hour=23, minute=59) if form == "date" else last) < self.start:
                self.skip = OVER_BEFORE
        if self.kind != "date":
            first = self.instant(self.start)
            shifted = first.astimezone(self.zone).replace(tzinfo=None) != self.start
            if shifted and self.freq in SUB_DAILY and not self.counts_elapsed():
                self.skip = IN_GAP
            if self.length and self.length[0] == "DTEND" and self.instant(self.start + self.length[1]) < first:
                self.skip = ENDS_FIRST
        row = {"ics": ics, "zone": self.reader, "from": utc_text(self.begins), "to": utc_text(self.ends)}
        row |= {"occurrences": [list(pair) for pair, _ in told], "read": sorted(self.read)}
        return row | ({"skip": self.skip} if self.skip else {})


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=10_000)
    arguments.add_argument("--tzdata")
    arguments.add_argument("--readings", action="store_true")
    told = arguments.parse_args()
    if told.tzdata and told.tzdata != tzdata.IANA_VERSION:
        raise SystemExit(f"time zone data is of {tzdata.IANA_VERSION}, and should be of {told.tzdata}")
    counted = collections.Counter()
    for number in range(told.count):
        row = Case(random.Random(f"{told.seed}/{number}")).answer()
        counted.update(row["read"] + [row.get("skip", "asked")])
        if not told.readings:
            print(json.dumps(row))
    if told.readings:
        for name, count in sorted(counted.items()):
            print(f"{count:6} {name}: {READINGS.get(name, '')}")


if __name__ == "__main__":
    main()
