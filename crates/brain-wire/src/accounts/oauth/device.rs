//! Access given on another device (RFC 8628): a page and a code for the person, and the server is asked until it knows.
//!
//! Invariant: the server is asked no more often than it allows, and not longer than its code lives.

use std::time::Duration;

use oauth2::{
    DeviceAuthorizationUrl, DeviceCodeErrorResponseType as Code, RequestTokenError, Scope,
    StandardDeviceAuthorizationResponse,
};

use super::http::{GrantError, TokenServer, failed, why};
use super::store::Tokens;
use brain_core::core::text::{one_line, shorten};
use brain_core::limits::DEVICE_SECS_MAX;

/// What a person is shown of it at most; real ones are shorter.
const SHOWN_CHARS: usize = 200;

/// One attempt to be given access from another device.
#[derive(Debug)]
pub struct DeviceAuthorization(StandardDeviceAuthorizationResponse);

impl DeviceAuthorization {
    /// Asks for a code.
    pub async fn begin(server: &TokenServer) -> Result<Self, GrantError> {
        let settings = &server.settings;
        let Some(url) = settings.device_url.clone() else {
            return Err(GrantError::Failed("gives no code for another device".to_owned()));
        };
        let client = server.client()?.set_device_authorization_url(DeviceAuthorizationUrl::from_url(url));
        let scopes = settings.scopes.iter().cloned().map(Scope::new);
        let answer: StandardDeviceAuthorizationResponse =
            client.exchange_device_code().add_scopes(scopes).request_async(&server.http).await.map_err(why)?;
        if answer.interval().as_secs() > DEVICE_SECS_MAX {
            return Err(GrantError::Failed("wants to be asked too seldom".to_owned()));
        }
        Ok(Self(answer))
    }

    /// The page that the person opens.
    pub fn page(&self) -> String {
        shorten(&one_line(self.0.verification_uri()), SHOWN_CHARS)
    }

    /// The code that they type there.
    pub fn code(&self) -> String {
        shorten(&one_line(self.0.user_code().secret()), SHOWN_CHARS)
    }

    /// Asks until somebody has said yes or no, or the code has ended. `pause` waits between two questions.
    pub async fn tokens<P: Future<Output = ()>>(
        &self,
        server: &TokenServer,
        pause: impl Fn(Duration) -> P,
    ) -> Result<Tokens, GrantError> {
        let client = server.client()?;
        let lives = self.0.expires_in().min(Duration::from_secs(DEVICE_SECS_MAX));
        // Some servers say that they may be asked at any time.
        let pause = |wait: Duration| pause(wait.max(Duration::from_secs(1)));
        let asked = client.exchange_device_access_token(&self.0).request_async(&server.http, pause, Some(lives)).await;
        match asked {
            Ok(granted) => server.tokens(&granted),
            Err(RequestTokenError::ServerResponse(answer)) => Err(match answer.error() {
                Code::AccessDenied => GrantError::Denied,
                Code::ExpiredToken => GrantError::Expired,
                Code::AuthorizationPending | Code::SlowDown => GrantError::Expired,
                Code::Basic(basic) => GrantError::Client(basic.as_ref().to_owned()),
            }),
            Err(other) => Err(failed(&other)),
        }
    }
}
