//! Dovecot: a real IMAP server for one test, below a folder of its own.
//!
//! Invariants: it listens on 127.0.0.1 only, needs no user, file or setting of the system beyond its package, starts in
//! well under a second, and ends with its value (`guarded`). What lies in its Maildirs is the test's to write; what a
//! client sees there is told by another one ([`OtherClient`]). Its log is printed when a start fails or a test panics.
//! Not here: sending, see `postfix`.

mod config;
mod maildir;
mod other_client;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::guarded::{Guarded, MailOwner, free_ports, greets, output_of, program_path, start_on_free_ports};
pub use maildir::Delivered;
pub use other_client::{OtherClient, SeenMessage};

/// What its certificate says; the authority is the test's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// For localhost and 127.0.0.1.
    Good,
    /// For mail.elsewhere.example only.
    OtherHost,
    /// Until yesterday.
    Expired,
}

/// How it is to be started.
#[derive(Clone, Debug, Default)]
pub struct DovecotSetup {
    users: Vec<(String, String)>,
    without: Vec<String>,
    introspection_url: Option<String>,
    certificate: Option<Certificate>,
    settings: Vec<String>,
}

impl DovecotSetup {
    /// Somebody who may sign in, with INBOX, Drafts, Sent, Trash, Junk and Archive.
    pub fn user(mut self, name: &str, password: &str) -> Self {
        self.users.push((name.to_owned(), password.to_owned()));
        self
    }

    /// Does not offer these: "MOVE", "UIDPLUS", "CONDSTORE", "QRESYNC", "IDLE", "SPECIAL-USE", "LITERAL+", ….
    pub fn without(mut self, capabilities: &[&str]) -> Self {
        self.without.extend(capabilities.iter().map(|name| name.to_ascii_uppercase()));
        self
    }

    /// Offers OAUTHBEARER and XOAUTH2 too. What is asked is `GET url` with the token as bearer, and answers
    /// `{"active": true, "username": "mara@example.com"}`.
    pub fn oauth(mut self, introspection_url: &str) -> Self {
        self.introspection_url = Some(introspection_url.to_owned());
        self
    }

    /// Opens a port for TLS from the first byte, and offers STARTTLS on the plain one.
    pub fn tls(mut self, certificate: Certificate) -> Self {
        self.certificate = Some(certificate);
        self
    }

    /// One more line of its configuration, in the syntax of the installed version.
    pub fn setting(mut self, line: &str) -> Self {
        self.settings.push(line.to_owned());
        self
    }

    pub fn start(self) -> Dovecot {
        Dovecot::start(self)
    }
}

/// The running server.
#[derive(Debug)]
pub struct Dovecot {
    setup: DovecotSetup,
    folder: PathBuf,
    owner: MailOwner,
    imap: u16,
    imaps: u16,
    /// Nothing while it is stopped.
    guarded: Option<Guarded>,
    delivered: std::sync::atomic::AtomicU32,
}

impl Dovecot {
    pub fn setup() -> DovecotSetup {
        DovecotSetup::default()
    }

    /// One for all tests of this binary that only need a mailbox of their own: give it with [`Self::add_user`].
    pub fn shared() -> Arc<Dovecot> {
        static SHARED: OnceLock<Arc<Dovecot>> = OnceLock::new();
        // Nothing drops it; the guard sees the test process end.
        Arc::clone(SHARED.get_or_init(|| Arc::new(Dovecot::setup().start())))
    }

    fn start(setup: DovecotSetup) -> Self {
        program_path("dovecot");
        let owner = MailOwner::here();
        let folder = tempfile::Builder::new().prefix("dovecot-").tempdir().expect("a folder").keep();
        std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("one's own folder");
        let delivered = std::sync::atomic::AtomicU32::new(0);
        let mut server = Self { setup, folder, owner, imap: 0, imaps: 0, guarded: None, delivered };
        std::fs::create_dir(server.folder.join("mail")).expect("a folder for mail");
        server.owner.give(&server.folder.join("mail"));
        server.write_users();
        for (name, _) in server.setup.users.clone() {
            server.create_mailbox(&name);
        }
        if let Some(certificate) = server.setup.certificate {
            config::write_certificate(&server.folder, certificate);
        }
        start_on_free_ports(|| {
            [server.imap, server.imaps] = free_ports();
            server.run(None)
        });
        if !server.setup.without.is_empty() {
            let offered = server.capabilities();
            let kept = |name: &String| !server.setup.without.contains(&name.to_ascii_uppercase());
            let kept: Vec<_> = offered.into_iter().filter(kept).collect();
            server.stop();
            server.run(Some(&kept)).expect("its ports were its own a moment ago");
        }
        server
    }

    fn run(&mut self, capabilities: Option<&[String]>) -> Result<(), String> {
        config::write(&config::Facts {
            folder: &self.folder,
            greeting: &self.greeting(),
            owner: &self.owner,
            version: &output_of(Command::new(program_path("dovecot")).arg("--version")),
            imap: self.imap,
            imaps: self.setup.certificate.map(|_| self.imaps),
            introspection_url: self.setup.introspection_url.as_deref(),
            capabilities,
            settings: &self.setup.settings,
        });
        self.run_as_written()
    }

    fn run_as_written(&mut self) -> Result<(), String> {
        let log = self.folder.join("dovecot.log");
        let _ = std::fs::remove_file(&log);
        let _ = std::fs::remove_file(self.folder.join("run/master.pid"));
        let (program, file) = (program_path("dovecot"), self.config_file());
        let command = [program.to_str().expect("UTF-8"), "-F", "-c", file.to_str().expect("UTF-8")];
        let guarded = Guarded::start(Command::new("sh"), &self.folder, &log, &command);
        if let Err(why) = guarded.wait_ready(|| greets(self.imap, &self.greeting())) {
            guarded.stop_and_keep();
            return Err(why);
        }
        self.guarded = Some(guarded);
        Ok(())
    }

    /// What no other server says.
    fn greeting(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Kills it; its mail stays. Connections are gone at once.
    pub fn stop(&mut self) {
        if let Some(guarded) = self.guarded.take() {
            guarded.stop_and_keep();
        }
    }

    /// Starts it again on the same ports after [`Self::stop`].
    pub fn start_again(&mut self) {
        self.run_as_written().expect("its ports were its own a moment ago");
    }

    /// Another user, while it runs.
    pub fn add_user(&self, name: &str, password: &str) {
        let mut file = std::fs::OpenOptions::new().append(true).open(self.users_file()).expect("the file of users");
        writeln!(file, "{name}:{{PLAIN}}{password}").expect("a line in it");
        self.create_mailbox(name);
    }

    /// From now on these are everybody who may sign in; mail of others stays.
    pub fn set_users(&mut self, users: &[(&str, &str)]) {
        self.setup.users = users.iter().map(|(name, password)| ((*name).to_owned(), (*password).to_owned())).collect();
        self.write_users();
    }

    fn write_users(&self) {
        let lines: String =
            self.setup.users.iter().map(|(name, password)| format!("{name}:{{PLAIN}}{password}\n")).collect();
        std::fs::write(self.users_file(), lines).expect("the file of users");
    }

    /// The plain port of 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.imap
    }

    /// The port with TLS from the first byte.
    pub fn tls_port(&self) -> u16 {
        assert!(self.setup.certificate.is_some(), "it was started without a certificate");
        self.imaps
    }

    /// The certificate, in PEM, of the authority that its own is from.
    pub fn ca_file(&self) -> PathBuf {
        self.folder.join("ca.pem")
    }

    /// The folder of it all: `dovecot.log`, `mail/<user>/Maildir`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn log(&self) -> String {
        self.guarded.as_ref().map(Guarded::log).unwrap_or_default()
    }

    /// How often somebody signed in since it was started.
    pub fn logins(&self, user: &str) -> usize {
        // The words of 2.3 and of 2.4.
        ["Login:", "Logged in:"].iter().map(|word| self.log().matches(&format!("{word} user=<{user}>")).count()).sum()
    }

    /// What it offers to somebody who has signed in.
    pub fn capabilities(&self) -> Vec<String> {
        let (name, password) = self.password_of(None);
        let stream = TcpStream::connect(("127.0.0.1", self.imap)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time-out");
        let mut lines = BufReader::new(stream.try_clone().expect("the same socket")).lines();
        let mut stream = stream;
        write!(stream, "a LOGIN \"{name}\" \"{password}\"\r\nb CAPABILITY\r\n").expect("it reads");
        let offered = lines.find_map(|line| line.expect("an answer").strip_prefix("* CAPABILITY ").map(str::to_owned));
        offered.expect("an answer").split_whitespace().map(str::to_owned).collect()
    }

    /// Everybody who may sign in.
    pub fn users(&self) -> Vec<String> {
        let users = std::fs::read_to_string(self.users_file()).expect("the file of users");
        users.lines().filter_map(|line| line.split_once(":{PLAIN}")).map(|(name, _)| name.to_owned()).collect()
    }

    fn password_of(&self, user: Option<&str>) -> (String, String) {
        let users = std::fs::read_to_string(self.users_file()).expect("the file of users");
        let mut users = users.lines().filter_map(|line| line.split_once(":{PLAIN}"));
        let found = users.find(|(name, _)| user.is_none_or(|user| user == *name));
        let (name, password) = found.unwrap_or_else(|| panic!("no such user: {user:?}"));
        (name.to_owned(), password.to_owned())
    }

    fn users_file(&self) -> PathBuf {
        self.folder.join("users")
    }

    fn config_file(&self) -> PathBuf {
        self.folder.join("dovecot.conf")
    }
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        // The guard removes the folder; what is stopped or never started has none.
        drop(self.guarded.take());
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
