//! The bot's token and the model: asked for, tried, and written into `.env`.
//!
//! Invariant: an error holds no secret; an address of Telegram holds the token, so no error of a request is shown.

use std::time::Duration;

use brain_agent::config::Config;
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use super::args::{ModelArgs, TokenArgs};
use super::ask::{line, say, secret, secret_of_input};
use super::{env_file, goes_on};
use brain_agent::core::text::shorten;

const TOKEN_STEPS: &str =
    "A bot of your own: open https://t.me/BotFather, send /newbot, choose a name, and copy the token.";
const MODEL_STEPS: &str = "Any OpenAI-compatible endpoint, such as Ollama on this machine (http://127.0.0.1:11434/v1). \
                           Without one, built-in understanding does the work.";
/// An answer to one small question has a few thousand bytes.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;

fn client(secs: u64) -> anyhow::Result<reqwest::Client> {
    Ok(reqwest::Client::builder().redirect(Policy::none()).timeout(Duration::from_secs(secs)).build()?)
}

/// What is answered, bounded; `None`: it broke off, or is no JSON.
async fn json_of(mut answer: reqwest::Response) -> Option<Value> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.ok()? {
        if body.len() + chunk.len() > ANSWER_BYTES_MAX {
            return None;
        }
        body.extend_from_slice(&chunk);
    }
    serde_json::from_slice(&body).ok()
}

/// The bot's token.
pub(super) async fn token(args: &TokenArgs, unchecked: bool) -> anyhow::Result<()> {
    let api = env_file::value("TELEGRAM_API_URL")?;
    if let Some(api) = &api {
        say(&format!("The token goes to {}, as TELEGRAM_API_URL says.", host(api)));
    }
    let token = match args.token_stdin {
        true => secret_of_input("--token-stdin")?,
        false => {
            say(TOKEN_STEPS);
            match secret("Token; Enter leaves it as it is", "--token-stdin")? {
                Some(token) => token,
                None => {
                    say("The token stays as it is.");
                    return Ok(());
                }
            }
        }
    };
    let token: SecretString = token.expose_secret().trim().to_owned().into();
    let tried = me(api.as_deref(), &token).await;
    match &tried {
        Ok(name) => say(&format!("Telegram knows it: @{name}")),
        Err(why) => goes_on(why, unchecked)?,
    }
    env_file::set(&[("TELEGRAM_BOT_TOKEN", Some(token.expose_secret()))])?;
    say("TELEGRAM_BOT_TOKEN is in .env now. While nobody is served, a pairing code is shown at start.");
    Ok(())
}

/// Of an address only what holds no secret.
fn host(url: &str) -> String {
    let url = reqwest::Url::parse(url).ok();
    url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(|| "an address that cannot be read".to_owned())
}

/// Whose token it is.
async fn me(api: Option<&str>, token: &SecretString) -> Result<String, String> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || ":_-".contains(c);
    if !token.expose_secret().chars().all(is_fine) {
        return Err("That is no token: it looks like 123456789:AAE…".to_owned());
    }
    let api = api.unwrap_or("https://api.telegram.org");
    let url = format!("{}/bot{}/getMe", api.trim_end_matches('/'), token.expose_secret());
    let client = client(20).map_err(|_| "No secure connection is possible.".to_owned())?;
    let answer = client.get(url).send().await.map_err(|_| "Telegram cannot be reached from here.".to_owned())?;
    let status = answer.status();
    let name = json_of(answer).await.and_then(|answer| answer["result"]["username"].as_str().map(str::to_owned));
    match (status.as_u16(), name) {
        (200, Some(name)) => Ok(name),
        (401 | 404, _) => Err("Telegram does not know this token.".to_owned()),
        (status, _) => Err(format!("Telegram answered with {status}, so nobody knows whether the token is right.")),
    }
}

/// The model for every stage.
pub(super) async fn model(config: &Config, args: &ModelArgs, unchecked: bool) -> anyhow::Result<()> {
    let known = config.models.values().next();
    if args.url.is_none() {
        say(MODEL_STEPS);
    }
    let url = match &args.url {
        Some(url) => url.clone(),
        None => line("Address, up to /v1", "--url", known.map(|known| known.base_url.as_str()))?,
    };
    let name = match &args.model {
        Some(name) => name.clone(),
        None => line("Model", "--model", known.map(|known| known.model.as_str()))?,
    };
    let is_same = known.is_some_and(|known| known.base_url == url);
    let old = known.filter(|_| is_same).and_then(|known| known.api_key.clone());
    let key = match (args.key_stdin, args.url.is_some()) {
        (true, _) => Some(secret_of_input("--key-stdin")?),
        (false, true) => None,
        (false, false) => secret("Key; Enter if it wants none, or keeps the one it has", "--key-stdin")?,
    };
    let key = key.or(old);
    match try_model(&url, &name, key.as_ref()).await {
        Ok(()) => say(&format!("{name} answers.")),
        Err(why) => goes_on(&why, unchecked)?,
    }
    let key = key.as_ref().map(|key| key.expose_secret().to_owned());
    env_file::set(&[("LLM_BASE_URL", Some(&url)), ("LLM_MODEL", Some(&name)), ("LLM_API_KEY", key.as_deref())])?;
    say("LLM_BASE_URL and LLM_MODEL are in .env now.");
    Ok(())
}

/// One small call.
async fn try_model(url: &str, name: &str, key: Option<&SecretString>) -> Result<(), String> {
    let body = json!({"model": name, "max_tokens": 16, "messages": [{"role": "user", "content": "Say: ok"}]});
    let client = client(180).map_err(|_| "No secure connection is possible.".to_owned())?;
    let mut request = client.post(format!("{}/chat/completions", url.trim_end_matches('/'))).json(&body);
    if let Some(key) = key {
        request = request.bearer_auth(key.expose_secret());
    }
    let answer = request.send().await.map_err(|why| match (why.is_builder(), why.is_timeout()) {
        (true, _) => "That is no address: it looks like http://127.0.0.1:11434/v1".to_owned(),
        (_, true) => "The model did not answer within three minutes.".to_owned(),
        _ => "Nobody answers at that address.".to_owned(),
    })?;
    let status = answer.status().as_u16();
    let answer = json_of(answer).await.unwrap_or_default();
    let said = answer["error"]["message"].as_str().map(|said| shorten(said, 200));
    match (status, answer["choices"].is_array(), said) {
        (200, true, _) => Ok(()),
        (401 | 403, ..) => Err("The endpoint does not take this key.".to_owned()),
        (status, _, Some(said)) => Err(format!("The endpoint answered with {status}: {said}")),
        (404, ..) => Err("The endpoint has no such model, or the address is not the one up to /v1.".to_owned()),
        (status, ..) => Err(format!("The endpoint answered with {status}, and not as OpenAI's do.")),
    }
}
