//! Dovecot's configuration, in the syntax of the installed version (2.3 or 2.4), and its certificate.

use std::path::Path;
use std::process::Command;

use super::super::guarded::{MailOwner, output_of, program_path};
use super::Certificate;

/// What one configuration is made of.
pub(super) struct Facts<'a> {
    pub folder: &'a Path,
    pub greeting: &'a str,
    pub owner: &'a MailOwner,
    /// As `dovecot --version` prints it.
    pub version: &'a str,
    pub imap: u16,
    /// Nothing without a certificate.
    pub imaps: Option<u16>,
    pub introspection_url: Option<&'a str>,
    /// Said in place of what it can.
    pub capabilities: Option<&'a [String]>,
    pub settings: &'a [String],
}

/// Writes `dovecot.conf`.
pub(super) fn write(facts: &Facts<'_>) {
    let special = if facts.version.starts_with("2.3") { of_2_3(facts) } else { of_2_4(facts) };
    let text = [special, common(facts), facts.settings.join("\n"), String::new()].join("\n");
    std::fs::write(facts.folder.join("dovecot.conf"), text).expect("a configuration");
}

fn of_2_3(facts: &Facts<'_>) -> String {
    let folder = facts.folder.display();
    let MailOwner { uid, gid, .. } = facts.owner;
    let mut text = format!(
        "disable_plaintext_auth = no\nmail_location = maildir:~/Maildir\n\
         service imap-login {{\n  service_count = 0\n}}\n\
         passdb {{\n  driver = passwd-file\n  args = scheme=PLAIN {folder}/users\n}}\n\
         userdb {{\n  driver = static\n  args = uid={uid} gid={gid} home={folder}/mail/%u\n}}\n"
    );
    if facts.imaps.is_some() {
        text += &format!("ssl = yes\nssl_cert = <{folder}/cert.pem\nssl_key = <{folder}/key.pem\n");
    }
    if let Some(names) = facts.capabilities {
        text += &format!("imap_capability = {}\n", names.join(" "));
    }
    if let Some(url) = facts.introspection_url {
        let oauth = format!(
            "introspection_mode = auth\nintrospection_url = {url}\nusername_attribute = username\n\
             active_attribute = active\nactive_value = true\n"
        );
        std::fs::write(facts.folder.join("oauth2.conf"), oauth).expect("a configuration");
        let args = format!("  args = {folder}/oauth2.conf\n");
        text += &format!("passdb {{\n  driver = oauth2\n  mechanisms = xoauth2 oauthbearer\n{args}}}\n");
    }
    text
}

fn of_2_4(facts: &Facts<'_>) -> String {
    let folder = facts.folder.display();
    let MailOwner { uid, gid, .. } = facts.owner;
    let mut text = format!(
        "dovecot_config_version = 2.4.0\ndovecot_storage_version = 2.4.0\n\
         auth_allow_cleartext = yes\nmail_driver = maildir\nmail_path = ~/Maildir\n\
         service imap-login {{\n  restart_request_count = unlimited\n}}\n\
         passdb passwd-file {{\n  passwd_file_path = {folder}/users\n  default_password_scheme = plain\n}}\n\
         userdb static {{\n  fields {{\n    uid = {uid}\n    gid = {gid}\n    home = {folder}/mail/%{{user}}\n  }}\n}}\n"
    );
    if facts.imaps.is_some() {
        text +=
            &format!("ssl = yes\nssl_server_cert_file = {folder}/cert.pem\nssl_server_key_file = {folder}/key.pem\n");
    }
    if let Some(names) = facts.capabilities {
        text += &format!("imap_capability = {}\n", names.join(" "));
    }
    if let Some(url) = facts.introspection_url {
        text += &format!(
            "oauth2 {{\n  introspection_mode = auth\n  introspection_url = {url}\n  username_attribute = username\n  \
             active_attribute = active\n  active_value = true\n}}\n"
        );
    }
    text
}

/// What both versions read alike.
fn common(facts: &Facts<'_>) -> String {
    let (folder, owner) = (facts.folder.display(), facts.owner);
    // Started by root it needs its package's two users; else everything is whoever runs the tests.
    let (internal, group, login) =
        if owner.root { ("dovecot", "dovecot", "dovenull") } else { (&*owner.user, &*owner.group, &*owner.user) };
    let mechanisms = if facts.introspection_url.is_some() { " xoauth2 oauthbearer" } else { "" };
    let tls = if facts.imaps.is_some() { "" } else { "ssl = no\n" };
    // A port of 0 is none. No penalty: a refused login must not slow down the next one.
    let greeting = facts.greeting;
    let (imap, imaps) = (facts.imap, facts.imaps.unwrap_or(0));
    let mut text = format!(
        "protocols = imap\nlogin_greeting = Ready, {greeting}\nbase_dir = {folder}/run\nstate_dir = {folder}/run\nlog_path = {folder}/dovecot.log\n\
         listen = 127.0.0.1\n{tls}auth_mechanisms = plain login{mechanisms}\n\
         default_internal_user = {internal}\ndefault_internal_group = {group}\ndefault_login_user = {login}\n\
         first_valid_uid = 1\nfirst_valid_gid = 1\nauth_failure_delay = 0\nmail_fsync = never\n\
         mail_max_userip_connections = 200\nmailbox_idle_check_interval = 1 s\n\
         service imap-login {{\n  inet_listener imap {{\n    port = {imap}\n  }}\n  \
         inet_listener imaps {{\n    port = {imaps}\n  }}\n}}\n\
         service anvil {{\n  unix_listener anvil-auth-penalty {{\n    mode = 0\n  }}\n}}\n\
         service auth {{\n  unix_listener {folder}/sasl {{\n    mode = 0666\n  }}\n}}\n"
    );
    if !owner.root {
        for service in ["imap-login", "anvil", "stats"] {
            text += &format!("service {service} {{\n  chroot =\n}}\n");
        }
    }
    text += "namespace inbox {\n  inbox = yes\n  separator = /\n";
    for name in ["Drafts", "Sent", "Trash", "Junk", "Archive"] {
        text += &format!("  mailbox {name} {{\n    special_use = \\{name}\n    auto = subscribe\n  }}\n");
    }
    text + "}\n"
}

/// Writes an authority of the test's own (`ca.pem`) and the server's certificate from it (`cert.pem`, `key.pem`).
pub(super) fn write_certificate(folder: &Path, certificate: Certificate) {
    let names = match certificate {
        Certificate::OtherHost => "DNS:mail.elsewhere.example",
        Certificate::Good | Certificate::Expired => "DNS:localhost,IP:127.0.0.1",
    };
    std::fs::write(folder.join("names"), format!("subjectAltName={names}\nbasicConstraints=CA:FALSE\n"))
        .expect("names");
    let openssl = |line: &str| {
        let mut command = Command::new(program_path("openssl"));
        output_of(command.args(line.split(' ')).current_dir(folder));
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(&format!("req -x509 {key} -keyout ca-key.pem -out ca.pem -subj /CN=Authority-of-the-test -days 3650"));
    openssl(&format!("req {key} -keyout key.pem -out request.pem -subj /CN=mail.example"));
    let from = "x509 -req -in request.pem -CA ca.pem -CAkey ca-key.pem -CAcreateserial -extfile names -out cert.pem";
    if certificate == Certificate::Expired {
        // Each version of openssl knows one of the two ways to a time that is over.
        let new = Command::new(program_path("openssl")).args(["x509", "-help"]).output().expect("openssl");
        let new = [new.stdout, new.stderr].concat();
        let dates = match String::from_utf8_lossy(&new).contains("-not_after") {
            true => "-not_before 20200101000000Z -not_after 20200102000000Z",
            false => "-days -1",
        };
        openssl(&format!("{from} {dates}"));
    } else {
        openssl(&format!("{from} -days 3650"));
    }
}
