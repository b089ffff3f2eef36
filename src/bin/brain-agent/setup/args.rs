//! The arguments of `setup`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct SetupArgs {
    #[command(subcommand)]
    pub(crate) what: Option<SetupCommand>,
    /// Write it though it does not work yet
    #[arg(long, global = true)]
    pub(crate) unchecked: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SetupCommand {
    /// The bot's token, from @BotFather
    Token(TokenArgs),
    /// A language model
    Model(ModelArgs),
    /// A mail account: a new one, or another password or access for one that there is
    Account(Box<AccountArgs>),
}

#[derive(Debug, Args, Default)]
pub(crate) struct TokenArgs {
    /// The token is the next line of standard input
    #[arg(long)]
    pub(crate) token_stdin: bool,
}

#[derive(Debug, Args, Default)]
pub(crate) struct ModelArgs {
    /// The endpoint, up to /v1
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// The model's name there
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The key is the next line of standard input
    #[arg(long)]
    pub(crate) key_stdin: bool,
}

#[derive(Debug, Args, Default)]
pub(crate) struct AccountArgs {
    /// What you call it: work
    pub(crate) name: Option<String>,
    /// Whose it is: tg:ID, or a name in the terminal; else the first admin's
    #[arg(long)]
    pub(crate) person: Option<String>,
    /// An address of it, the one that sends first
    #[arg(long = "address", value_name = "ADDRESS")]
    pub(crate) addresses: Vec<String>,
    /// google, microsoft, fastmail, icloud, nextcloud or generic
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// The user's name at the servers, where it is not the address
    #[arg(long)]
    pub(crate) user: Option<String>,
    /// imaps://HOST:PORT, or imap://HOST:PORT for STARTTLS
    #[arg(long, value_name = "URL")]
    pub(crate) imap: Option<String>,
    /// smtps://HOST:PORT, or smtp://HOST:PORT for STARTTLS
    #[arg(long, value_name = "URL")]
    pub(crate) smtp: Option<String>,
    /// https://HOST/PATH
    #[arg(long, value_name = "URL")]
    pub(crate) caldav: Option<String>,
    /// https://HOST/PATH
    #[arg(long, value_name = "URL")]
    pub(crate) carddav: Option<String>,
    /// The address of a Nextcloud, for its calendars and contacts
    #[arg(long, value_name = "URL")]
    pub(crate) cloud: Option<String>,
    /// The calendar that takes new events, by its name there
    #[arg(long, value_name = "NAME")]
    pub(crate) calendar: Option<String>,
    /// The task list that takes new tasks, by its name there; without one they stay here
    #[arg(long, value_name = "NAME")]
    pub(crate) task_list: Option<String>,
    /// The address book that takes new contacts, by its name there
    #[arg(long, value_name = "NAME")]
    pub(crate) address_book: Option<String>,
    /// What stands below every mail
    #[arg(long)]
    pub(crate) signature: Option<String>,
    /// How many days of mail are kept here
    #[arg(long, value_name = "DAYS")]
    pub(crate) mail_days: Option<u32>,
    /// Certificates (PEM) that the servers may show
    #[arg(long, value_name = "FILE")]
    pub(crate) authorities: Option<String>,
    /// The password is the next line of standard input
    #[arg(long, group = "secret")]
    pub(crate) password_stdin: bool,
    /// The password is in the first line of this file
    #[arg(long, value_name = "FILE", group = "secret")]
    pub(crate) password_file: Option<String>,
    /// The password is in this variable of the environment
    #[arg(long, value_name = "NAME", group = "secret")]
    pub(crate) password_variable: Option<String>,
    /// The password is what this command prints first; it comes last
    #[arg(long, value_name = "WORD", num_args = 1.., allow_hyphen_values = true, group = "secret")]
    pub(crate) password_command: Vec<String>,
    /// Access by OAuth 2, without a password
    #[arg(long, group = "secret")]
    pub(crate) oauth: bool,
    /// Your client at the provider
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: Option<String>,
    /// The client's secret is the next line of standard input
    #[arg(long)]
    pub(crate) client_secret_stdin: bool,
    /// Where a browser gives access, at another provider
    #[arg(long, value_name = "URL")]
    pub(crate) auth_url: Option<String>,
    /// Where tokens come from, at another provider
    #[arg(long, value_name = "URL")]
    pub(crate) token_url: Option<String>,
    /// Where codes for another device come from, at another provider
    #[arg(long, value_name = "URL")]
    pub(crate) device_url: Option<String>,
    /// What is asked for, at another provider
    #[arg(long = "scope", value_name = "SCOPE")]
    pub(crate) scopes: Vec<String>,
    /// Give access on another device, with a code
    #[arg(long)]
    pub(crate) device: bool,
}
