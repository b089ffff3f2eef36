//! The bot: who it is at Telegram, and whether the clocks agree.

use chrono::TimeDelta;

use super::check::Check;
use super::subjects::{CheckJob, Subjects};
use crate::channel::telegram::probe::{BotFault, BotProbe, probe};
use crate::config::TelegramConfig;

const NAME: &str = "bot";
const NO_NETWORK: &str = "Check the network of this machine, a proxy or firewall, and TELEGRAM_API_URL if it is set";

/// A clock that is off by so much makes reminders late, and signing in fail.
const CLOCK_OFF_SECS: i64 = 60;

pub(super) fn jobs(subjects: &Subjects) -> Vec<CheckJob<'_>> {
    vec![CheckJob::new(NAME, subjects.limits.check, NO_NETWORK, async move {
        match &subjects.config.telegram {
            Some(config) => looked_at(config).await,
            None => vec![
                Check::ok(NAME, "no bot token is set, so there is no bot; “brain-agent console” works without one")
                    .advised("For Telegram, get a token from @BotFather and set TELEGRAM_BOT_TOKEN"),
            ],
        }
    })]
}

async fn looked_at(config: &TelegramConfig) -> Vec<Check> {
    match probe(config).await {
        Ok(bot) => told(config, &bot),
        Err(trouble @ BotFault::TokenRefused(_)) => vec![
            Check::error(NAME, trouble.to_string())
                .advised("Get a valid token from @BotFather and set TELEGRAM_BOT_TOKEN to it"),
        ],
        Err(trouble @ BotFault::NoAnswer { .. }) => vec![Check::error(NAME, trouble.to_string()).advised(NO_NETWORK)],
    }
}

fn told(config: &TelegramConfig, bot: &BotProbe) -> Vec<Check> {
    let BotProbe { place, username, has_webhook, waiting, delivery_error, clock_ahead } = bot;
    let waits = match waiting {
        0 => String::new(),
        1 => "; 1 update waits there".to_owned(),
        many => format!("; {many} updates wait there"),
    };
    let known = format!("@{username} is known to {place}{waits}");
    let bot = match (config.webhook.is_some(), has_webhook, delivery_error) {
        (true, true, Some(error)) => Check::warning(NAME, format!("{known}; the last delivery failed: {error}"))
            .advised("Check that BRAIN_WEBHOOK_URL leads here from outside, with a certificate that Telegram accepts"),
        (true, false, _) => Check::warning(NAME, format!("{known}, which does not deliver to BRAIN_WEBHOOK_URL"))
            .advised("It is told to at the next start: run “brain-agent serve”"),
        (false, true, _) => Check::warning(NAME, format!("{known}, which delivers to some other webhook"))
            .advised("It is taken off at the next start of “brain-agent serve”; if it is another program's, use a bot of your own"),
        (true, true, None) | (false, false, _) => Check::ok(NAME, known),
    };
    let mut checks = vec![bot];
    checks.extend(clock_ahead.map(|ahead| clock("clock", place, ahead)));
    checks
}

/// Whether a clock elsewhere agrees with ours.
pub(super) fn clock(name: impl Into<String>, place: &str, ahead: TimeDelta) -> Check {
    let secs = ahead.num_seconds();
    let way = if secs > 0 { "behind" } else { "ahead of" };
    if secs.abs() < CLOCK_OFF_SECS {
        return Check::ok(name, format!("agrees with {place}"));
    }
    Check::warning(name, format!("the clock of this machine is {} s {way} that of {place}", secs.abs()))
        .advised("Let the machine set its clock over the network (NTP), as with “timedatectl set-ntp true”")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::CheckStatus;

    #[test]
    fn a_clock_that_is_off_is_told_in_its_direction() {
        let told = |secs| clock("clock", "there", TimeDelta::seconds(secs));
        assert_eq!((told(2).status, told(-2).status), (CheckStatus::Ok, CheckStatus::Ok));
        assert!(told(300).message.contains("300 s behind"), "{}", told(300));
        assert!(told(-300).message.contains("300 s ahead of"), "{}", told(-300));
    }

    #[test]
    fn a_webhook_that_is_not_ours_is_told() {
        let config = TelegramConfig { token: "1:AAA".to_owned().into(), api_url: None, webhook: None };
        let bot = BotProbe {
            place: "there".to_owned(),
            username: "brain".to_owned(),
            has_webhook: false,
            waiting: 3,
            delivery_error: None,
            clock_ahead: None,
        };
        let checks = told(&config, &bot);
        assert_eq!((checks.len(), checks[0].status), (1, CheckStatus::Ok));
        assert!(checks[0].message.contains("3 updates wait"), "{}", checks[0]);
        assert_eq!(told(&config, &BotProbe { has_webhook: true, ..bot })[0].status, CheckStatus::Warning);
    }
}
