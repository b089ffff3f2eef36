//! Where a password is: in a file, in a variable of the environment, or behind a command. Looked up at each sign-in.
//!
//! Invariants: nothing is kept longer than the call, but what a command printed, for some minutes and until a server
//! refuses it; a file that others could have written is not read; no error holds anything of a secret.

use std::env::{self, VarError};
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use rustix::process::{Pid, Signal, kill_process_group};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use super::login::{Credential, Login, LoginError};
use brain_core::limits::{SECRET_BYTES_MAX, SECRET_COMMAND_KEPT_SECS, SECRET_COMMAND_MS, SECRET_COMMAND_PAUSE_SECS};
use brain_core::secret_files::{self, SecretFileError};

/// Where a secret is.
#[derive(Debug, Clone)]
pub enum SecretPlace {
    /// Here.
    Value(SecretString),
    /// In the first line of a file.
    File {
        /// The file.
        path: PathBuf,
        /// The folder that it must lie in, links followed, where nobody but a folder says which file it is.
        within: Option<PathBuf>,
    },
    /// In this variable of the environment.
    Variable(String),
}

/// Why a secret is not where it should be: what completes “The password of work: …”.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The file is not read.
    #[error("its file {path} {why}", path = .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why not.
        why: SecretFileError,
    },
    /// Others may read the file.
    #[error("its file {path} may be read by others. Run: chmod 600 on it", path = .0.display())]
    Readable(PathBuf),
    /// The file is a link to somewhere else.
    #[error("its file {path} leads out of the folder of accounts.toml", path = .0.display())]
    Outside(PathBuf),
    /// The variable is not set, or holds no text.
    #[error("the variable {0} is not set")]
    Variable(String),
    /// There is nothing.
    #[error("it is empty")]
    Empty,
}

impl SecretPlace {
    /// What is there now.
    pub fn look_up(&self) -> Result<SecretString, SecretError> {
        match self {
            Self::Value(secret) => Ok(secret.clone()),
            Self::Variable(name) => match env::var(name) {
                Ok(value) => first_line(&value),
                Err(VarError::NotPresent | VarError::NotUnicode(_)) => Err(SecretError::Variable(name.clone())),
            },
            Self::File { path, within } => {
                let failed = |why| SecretError::File { path: path.clone(), why };
                if let Some(folder) = within {
                    let real = |path| fs::canonicalize(path).map_err(|_| failed(SecretFileError::Missing));
                    if !real(path)?.starts_with(real(folder)?) {
                        return Err(SecretError::Outside(path.clone()));
                    }
                }
                let file = secret_files::read(path, SECRET_BYTES_MAX).map_err(failed)?;
                // Whoever runs a container hands secrets in as files that everybody in it may read.
                if file.exposure.is_some() && !file.is_handed_in {
                    return Err(SecretError::Readable(path.clone()));
                }
                first_line(file.text.expose_secret())
            }
        }
    }
}

/// The line's end does not belong to a password; spaces may.
fn first_line(text: &str) -> Result<SecretString, SecretError> {
    let line = text.split('\n').next().unwrap_or_default().trim_end_matches('\r');
    if line.is_empty() { Err(SecretError::Empty) } else { Ok(line.to_owned().into()) }
}

/// Signs in with what is in a file or in a variable.
#[derive(Debug, Clone)]
pub struct PlaceLogin {
    user: String,
    account: String,
    place: SecretPlace,
}

impl PlaceLogin {
    /// As this user of an account that the person calls so.
    pub fn new(user: impl Into<String>, account: impl Into<String>, place: SecretPlace) -> Self {
        Self { user: user.into(), account: account.into(), place }
    }
}

#[async_trait]
impl Login for PlaceLogin {
    fn user(&self) -> &str {
        &self.user
    }

    async fn credential(&self) -> Result<Credential, LoginError> {
        let place = self.place.clone();
        let found = tokio::task::spawn_blocking(move || place.look_up()).await;
        match found {
            Ok(Ok(secret)) => Ok(Credential::Password(secret)),
            Ok(Err(why)) => Err(LoginError::Reconnect(format!("The password of {}: {why}.", self.account))),
            Err(_) => Err(LoginError::Unavailable(format!("The password of {} could not be looked up.", self.account))),
        }
    }
}

/// What is known of the last run.
#[derive(Debug, Default)]
struct LastRun {
    secret: Option<(SecretString, Instant)>,
    failure: Option<(LoginError, Instant)>,
}

/// Signs in with the first line of what a command prints.
pub struct CommandLogin {
    user: String,
    account: String,
    /// The program and its arguments; no shell reads them.
    words: Vec<String>,
    /// Held while the command runs, so that it runs once for all who wait.
    last: Mutex<LastRun>,
    is_refused: AtomicBool,
}

impl fmt::Debug for CommandLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An argument may be as good as a secret.
        f.debug_struct("CommandLogin").field("user", &self.user).field("program", &self.words.first()).finish()
    }
}

impl CommandLogin {
    /// As this user of an account that the person calls so.
    pub fn new(user: impl Into<String>, account: impl Into<String>, words: Vec<String>) -> Self {
        let (user, account) = (user.into(), account.into());
        Self { user, account, words, last: Mutex::default(), is_refused: AtomicBool::new(false) }
    }

    async fn run(&self) -> Result<SecretString, LoginError> {
        let failed = |why: &str| {
            let program = self.words.first().map(String::as_str).unwrap_or_default();
            LoginError::Unavailable(format!("The password of {}: the command {program} {why}.", self.account))
        };
        let [program, arguments @ ..] = self.words.as_slice() else { return Err(failed("is empty")) };
        let mut command = Command::new(program);
        // A group of its own, so that what it starts ends with it.
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.kill_on_drop(true).process_group(0);
        let mut child = command.spawn().map_err(|cause| failed(&format!("cannot be started: {cause}")))?;
        let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let output = child.stdout.take();
        let run = async {
            let mut bytes = Vec::new();
            if let Some(output) = output {
                output.take(SECRET_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).await?;
            }
            let status = if bytes.len() > SECRET_BYTES_MAX { None } else { Some(child.wait().await?) };
            Ok::<_, std::io::Error>((bytes, status))
        };
        let ran = timeout(Duration::from_millis(SECRET_COMMAND_MS), run).await;
        if let (Err(_) | Ok(Ok((_, None))), Some(group)) = (&ran, group) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let (bytes, status) = match ran {
            Err(_) => return Err(failed("did not end in time")),
            Ok(Err(cause)) => return Err(failed(&format!("broke off: {cause}"))),
            Ok(Ok((_, None))) => return Err(failed("prints too much")),
            Ok(Ok((bytes, Some(status)))) => (bytes, status),
        };
        if !status.success() {
            return Err(failed(&ended(status)));
        }
        let text = String::from_utf8(bytes).map_err(|_| failed("prints no text in UTF-8"))?;
        first_line(&text).map_err(|_| failed("prints nothing in its first line"))
    }
}

fn ended(status: ExitStatus) -> String {
    status.code().map_or_else(|| "was stopped".to_owned(), |code| format!("failed with exit code {code}"))
}

#[async_trait]
impl Login for CommandLogin {
    fn user(&self) -> &str {
        &self.user
    }

    async fn credential(&self) -> Result<Credential, LoginError> {
        let mut last = self.last.lock().await;
        if self.is_refused.swap(false, Ordering::SeqCst) {
            last.secret = None;
        }
        let kept = Duration::from_secs(SECRET_COMMAND_KEPT_SECS);
        if let Some((secret, _)) = last.secret.as_ref().filter(|(_, at)| at.elapsed() < kept) {
            return Ok(Credential::Password(secret.clone()));
        }
        let pause = Duration::from_secs(SECRET_COMMAND_PAUSE_SECS);
        if let Some((failure, _)) = last.failure.as_ref().filter(|(_, at)| at.elapsed() < pause) {
            return Err(failure.clone());
        }
        *last = LastRun::default();
        match self.run().await {
            Ok(secret) => {
                last.secret = Some((secret.clone(), Instant::now()));
                Ok(Credential::Password(secret))
            }
            Err(failure) => {
                last.failure = Some((failure.clone(), Instant::now()));
                Err(failure)
            }
        }
    }

    fn was_refused(&self) {
        self.is_refused.store(true, Ordering::SeqCst);
    }
}
