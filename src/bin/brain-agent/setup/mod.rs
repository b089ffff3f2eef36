//! `brain-agent setup`: the bot's token, a model, accounts; each asked for, tried, and only then written.
//!
//! Invariants: no secret is shown, or taken as an argument, where other processes would see it; nothing is written that
//! did not work, unless the person says so; what is not asked about stays as it is.

mod account;
mod args;
mod ask;
mod browser;
mod endpoints;
mod env_file;
mod secrets;

use std::process::ExitCode;

use anyhow::bail;
use brain_agent::accounts::{AccountEntry, AccountPerson, read_accounts};
use brain_agent::config::Config;

pub(crate) use args::SetupArgs;
use args::{AccountArgs, ModelArgs, SetupCommand, TokenArgs};
use ask::choice;
pub(crate) use ask::{say, somebody_is_there, yes};
pub(crate) use browser::granted_code;

pub(crate) async fn run(args: SetupArgs) -> anyhow::Result<ExitCode> {
    let config = Config::load_without_accounts()?;
    let unchecked = args.unchecked;
    match args.what {
        Some(SetupCommand::Token(args)) => endpoints::token(&args, unchecked).await?,
        Some(SetupCommand::Model(args)) => endpoints::model(&config, &args, unchecked).await?,
        Some(SetupCommand::Account(args)) => account::set_up(&config, &args, unchecked).await?,
        None if somebody_is_there() => guided(&config, unchecked).await?,
        None => bail!(
            "standard input is no terminal, so nobody can be asked: say what to set up, with “setup token”, “setup model” \
             or “setup account NAME”, and --help for the flags of each"
        ),
    }
    Ok(ExitCode::SUCCESS)
}

/// What does not work is not written, unless the person says so.
fn goes_on(why: &str, unchecked: bool) -> anyhow::Result<()> {
    say(why);
    if unchecked {
        return Ok(());
    }
    if somebody_is_there() && yes("Write it all the same?", "--unchecked")? {
        return Ok(());
    }
    bail!("nothing was written; --unchecked writes it all the same")
}

/// One after the other where nothing is set, and else one of them.
async fn guided(config: &Config, unchecked: bool) -> anyhow::Result<()> {
    let accounts = read_accounts(&config.accounts_place).map_err(|problems| anyhow::anyhow!(problems.join("\n")))?;
    if config.telegram.is_none() && config.models.is_empty() && accounts.is_empty() {
        return first_time(config, unchecked).await;
    }
    let bot = if config.telegram.is_some() { "set" } else { "not set" };
    let model = config.models.values().next();
    let model = model.map_or_else(|| "none".to_owned(), |model| format!("{} at {}", model.model, model.base_url));
    let mut options = vec![format!("The bot's token: {bot}"), format!("The model: {model}")];
    options.extend(accounts.iter().map(described));
    options.push("A new account".to_owned());
    options.push("Nothing".to_owned());
    let chosen =
        choice("This is set. What do you want to change?", &options, "a command: setup token, model or account")?;
    match chosen {
        0 => endpoints::token(&TokenArgs::default(), unchecked).await,
        1 => endpoints::model(config, &ModelArgs::default(), unchecked).await,
        chosen if chosen == options.len() - 1 => Ok(()),
        chosen if chosen == options.len() - 2 => account::set_up(config, &AccountArgs::default(), unchecked).await,
        chosen => {
            let account = &accounts[chosen - 2];
            let person = match &account.person {
                AccountPerson::First => None,
                AccountPerson::Id(id) => Some(id.clone()),
            };
            let args = AccountArgs { name: Some(account.name.clone()), person, ..AccountArgs::default() };
            account::set_up(config, &args, unchecked).await
        }
    }
}

fn described(account: &AccountEntry) -> String {
    let address = account.addresses.first().map(|first| first.address.to_string()).unwrap_or_default();
    match &account.person {
        AccountPerson::First => format!("Account {} ({address})", account.name),
        AccountPerson::Id(person) => format!("Account {} ({address}) of {person}", account.name),
    }
}

async fn first_time(config: &Config, unchecked: bool) -> anyhow::Result<()> {
    say("1. Telegram. Without a bot, Brain Agent talks in this terminal.");
    if yes("Do you want a bot on Telegram?", "setup token")? {
        endpoints::token(&TokenArgs::default(), unchecked).await?;
    }
    say("2. A language model.");
    if yes("Do you have one to connect?", "setup model")? {
        endpoints::model(config, &ModelArgs::default(), unchecked).await?;
    }
    say("3. Your mail accounts.");
    while yes("Do you want to connect one (one more)?", "setup account")? {
        account::set_up(config, &AccountArgs::default(), unchecked).await?;
    }
    say("Done. Start with: brain-agent");
    Ok(())
}
