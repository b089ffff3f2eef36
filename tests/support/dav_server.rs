//! Radicale or Xandikos: a real CalDAV and CardDAV server for one test, below a folder of its own.
//!
//! Invariants: it listens on 127.0.0.1 only, takes name and password (HTTP Basic) and nothing without them, starts within
//! a second or two, and ends with its value (`guarded`). Everybody has the calendars "Personal" and "Work" (events and
//! tasks), the list "Tasks" (tasks only) and the address book "Contacts", made by the server itself. What is in them is
//! told by another client ([`DavOtherClient`]). Its log is printed when a start fails or a test panics.
//! Not here: TLS, OAuth, quotas.

mod http;
mod other_client;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::guarded::{Guarded, free_ports, output_of, program_path, start_on_free_ports};
pub use http::HttpAnswer;
pub use other_client::{DavOtherClient, SeenCollection, SeenOccurrence, SeenResource, ServerRefusal};

/// What it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DavProgram {
    /// Writes calendars and cards anew in an order of its own; folds at another place.
    Radicale,
    /// Writes calendars anew, in another order than Radicale; keeps every byte of a card.
    Xandikos,
}

impl DavProgram {
    pub const ALL: [Self; 2] = [Self::Radicale, Self::Xandikos];
}

/// The running server.
#[derive(Debug)]
pub struct DavServer {
    program: DavProgram,
    folder: PathBuf,
    users: Vec<(String, String)>,
    port: u16,
    /// Nothing while it is stopped.
    guarded: Option<Guarded>,
}

impl DavServer {
    /// Radicale, for these names and passwords.
    pub fn radicale(users: &[(&str, &str)]) -> Self {
        Self::start(DavProgram::Radicale, users)
    }

    /// Xandikos, for these names and passwords.
    pub fn xandikos(users: &[(&str, &str)]) -> Self {
        Self::start(DavProgram::Xandikos, users)
    }

    pub fn start(program: DavProgram, users: &[(&str, &str)]) -> Self {
        let folder = tempfile::Builder::new().prefix("dav-").tempdir().expect("a folder").keep();
        let mut server = Self { program, folder, users: Vec::new(), port: 0, guarded: None };
        server.set_users(users);
        start_on_free_ports(|| {
            [server.port] = free_ports();
            server.run()
        });
        for (user, _) in users {
            server.make_collections(user);
        }
        server
    }

    fn run(&mut self) -> Result<(), String> {
        let log = self.folder.join("server.log");
        let _ = std::fs::remove_file(&log);
        let (python, folder, port) = (python(), self.folder.to_str().expect("UTF-8"), self.port.to_string());
        let config = self.folder.join("radicale.conf");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/xandikos_serve.py");
        let command = match self.program {
            DavProgram::Radicale => {
                std::fs::write(&config, self.radicale_config()).expect("a configuration");
                vec![python, "-I", "-m", "radicale", "--config", config.to_str().expect("UTF-8")]
            }
            DavProgram::Xandikos => vec![python, "-I", script.to_str().expect("UTF-8"), folder, &port],
        };
        let mut shell = Command::new("sh");
        // Nothing of whoever runs the tests: a .gitconfig, a configuration of their own.
        shell.env("HOME", &self.folder).env_remove("XDG_CONFIG_HOME").env_remove("RADICALE_CONFIG");
        let guarded = Guarded::start(shell, &self.folder, &log, &command);
        // Said after it has bound the port, so no other server answers there.
        let ready = ["Radicale server ready", "Xandikos is listening"];
        if let Err(why) = guarded.wait_ready(|| ready.iter().any(|words| guarded.log().contains(words))) {
            guarded.stop_and_keep();
            return Err(why);
        }
        self.guarded = Some(guarded);
        Ok(())
    }

    fn radicale_config(&self) -> String {
        let folder = self.folder.display();
        // A refused password is answered at once.
        format!(
            "[server]\nhosts = 127.0.0.1:{}\nmax_connections = 50\n\
             [auth]\ntype = htpasswd\nhtpasswd_filename = {folder}/users\nhtpasswd_encryption = plain\ndelay = 0\n\
             [rights]\ntype = owner_only\n[web]\ntype = none\n\
             [storage]\nfilesystem_folder = {folder}/data\n",
            self.port
        )
    }

    /// Somebody else may sign in from now on, and has the same collections.
    pub fn add_user(&mut self, user: &str, password: &str) {
        let mut users = self.users.clone();
        users.push((user.to_owned(), password.to_owned()));
        self.set_users(&users.iter().map(|(user, password)| (user.as_str(), password.as_str())).collect::<Vec<_>>());
        self.make_collections(user);
    }

    /// By the server's own means: MKCALENDAR (RFC 4791, 5.3.1) and extended MKCOL (RFC 5689, RFC 6352 6.3.1).
    fn make_collections(&self, user: &str) {
        let all: &[_] = &["VEVENT", "VTODO"];
        let made = [("Personal", all), ("Work", all), ("Tasks", &["VTODO"]), ("Contacts", &[])];
        for (name, components) in made {
            let (method, body) = http::make_collection(name, components);
            let kind = [("Content-Type", "application/xml; charset=utf-8")];
            let answer = self.request(user, method, &self.href(user, name), &kind, &body);
            assert_eq!(answer.status, 201, "{name}: {answer:?}\n{}", self.log());
        }
    }

    /// The path of "Personal", "Work", "Tasks" or "Contacts", as the server writes it.
    pub fn href(&self, user: &str, collection: &str) -> String {
        // Each spells "@" in its own way.
        let plain = if self.program == DavProgram::Xandikos { "@" } else { "" };
        let user = http::path_segment(user, plain);
        let home = match (self.program, collection) {
            (DavProgram::Radicale, _) => user,
            (DavProgram::Xandikos, "Contacts") => user + "/contacts",
            (DavProgram::Xandikos, _) => user + "/calendars",
        };
        format!("/{home}/{}/", collection.to_ascii_lowercase())
    }

    /// One request with the user's password, by a connection of its own.
    pub fn request(
        &self,
        user: &str,
        method: &str,
        href: &str,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> HttpAnswer {
        self.request_as(Some((user, self.password(user))), method, href, headers, body)
    }

    /// The same with any password, or none.
    pub fn request_as(
        &self,
        signed_in: Option<(&str, &str)>,
        method: &str,
        href: &str,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> HttpAnswer {
        http::request(self.port, signed_in, method, href, headers, body.as_ref())
    }

    /// Another client, signed in as one user with the password.
    pub fn other_client(&self, user: &str) -> DavOtherClient {
        DavOtherClient::on(&self.url(), user, self.password(user))
    }

    /// What a person would enter: the server's root, by which all is found.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// The port of 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn program(&self) -> DavProgram {
        self.program
    }

    /// The folder of it all: `server.log`, `users`, `data/`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it printed since it was started; requests among it.
    pub fn log(&self) -> String {
        self.guarded.as_ref().map(Guarded::log).unwrap_or_default()
    }

    /// Kills it; what it keeps stays. Connections are gone at once.
    pub fn stop(&mut self) {
        if let Some(guarded) = self.guarded.take() {
            guarded.stop_and_keep();
        }
    }

    /// Starts it again on the same port after [`Self::stop`].
    pub fn start_again(&mut self) {
        self.run().expect("its port was its own a moment ago");
    }

    /// Kills it and starts it again on the same port.
    pub fn restart(&mut self) {
        self.stop();
        self.start_again();
    }

    /// From now on these are everybody who may sign in, also while it runs; what others have stays. Nothing is made for
    /// new ones.
    pub fn set_users(&mut self, users: &[(&str, &str)]) {
        self.users = users.iter().map(|(name, password)| ((*name).to_owned(), (*password).to_owned())).collect();
        let lines: String = users.iter().map(|(name, password)| format!("{name}:{password}\n")).collect();
        // At once: it is read whenever somebody signs in.
        let (file, new) = (self.folder.join("users"), self.folder.join("users.new"));
        std::fs::write(&new, lines).and_then(|()| std::fs::rename(&new, file)).expect("the file of users");
    }

    /// Radicale only: every sync token it gave out so far is unknown to it, as after a long time.
    pub fn forget_sync_tokens(&self, user: &str, collection: &str) {
        assert_eq!(self.program, DavProgram::Radicale, "Xandikos' tokens are ids of its git history");
        let root = self.folder.join("data/collection-root").join(user).join(collection.to_ascii_lowercase());
        std::fs::remove_dir_all(root.join(".Radicale.cache/sync-token")).expect("it gave out some");
    }

    fn password(&self, user: &str) -> &str {
        let found = self.users.iter().find(|(name, _)| name == user);
        &found.unwrap_or_else(|| panic!("no such user: {user}")).1
    }
}

impl Drop for DavServer {
    fn drop(&mut self) {
        // The guard removes the folder; what is stopped or never started has none.
        drop(self.guarded.take());
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The Python that has the servers and the other client; panics with what to do when it is not there.
pub fn python() -> &'static str {
    static PYTHON: OnceLock<String> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/install.sh");
        let path = output_of(Command::new(program_path("bash")).arg(script).arg("--python")).trim().to_owned();
        let installed = Path::new(&path).parent().and_then(Path::parent).map(|venv| venv.join("installed"));
        assert!(installed.is_some_and(|stamp| stamp.is_file()), "{path} is not there: tests/run.sh installs it");
        path
    })
}
