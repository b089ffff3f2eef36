//! The secret of an account: which kind, how one gets it, and where it is kept.

use anyhow::{Context as _, anyhow, bail};
use async_trait::async_trait;
use brain_agent::accounts::oauth::{Authorization, DeviceAuthorization, GrantError, TokenServer, Tokens};
use brain_agent::accounts::{
    AccountEntry, AccountsPlace, Credential, FileSetting, Login, LoginError, Provider, ProviderSteps, SecretSource,
};
use brain_agent::secret_files;
use secrecy::{ExposeSecret as _, SecretString};

use super::args::AccountArgs;
use super::ask::{choice, line, say, secret, secret_of_input, somebody_is_there};
use super::browser::granted_code;

/// Where the secret will come from.
pub(super) enum NewSecret {
    /// ObtainedSecret, and kept in a file of its own.
    Password,
    /// A file, a variable or a command that is there already, by its key.
    Elsewhere((String, FileSetting)),
    /// Access by OAuth 2, with these keys of the client.
    OAuth { client: Vec<(String, FileSetting)> },
}

/// What was typed or granted, and is written nowhere yet.
pub(super) enum ObtainedSecret {
    Password(SecretString),
    Tokens(Box<Tokens>),
    /// It stays where it is.
    Elsewhere,
}

/// Signs in with what is written nowhere yet.
#[derive(Debug)]
pub(super) struct TypedLogin {
    user: String,
    credential: Credential,
}

#[async_trait]
impl Login for TypedLogin {
    fn user(&self) -> &str {
        &self.user
    }

    async fn credential(&self) -> Result<Credential, LoginError> {
        Ok(self.credential.clone())
    }
}

/// What the flags or the person say. `None`: the secret stays as it is, as something else is changed.
pub(super) fn new_secret(
    args: &AccountArgs,
    old: Option<&AccountEntry>,
    provider: Option<&Provider>,
) -> anyhow::Result<Option<NewSecret>> {
    let elsewhere = |key: &str, setting| Some(NewSecret::Elsewhere((key.to_owned(), setting)));
    let text = |text: &String| FileSetting::Text(text.clone());
    if let Some(file) = &args.password_file {
        return Ok(elsewhere("password_file", text(file)));
    }
    if let Some(variable) = &args.password_variable {
        return Ok(elsewhere("password_variable", text(variable)));
    }
    if !args.password_command.is_empty() {
        return Ok(elsewhere("password_command", FileSetting::Texts(args.password_command.clone())));
    }
    if args.password_stdin {
        return Ok(Some(NewSecret::Password));
    }
    let had_oauth = old.is_some_and(|old| matches!(old.secret, SecretSource::OAuth(_)));
    if args.oauth || args.client_id.is_some() || (had_oauth && changes_nothing(args)) {
        return Ok(Some(NewSecret::OAuth { client: client(args, old, provider)? }));
    }
    match old {
        Some(_) if !changes_nothing(args) => Ok(None),
        Some(_) => Ok(Some(NewSecret::Password)),
        None => asked(args, provider).map(Some),
    }
}

/// Whether no flag names anything to change: then it is the secret.
fn changes_nothing(args: &AccountArgs) -> bool {
    let texts = [
        &args.provider,
        &args.user,
        &args.imap,
        &args.smtp,
        &args.caldav,
        &args.carddav,
        &args.cloud,
        &args.signature,
        &args.authorities,
    ];
    args.addresses.is_empty() && args.mail_days.is_none() && texts.iter().all(|text| text.is_none())
}

/// Which of the ways that the provider has.
fn asked(args: &AccountArgs, provider: Option<&Provider>) -> anyhow::Result<NewSecret> {
    let takes_password = provider.is_none_or(|provider| provider.password.is_some());
    let takes_oauth = provider.is_some_and(|provider| provider.oauth.is_some());
    let flag = "--password-stdin, --password-file, --password-variable, --oauth or --password-command";
    let is_password = match (takes_password, takes_oauth) {
        (true, true) => {
            let ways = [
                "An app password: quick; reads and sends mail".to_owned(),
                "OAuth: you sign in at the provider; needs a client of your own there".to_owned(),
            ];
            choice("How do you want to sign in?", &ways, flag)? == 0
        }
        (takes_password, _) => takes_password,
    };
    if !is_password {
        return Ok(NewSecret::OAuth { client: client(args, None, provider)? });
    }
    if !somebody_is_there() {
        bail!("standard input is no terminal, so nobody can be asked: give {flag}");
    }
    explained(provider.and_then(|provider| provider.password.as_ref()));
    Ok(NewSecret::Password)
}

fn explained(steps: Option<&ProviderSteps>) {
    let Some(steps) = steps else { return };
    for step in &steps.steps {
        say(&format!("- {step}"));
    }
    if let Some(page) = &steps.page {
        say(&format!("The page: {page}"));
    }
}

/// Our client at the provider: what is there, what the flags say, and what the person has to get.
fn client(
    args: &AccountArgs,
    old: Option<&AccountEntry>,
    provider: Option<&Provider>,
) -> anyhow::Result<Vec<(String, FileSetting)>> {
    let mut rows = Vec::new();
    let has_client = old.is_some_and(|old| matches!(old.secret, SecretSource::OAuth(_)));
    let mut add = |key: &str, setting: FileSetting| rows.push((key.to_owned(), setting));
    for (key, flag) in [("auth_url", &args.auth_url), ("token_url", &args.token_url), ("device_url", &args.device_url)]
    {
        if let Some(url) = flag {
            add(key, FileSetting::Text(url.clone()));
        }
    }
    if !args.scopes.is_empty() {
        add("scopes", FileSetting::Texts(args.scopes.clone()));
    }
    let id = match &args.client_id {
        Some(id) => Some(id.clone()),
        None if has_client => None,
        None => {
            explained(provider.and_then(|provider| provider.client.as_ref()));
            Some(line("Client id", "--client-id", None)?)
        }
    };
    let Some(id) = id else { return Ok(rows) };
    add("client_id", FileSetting::Text(id));
    let wants_secret = provider.and_then(|provider| provider.oauth.as_ref()).is_some_and(|oauth| oauth.needs_secret);
    let secret = match args.client_secret_stdin {
        true => Some(secret_of_input("--client-secret-stdin")?),
        false if wants_secret && somebody_is_there() => secret("Client secret; Enter: none", "--client-secret-stdin")?,
        false => None,
    };
    if let Some(secret) = secret {
        // An installed program cannot keep it: RFC 8252 8.5. It stands beside the id, in a file that nobody else reads.
        add("client_secret", FileSetting::Text(secret.expose_secret().to_owned()));
        add("client_secret_file", FileSetting::Absent);
        add("client_secret_variable", FileSetting::Absent);
    }
    Ok(rows)
}

impl NewSecret {
    /// What stands in accounts.toml for it. The file of a typed password has its name once the account has its id.
    pub(super) fn settings(&self) -> Vec<(String, FileSetting)> {
        match self {
            Self::Password => vec![("password_file".to_owned(), FileSetting::Text("password".to_owned()))],
            Self::Elsewhere(setting) => vec![setting.clone()],
            Self::OAuth { client } => vec![("oauth".to_owned(), FileSetting::Table(client.clone()))],
        }
    }

    /// Asks for it.
    pub(super) async fn obtain(&self, entry: &AccountEntry, args: &AccountArgs) -> anyhow::Result<ObtainedSecret> {
        match self {
            Self::Elsewhere(_) => Ok(ObtainedSecret::Elsewhere),
            Self::Password if args.password_stdin => Ok(ObtainedSecret::Password(secret_of_input("--password-stdin")?)),
            Self::Password => {
                let typed = secret(&format!("Password of {} at its servers", entry.user), "--password-stdin")?;
                Ok(ObtainedSecret::Password(typed.context("no password was typed, so nothing was changed")?))
            }
            Self::OAuth { .. } => Ok(ObtainedSecret::Tokens(Box::new(granted(entry, args).await?))),
        }
    }
}

impl ObtainedSecret {
    pub(super) fn login(&self, user: &str) -> Option<TypedLogin> {
        let credential = match self {
            Self::Password(password) => Credential::Password(password.clone()),
            Self::Tokens(tokens) => Credential::Bearer(tokens.access.clone()),
            Self::Elsewhere => return None,
        };
        Some(TypedLogin { user: user.to_owned(), credential })
    }

    /// Keeps it beside accounts.toml.
    pub(super) async fn write(&self, entry: &AccountEntry, place: &AccountsPlace) -> anyhow::Result<()> {
        match self {
            Self::Elsewhere => {}
            Self::Password(password) => {
                let path = place.folder().join(format!("{}.password", entry.id.replace(':', "-")));
                secret_files::write(&path, &format!("{}\n", password.expose_secret()))
                    .with_context(|| format!("{} cannot be written, so nothing was changed", path.display()))?;
            }
            Self::Tokens(tokens) => {
                let store = entry.tokens(place);
                let lock = store.lock().await?;
                store.write(tokens, &lock)?;
            }
        }
        Ok(())
    }
}

/// Access, given in a browser or on another device.
async fn granted(entry: &AccountEntry, args: &AccountArgs) -> anyhow::Result<Tokens> {
    let SecretSource::OAuth(settings) = &entry.secret else { bail!("the account has no client for OAuth") };
    let has_page = settings.auth_url.is_some();
    let server = TokenServer::new(settings.as_ref().clone(), entry.authorities.as_deref());
    let server = server.map_err(|why| anyhow!("the token server {why}"))?;
    let told = |why: GrantError| anyhow!("{} {why}; nothing was changed", server.host());
    if args.device || !has_page {
        let attempt = DeviceAuthorization::begin(&server).await.map_err(told)?;
        say(&format!("On any device, open {} and type {}", attempt.page(), attempt.code()));
        return attempt.tokens(&server, tokio::time::sleep).await.map_err(told);
    }
    let attempt = Authorization::begin(&server).await.map_err(told)?;
    let code = granted_code(&attempt, server.host(), None).await?;
    attempt.tokens(&server, code).await.map_err(told)
}
