//! One answer of an endpoint, read within a bound; what is said of it when it fails holds no address and no words.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use secrecy::{ExposeSecret, SecretString};

/// A client that waits so long for a whole answer and follows no redirection.
pub(super) fn client(patience: Duration) -> Result<Client, String> {
    let client = Client::builder().timeout(patience).redirect(Policy::none()).build();
    client.map_err(|error| error.without_url().to_string())
}

/// What a request is answered with, at most so many bytes; the error reads on behind "the endpoint".
pub(super) async fn answered(
    request: RequestBuilder,
    key: Option<&SecretString>,
    bytes_max: usize,
) -> Result<Vec<u8>, String> {
    let request = match key {
        Some(key) => request.bearer_auth(key.expose_secret()),
        None => request,
    };
    let unreachable = |error: reqwest::Error| format!("cannot be reached: {}", error.without_url());
    let mut response = request.send().await.map_err(unreachable)?;
    let status = response.status();
    // What an error says is not repeated: it may repeat the request.
    if !status.is_success() {
        return Err(format!("answered {status}"));
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(unreachable)? {
        if body.len() + piece.len() > bytes_max {
            return Err("gave too long an answer".to_owned());
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}
