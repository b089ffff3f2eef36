//! Postfix: a real SMTP server for submission, which delivers into the Maildirs of a [`Dovecot`].
//!
//! Invariants: it listens on 127.0.0.1 only, nothing leaves the machine (a domain that is not the test's bounces), nobody
//! submits without signing in, and everything lies below a folder of its own, so that any number run at once. It ends with
//! its value (`guarded`). Passwords are Dovecot's, which it asks; users are those Dovecot has when it starts. Postfix
//! drops privileges by itself and therefore needs root, or a `sudo` without a password.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::dovecot::Dovecot;
use super::guarded::{Guarded, MailOwner, free_ports, greets, output_of, program_path, start_on_free_ports};

/// How it is to be started.
#[derive(Clone, Debug, Default)]
pub struct PostfixSetup {
    aliases: Vec<(String, String)>,
    files_sent: bool,
    settings: Vec<String>,
}

impl PostfixSetup {
    /// Another address of a user's, to send from and to receive at.
    pub fn alias(mut self, address: &str, user: &str) -> Self {
        self.aliases.push((address.to_owned(), user.to_owned()));
        self
    }

    /// Puts a copy of what a user sends into the user's Sent by itself, as Gmail does.
    pub fn files_sent(mut self) -> Self {
        self.files_sent = true;
        self
    }

    /// One more line of `main.cf`, such as `message_size_limit = 20000`; the last one counts.
    pub fn setting(mut self, line: &str) -> Self {
        self.settings.push(line.to_owned());
        self
    }

    /// With TLS where Dovecot has a certificate.
    pub fn start(self, dovecot: &Dovecot) -> Postfix {
        Postfix::start(self, dovecot)
    }
}

/// The running server.
#[derive(Debug)]
pub struct Postfix {
    folder: PathBuf,
    owner: MailOwner,
    port: u16,
    tls_port: u16,
    tls: bool,
    guarded: Option<Guarded>,
}

impl Postfix {
    pub fn setup() -> PostfixSetup {
        PostfixSetup::default()
    }

    fn start(setup: PostfixSetup, dovecot: &Dovecot) -> Self {
        let owner = MailOwner::here();
        program_path("postqueue");
        let allowed = owner.as_root(Path::new("true")).output().is_ok_and(|output| output.status.success());
        assert!(allowed, "Postfix runs only as root: run the tests as root, or with sudo that asks for no password");
        let folder = tempfile::Builder::new().prefix("postfix-").tempdir().expect("a folder").keep();
        std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("one's own folder");
        let tls = dovecot.ca_file().exists();
        let mut server = Self { folder, owner, port: 0, tls_port: 0, tls, guarded: None };
        server.write_folders();
        server.write_tables(&setup, dovecot);
        start_on_free_ports(|| {
            [server.port, server.tls_port] = free_ports();
            server.write_config(&setup, dovecot);
            // It ends without a word where a port is taken: what logs is not up yet.
            server.run().map_err(|why| format!("perhaps a port is in use: {why}"))
        });
        server
    }

    fn run(&mut self) -> Result<(), String> {
        let log = self.folder.join("postfix.log");
        let (program, conf) = (program_path("master"), self.conf());
        let command = [program.to_str().expect("UTF-8"), "-c", conf.to_str().expect("UTF-8"), "-d"];
        let guarded = Guarded::start(self.owner.as_root(Path::new("sh")), &self.folder, &log, &command);
        if let Err(why) = guarded.wait_ready(|| greets(self.port, &self.greeting())) {
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

    /// Kills it; what is queued stays.
    pub fn stop(&mut self) {
        if let Some(guarded) = self.guarded.take() {
            guarded.stop_and_keep();
        }
    }

    /// Starts it again on the same ports after [`Self::stop`].
    pub fn start_again(&mut self) {
        let _ = std::fs::remove_file(self.folder.join("postfix.log"));
        self.run().expect("its ports were its own a moment ago");
    }

    /// The plain port of 127.0.0.1; STARTTLS is offered where there is a certificate.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The port with TLS from the first byte.
    pub fn tls_port(&self) -> u16 {
        assert!(self.tls, "its Dovecot was started without a certificate");
        self.tls_port
    }

    pub fn log(&self) -> String {
        self.guarded.as_ref().map(Guarded::log).unwrap_or_default()
    }

    /// What waits to be delivered, as `postqueue -j` prints it.
    pub fn queue(&self) -> Vec<Value> {
        let printed = output_of(self.owner.as_root(&program_path("postqueue")).arg("-c").arg(self.conf()).arg("-j"));
        printed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    pub fn queue_is_empty(&self) -> bool {
        self.queue().is_empty()
    }

    /// Waits until everything that was taken is delivered or has bounced; panics with what is left.
    pub fn wait_empty(&self, limit: Duration) {
        let (started, mut empty) = (Instant::now(), 0);
        // A mail that goes from one folder of the queue to the next while they are listed is seen in neither.
        while empty < 3 {
            empty = if self.queue_is_empty() { empty + 1 } else { 0 };
            assert!(started.elapsed() < limit, "still queued: {:?}\n{}", self.queue(), self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// How many mails it took from clients since it was started, whatever they heard of it.
    pub fn taken(&self) -> usize {
        self.log().lines().filter(|line| line.contains("/smtpd[") && line.contains("sasl_username=")).count()
    }

    fn conf(&self) -> PathBuf {
        self.folder.join("conf")
    }

    /// The queue as `postfix check` would make it.
    fn write_folders(&self) {
        let own = ["active", "bounce", "corrupt", "defer", "deferred", "flush", "hold", "incoming", "private", "saved"];
        let own: Vec<_> = own.iter().chain(&["trace"]).map(|name| format!("queue/{name}")).collect();
        let make = |path: &str, mode: u32| {
            let path = self.folder.join(path);
            std::fs::create_dir(&path).expect("a new folder");
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).expect("its mode");
        };
        for (path, mode) in [("conf", 0o755), ("data", 0o700), ("queue", 0o755), ("queue/pid", 0o755)] {
            make(path, mode);
        }
        own.iter().for_each(|path| make(path, 0o700));
        make("queue/public", 0o710);
        make("queue/maildrop", 0o730);
        let give = |owner: &str, paths: &mut dyn Iterator<Item = &str>| {
            let paths = paths.map(|path| self.folder.join(path));
            output_of(self.owner.as_root(Path::new("chown")).arg(owner).args(paths));
        };
        give("postfix", &mut own.iter().map(String::as_str).chain(["data"]));
        give("postfix:postdrop", &mut ["queue/public", "queue/maildrop"].into_iter());
        give("root", &mut ["queue/pid", "queue"].into_iter());
    }

    /// Whose box is where, who may send as whom.
    fn write_tables(&self, setup: &PostfixSetup, dovecot: &Dovecot) {
        let table = |name: &str, lines: Vec<String>| {
            std::fs::write(self.folder.join(name), lines.join("\n") + "\n").expect("a table");
        };
        let users = dovecot.users();
        let own = users.iter().map(|user| (user.clone(), user.clone()));
        let senders: Vec<_> = own.chain(setup.aliases.iter().cloned()).collect();
        let domain = |address: &str| address.split_once('@').map(|(_, domain)| domain.to_owned());
        let domains: BTreeSet<_> = senders.iter().filter_map(|(address, _)| domain(address)).collect();
        table("domains", domains.into_iter().map(|domain| format!("{domain} here")).collect());
        table("aliases", setup.aliases.iter().map(|(address, user)| format!("{address} {user}")).collect());
        table("senders", senders.iter().map(|(address, user)| format!("{address} {user}")).collect());
        let mut boxes: Vec<_> = users.iter().map(|user| format!("{user} {user}/Maildir/")).collect();
        let mut copies = Vec::new();
        if setup.files_sent {
            boxes.extend(users.iter().map(|user| format!("sent+{user} {user}/Maildir/.Sent/")));
            copies.extend(senders.iter().map(|(address, user)| format!("{address} sent+{user}")));
        }
        table("boxes", boxes);
        table("copies", copies);
    }

    fn write_config(&self, setup: &PostfixSetup, dovecot: &Dovecot) {
        let write = |name: &str, text: &str| std::fs::write(self.conf().join(name), text).expect("a configuration");
        write("main.cf", &self.main_cf(setup, dovecot.folder()));
        write("master.cf", &self.master_cf());
    }

    fn main_cf(&self, setup: &PostfixSetup, dovecot: &Path) -> String {
        let (folder, dovecot) = (self.folder.display(), dovecot.display());
        let daemons = program_path("master");
        let greeting = self.greeting();
        let daemons = daemons.parent().expect("a folder").display();
        let MailOwner { uid, gid, .. } = self.owner;
        let mut text = format!(
            "compatibility_level = 3.6\nqueue_directory = {folder}/queue\ndata_directory = {folder}/data\n\
             daemon_directory = {daemons}\nmail_owner = postfix\nsetgid_group = postdrop\n\
             maillog_file = {folder}/postfix.log\nmaillog_file_prefixes = /\n\
             inet_interfaces = 127.0.0.1\ninet_protocols = ipv4\nmyhostname = mail.example\nmydomain = example\n\
             mydestination =\nmynetworks =\nsmtpd_banner = mail.example ESMTP {greeting}\nalias_maps =\nalias_database =\nlocal_recipient_maps =\n\
             smtputf8_enable = yes\nrecipient_delimiter =\n\
             virtual_mailbox_domains = texthash:{folder}/domains\nvirtual_mailbox_base = {dovecot}/mail\n\
             virtual_mailbox_maps = texthash:{folder}/boxes\nvirtual_alias_maps = texthash:{folder}/aliases\n\
             virtual_uid_maps = static:{uid}\nvirtual_gid_maps = static:{gid}\n\
             sender_bcc_maps = texthash:{folder}/copies\n\
             default_transport = nowhere\nrelay_transport = nowhere\n\
             smtpd_sasl_auth_enable = yes\nsmtpd_sasl_type = dovecot\nsmtpd_sasl_path = {dovecot}/sasl\n\
             smtpd_sender_login_maps = texthash:{folder}/senders\n\
             smtpd_sender_restrictions = reject_sender_login_mismatch\n\
             smtpd_relay_restrictions = permit_sasl_authenticated, reject\nsmtpd_recipient_restrictions =\n\
             smtpd_error_sleep_time = 0\nsmtpd_client_connection_count_limit = 0\n"
        );
        if self.tls {
            text += &format!(
                "smtpd_tls_security_level = may\nsmtpd_tls_cert_file = {dovecot}/cert.pem\n\
                 smtpd_tls_key_file = {dovecot}/key.pem\n"
            );
        }
        text + &setup.settings.join("\n") + "\n"
    }

    fn master_cf(&self) -> String {
        let (port, tls_port) = (self.port, self.tls_port);
        let mut text = format!("127.0.0.1:{port} inet n - n - - smtpd\n");
        if self.tls {
            text += &format!("127.0.0.1:{tls_port} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes\n");
        }
        // Name, type, private, wake-up, processes, program.
        for line in [
            "postlog unix-dgram n - 1 postlogd",
            "pickup unix n 60 1 pickup",
            "cleanup unix n - 0 cleanup",
            "qmgr unix n 300 1 qmgr",
            "tlsmgr unix - 1000? 1 tlsmgr",
            "rewrite unix - - - trivial-rewrite",
            "bounce unix - - 0 bounce",
            "defer unix - - 0 bounce",
            "trace unix - - 0 bounce",
            "verify unix - - 1 verify",
            "flush unix n 1000? 0 flush",
            "proxymap unix - - - proxymap",
            "proxywrite unix - - 1 proxymap",
            "showq unix n - - showq",
            "error unix - - - error",
            "retry unix - - - error",
            "discard unix - - - discard",
            "virtual unix - - - virtual",
            "anvil unix - - 1 anvil",
        ] {
            let [name, kind, private, wake_up, processes, program] = line.split(' ').collect::<Vec<_>>()[..] else {
                unreachable!("six columns")
            };
            // Delivery needs its privileges until it has become the owner of the box.
            let unprivileged = if program == "virtual" { "n" } else { "-" };
            text += &format!("{name} {kind} {private} {unprivileged} n {wake_up} {processes} {program}\n");
        }
        let bounced = "/bin/sh -c {echo nothing leaves this machine; exit 69}";
        text + &format!("nowhere unix - n n - - pipe user=nobody argv={bounced}\n")
    }
}

impl Drop for Postfix {
    fn drop(&mut self) {
        // The guard removes the folder; what is stopped or never started has none.
        drop(self.guarded.take());
        if self.folder.exists() {
            let _ = self.owner.as_root(Path::new("rm")).arg("-rf").arg(&self.folder).output();
        }
    }
}
