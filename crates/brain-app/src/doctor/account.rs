//! Accounts: whether one can sign in, and how each server shows itself.

use chrono::{DateTime, TimeDelta, Utc};

use super::bot::clock;
use super::check::Check;
use super::subjects::{CheckJob, Subjects};
use brain_core::core::text::{one_line, shorten};
use brain_core::limits::ACCOUNT_TROUBLE_CHARS;
use brain_wire::accounts::{
    AccountConfig, CertificateLook, DavKind, FoundCollection, LoginError, ServerKind, ServerProbe, is_chosen,
};

/// A certificate that ends so soon should have been renewed by whoever runs the server.
const CERTIFICATE_DAYS_MIN: i64 = 14;

const UNREACHABLE: &str = "Check the server's name and port in accounts.toml, and the network of this machine";

pub(super) fn jobs(subjects: &Subjects) -> Vec<CheckJob<'_>> {
    let limit = subjects.limits.check;
    if subjects.accounts.is_empty() {
        return vec![CheckJob::new("accounts", limit, "", async {
            vec![
                Check::ok("accounts", "none is configured, so mail and everything else is kept here")
                    .advised("To use your own mail, run “brain-agent setup”"),
            ]
        })];
    }
    let jobs = subjects.accounts.iter().flat_map(move |account| {
        let name = named(account);
        let login = CheckJob::new(
            format!("{name} login"),
            limit,
            "See whether what gives its secret (a command, a token server) answers",
            login(account, format!("{name} login")),
        );
        let servers = ServerKind::of(account).into_iter().map(move |kind| {
            let name = format!("{name} {kind}");
            CheckJob::new(name.clone(), limit, UNREACHABLE, async move {
                match subjects.probe.probe(account, kind).await {
                    Some(probe) => told(&name, kind, &probe, Utc::now())
                        .into_iter()
                        .chain(account.chosen.all().filter_map(|(of, chosen)| chosen_told(account, of, chosen, &probe)))
                        .collect(),
                    None => Vec::new(),
                }
            })
        });
        std::iter::once(login).chain(servers)
    });
    jobs.collect()
}

/// How its lines begin.
pub(super) fn named(account: &AccountConfig) -> String {
    format!("account {}", one_line(&shorten(&account.name, 60)))
}

/// Whether there is something to sign in with.
async fn login(account: &AccountConfig, name: String) -> Vec<Check> {
    let said = |why: &str| one_line(&shorten(why, ACCOUNT_TROUBLE_CHARS));
    vec![match account.login.credential().await {
        Ok(_) => Check::ok(name, format!("there is a secret for {}", said(account.login.user()))),
        Err(LoginError::Unavailable(why)) => Check::error(name, said(&why))
            .advised("Mend where its secret comes from (accounts.toml), or run “brain-agent setup”"),
        Err(LoginError::Reconnect(why)) => {
            Check::error(name, said(&why)).advised("Reconnect it with “brain-agent setup”")
        }
    }]
}

fn told(name: &str, kind: ServerKind, probe: &ServerProbe, now: DateTime<Utc>) -> Vec<Check> {
    let ServerProbe { place, unreachable, certificate, signed_in, clock_ahead, .. } = probe;
    let mut checks = Vec::new();
    let of_certificate = certificate.as_ref().map(|seen| certificate_told(name, place, seen, now));
    match (unreachable, signed_in) {
        (Some(why), _) => checks.push(Check::error(name, format!("{place}: {why}")).advised(UNREACHABLE)),
        (None, Some(Err(why))) => checks.push(
            Check::error(name, format!("{place} does not let this account in: {why}"))
                .advised("Check user and password (many providers want an app password), or run “brain-agent setup”"),
        ),
        (None, Some(Ok(()))) => {
            let holds = held(kind, probe);
            checks.push(match kind {
                ServerKind::CalDav | ServerKind::CardDav if probe.collections.is_empty() => {
                    Check::warning(name, format!("signed in at {place}{holds}, so there is nothing to keep here"))
                        .advised("Check the address in accounts.toml: it may be that of another person or server part")
                }
                _ => Check::ok(name, format!("signed in at {place}{holds}")),
            });
        }
        (None, None) => checks.push(Check::ok(name, format!("{place} is there"))),
    }
    checks.extend(of_certificate);
    checks.extend(clock_ahead.map(|ahead| clock(format!("{name} clock"), place, ahead)));
    checks
}

/// What a server has, in words behind its name.
fn held(kind: ServerKind, probe: &ServerProbe) -> String {
    let counted = |count: usize, one: &str, many: &str| match count {
        0 => format!(", no {one}"),
        1 => format!(", 1 {one}"),
        count => format!(", {count} {many}"),
    };
    let kinds: &[DavKind] = match kind {
        ServerKind::Imap | ServerKind::Smtp => &[],
        ServerKind::CalDav => &[DavKind::Events, DavKind::Tasks],
        ServerKind::CardDav => &[DavKind::Contacts],
    };
    let folders = probe.folders.map(|count| counted(count, "folder", "folders"));
    let collections = kinds.iter().map(|kind| counted(probe.of(*kind).count(), kind.one(), kind.many()));
    folders.into_iter().chain(collections).collect()
}

/// What is wrong with a collection that is to take what is new.
fn chosen_told(account: &AccountConfig, kind: DavKind, chosen: &str, probe: &ServerProbe) -> Option<Check> {
    let there: Vec<&FoundCollection> = probe.of(kind).collect();
    let found = there.iter().find(|one| is_chosen(&one.name, chosen));
    if there.is_empty() || found.is_some_and(|one| one.is_writable) {
        return None;
    }
    let (one, named) = (kind.one(), one_line(&shorten(chosen, 60)));
    let names: Vec<String> = there.iter().map(|one| format!("“{}”", one_line(&shorten(&one.name, 60)))).collect();
    let why = match found {
        Some(_) => format!("“{named}” can only be read, so new {} cannot be written", kind.things()),
        None => {
            format!(
                "there is no “{named}”, so new {} cannot be written; the account has {}",
                kind.things(),
                names.join(", ")
            )
        }
    };
    let advice = format!("Name another {one} as {} in accounts.toml, or run “brain-agent setup account”", kind.key());
    Some(Check::warning(format!("{} {one}", self::named(account)), why).advised(advice))
}

fn certificate_told(name: &str, place: &str, seen: &CertificateLook, now: DateTime<Utc>) -> Check {
    let name = format!("{name} certificate");
    let left = seen.ends.map(|ends| (ends - now, ends.format("%-d %B %Y")));
    match (&seen.trouble, left) {
        (Some(why), left) => {
            let until = left.map(|(_, ends)| format!(" (it ends on {ends})")).unwrap_or_default();
            Check::error(name, format!("{place}: {why}{until}; nothing is said to this server")).advised(
                "Check the server's name. If it is your own server, have its certificate renewed, or name the file of \
                 its authority in accounts.toml",
            )
        }
        (None, Some((left, ends))) if left < TimeDelta::days(CERTIFICATE_DAYS_MIN) => {
            Check::warning(name, format!("that of {place} ends in {} days, on {ends}", left.num_days()))
                .advised("If it is your own server, have its certificate renewed before that")
        }
        (None, Some((left, ends))) => {
            Check::ok(name, format!("that of {place} counts for {} days more, until {ends}", left.num_days()))
        }
        (None, None) => Check::ok(name, format!("that of {place} is accepted")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::CheckStatus;

    #[test]
    fn a_certificate_is_told_by_its_days_and_its_trouble() {
        let now: DateTime<Utc> = "2026-01-12T09:00:00Z".parse().unwrap();
        let ends = |days: i64| Some(now + TimeDelta::days(days));
        let look = |ends, trouble: Option<&str>| {
            let seen = CertificateLook { ends, trouble: trouble.map(str::to_owned) };
            certificate_told("account work imap", "there:993", &seen, now)
        };
        for (check, status, says) in [
            (look(ends(90), None), CheckStatus::Ok, "90 days more, until 12 April 2026"),
            (look(ends(13), None), CheckStatus::Warning, "ends in 13 days"),
            (look(ends(-1), Some("its certificate has expired")), CheckStatus::Error, "ends on 11 January 2026"),
            (look(None, None), CheckStatus::Ok, "is accepted"),
        ] {
            assert_eq!(check.status, status, "{check}");
            assert!(check.message.contains(says), "{check}");
        }
    }

    #[test]
    fn who_is_not_let_in_is_told_to_look_at_the_password() {
        let probe = ServerProbe {
            place: "there:993".to_owned(),
            signed_in: Some(Err("authentication failed".to_owned())),
            clock_ahead: Some(TimeDelta::seconds(400)),
            ..ServerProbe::default()
        };
        let checks = told("account work imap", ServerKind::Imap, &probe, Utc::now());
        assert_eq!((checks[0].status, checks[1].status), (CheckStatus::Error, CheckStatus::Warning));
        assert!(checks[0].advice.as_ref().unwrap().contains("app password"), "{}", checks[0]);
        let fine = ServerProbe { signed_in: Some(Ok(())), folders: Some(12), ..probe };
        assert!(told("account work imap", ServerKind::Imap, &fine, Utc::now())[0].message.contains("12 folders"));
    }
}
