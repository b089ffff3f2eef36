//! A person whose calendars are on a real server, and the real program that keeps them.

use std::time::{Duration, Instant};

use brain_agent::secret_files;
use serde_json::Value;

use crate::support::dav_server::{DavOtherClient, DavProgram, DavServer};
use crate::support::http_proxy::HttpProxy;
use crate::support::program::{Console, Program, button, did, text_of};

pub const MARA: &str = "mara@example.com";
/// Half an hour at three, by the clocks of Berlin.
pub const DENTIST: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Other//EN\r\nBEGIN:VEVENT\r\nUID:dentist\r\n\
    DTSTAMP:20260101T000000Z\r\nDTSTART:20300115T140000Z\r\nDTEND:20300115T143000Z\r\nSUMMARY:Dentist\r\n\
    END:VEVENT\r\nEND:VCALENDAR\r\n";

const PATIENCE: Duration = Duration::from_secs(120);

/// Both programs, one after the other: what holds of one server only holds of none.
pub const SERVERS: [DavProgram; 2] = [DavProgram::Radicale, DavProgram::Xandikos];

/// The server, another client of it, and the program.
pub struct World {
    pub server: DavServer,
    pub other: DavOtherClient,
    pub program: Program,
}

impl World {
    pub fn new(program: DavProgram) -> Self {
        let server = DavServer::start(program, &[(MARA, "secret")]);
        let other = server.other_client(MARA);
        let program = program_at(server.port());
        Self { server, other, program }
    }

    /// The same, with these lines about it in the file of accounts.
    pub fn choosing(program: DavProgram, lines: &str) -> Self {
        let server = DavServer::start(program, &[(MARA, "secret")]);
        let port = server.port();
        Self::at(server, port, lines)
    }

    /// The same, with this in front of the server.
    pub fn behind_a_proxy(program: DavProgram, lines: &str) -> (Self, HttpProxy) {
        let server = DavServer::start(program, &[(MARA, "secret")]);
        let proxy = HttpProxy::start(server.port());
        (Self::at(server, proxy.port(), lines), proxy)
    }

    fn at(server: DavServer, port: u16, lines: &str) -> Self {
        let other = server.other_client(MARA);
        let program = Program::new();
        let of = |name: &str| program.data_dir().join(name);
        let url = format!("http://127.0.0.1:{port}/");
        let account = format!(
            "[[account]]\nname = \"home\"\naddresses = [\"{MARA}\"]\npassword_file = \"home.password\"\n\
             caldav = \"{url}\"\ncarddav = \"{url}\"\n{lines}\n"
        );
        secret_files::write(&of("accounts.toml"), &account).expect("the file of accounts");
        secret_files::write(&of("home.password"), "secret\n").expect("the password");
        Self { server, other, program }
    }

    /// The console, in Berlin. What is said there is about a January that is far off, with its year.
    pub fn console(&self) -> Console {
        self.program.console(&["--tz", "Europe/Berlin"])
    }

    /// The same, once what this question is about is known.
    pub fn knows(&self, question: &str, answer: &str) -> Console {
        let mut console = self.console();
        until(&mut console, question, answer);
        console
    }

    /// The text of the one resource that has this line in it.
    pub fn text(&self, collection: &str, line: &str) -> String {
        let mut found: Vec<String> =
            self.texts(collection).into_iter().filter(|text| text.lines().any(|one| one == line)).collect();
        assert_eq!(found.len(), 1, "{line}: {:?}\n{}", self.texts(collection), self.server.log());
        found.remove(0)
    }

    pub fn texts(&self, collection: &str) -> Vec<String> {
        self.other.resources(collection).into_iter().map(|resource| resource.text).collect()
    }

    /// Starts of what takes place in January and February, by another client's rules.
    pub fn starts(&self, collection: &str) -> Vec<String> {
        let seen = self.other.occurrences(collection, "2030-01-01", "2030-03-01");
        seen.into_iter().map(|one| format!("{} {}", one.start, one.summary)).collect()
    }
}

/// The short form, with this port in front of the server.
pub fn program_at(port: u16) -> Program {
    let user = MARA.replace('@', "%40");
    let url = format!("http://{user}:secret@127.0.0.1:{port}/");
    Program::new().env("CALDAV_URL", &url).env("CARDDAV_URL", &url)
}

/// Asks until the answer says it.
pub fn until(console: &mut Console, question: &str, answer: &str) -> String {
    let began = Instant::now();
    loop {
        let said = text_of(&console.say(question));
        if said.contains(answer) {
            return said;
        }
        assert!(began.elapsed() < PATIENCE, "{question}: {said}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Says it and gives the yes that its card asks for.
pub fn agreed(console: &mut Console, text: &str) -> Vec<Value> {
    let card = console.say(text);
    let told = console.press(&button(&card, "approve"));
    assert!(did(&told).iter().all(|one| one.ends_with("succeeded")), "{}\n{}", text_of(&card), text_of(&told));
    told
}
