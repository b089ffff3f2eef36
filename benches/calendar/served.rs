//! A calendar at a real server, always the same one of its size: a year of appointments by the clocks of Berlin, and
//! series among them.

use std::path::Path;

use chrono::{Days, NaiveDate};

use crate::bare::read_all;
use crate::support::dav_server::DavServer;
use crate::support::program::Program;

pub const USER: &str = "mara@example.com";
pub const PASSWORD: &str = "secret";
/// At most so many of its events are series.
pub const SERIES: usize = 500;
/// A day with appointments.
pub const DAY: &str = "March 4 2030";

const CLOCKS: &str = "BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nBEGIN:STANDARD\r\nDTSTART:19701025T030000\r\n\
    RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\n\
    BEGIN:DAYLIGHT\r\nDTSTART:19700329T020000\r\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\r\nTZOFFSETFROM:+0100\r\n\
    TZOFFSETTO:+0200\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\n";

/// The server with the calendar in it.
pub struct Served {
    pub server: DavServer,
    pub count: usize,
}

impl Served {
    /// So many events; read once by a client, which makes the server's own cache of them.
    pub fn filled(count: usize) -> Self {
        let server = DavServer::radicale(&[(USER, PASSWORD)]);
        let folder = server.folder().join("data/collection-root").join(USER).join("work");
        for n in 0..count {
            std::fs::write(folder.join(format!("event{n}.ics")), event(n)).expect("a resource");
        }
        let served = Self { server, count };
        assert_eq!(read_all(&served, None).0, count);
        served
    }

    /// The program with this account, which is `person`'s; the terminal's person's without one.
    pub fn program(&self, data: &Path, person: Option<&str>) -> Program {
        let url = self.server.url();
        let whose = person.map(|person| format!("person = \"{person}\"\n")).unwrap_or_default();
        let account = format!(
            "[[account]]\nname = \"home\"\naddresses = [\"{USER}\"]\ncaldav = \"{url}\"\npassword_file = \"password\"\n{whose}"
        );
        for (name, text) in [("accounts.toml", account.as_str()), ("password", PASSWORD)] {
            brain_agent::secret_files::write(&data.join(name), text).expect("a file");
        }
        Program::with_data_dir(data)
    }
}

fn event(n: usize) -> String {
    let day = NaiveDate::from_ymd_opt(2030, 1, 1).and_then(|first| first.checked_add_days(Days::new(n as u64 % 365)));
    let day = day.expect("a day of that year").format("%Y%m%d");
    let hour = 8 + n % 10;
    let rule = if n.is_multiple_of(40) && n / 40 < SERIES { "RRULE:FREQ=WEEKLY;COUNT=40\r\n" } else { "" };
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Other//EN\r\n{CLOCKS}BEGIN:VEVENT\r\nUID:event{n}\r\n\
         DTSTAMP:20260101T000000Z\r\nDTSTART;TZID=Europe/Berlin:{day}T{hour:02}0000\r\n\
         DTEND;TZID=Europe/Berlin:{day}T{hour:02}3000\r\n{rule}SUMMARY:Appointment {n}\r\nLOCATION:Room {room}\r\n\
         DESCRIPTION:What is to be talked about in appointment {n}\\, and by whom.\r\nCATEGORIES:WORK\r\n\
         BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT15M\r\nDESCRIPTION:Go\r\nEND:VALARM\r\nEND:VEVENT\r\n\
         END:VCALENDAR\r\n",
        room = n % 17
    )
}
