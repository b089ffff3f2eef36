//! Requests to a token server, over our own client: no redirects, bounded in time and bytes.
//!
//! Invariants: an error holds nothing of what was sent, and of what came back only the error's code as the RFCs name
//! them; a refusal for good is told apart from a failure that may pass.

use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use chrono::Utc;
use oauth2::basic::{BasicClient, BasicErrorResponse, BasicErrorResponseType as Code, BasicTokenResponse};
use oauth2::{
    AsyncHttpClient, AuthType, ClientId, ClientSecret, EndpointNotSet, EndpointSet, ErrorResponse, HttpRequest,
    HttpResponse, RefreshToken, RequestTokenError, Scope, TokenResponse as _, TokenUrl,
};
use reqwest::Url;
use reqwest::header::ACCEPT;
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;

use super::OAuthSettings;
use super::binding::{SecretWay, TokenGrant};
use super::discovery::DiscoveryError;
use super::store::Tokens;
use crate::accounts::authorities::certificates;
use brain_core::limits::{TOKEN_ANSWER_BYTES_MAX, TOKEN_REQUEST_MS};

/// A client that knows where tokens come from.
pub(super) type TokenClient = BasicClient<EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

/// Why no tokens came. The texts complete “the token server …”.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// What was granted has been taken back, or has ended: `invalid_grant`.
    #[error("does not accept this access any more")]
    Revoked,
    /// It does not know us: a wrong client id, a wrong secret, a wrong scope.
    #[error("does not accept this client ({0})")]
    Client(String),
    /// Somebody said no.
    #[error("was told no")]
    Denied,
    /// Nobody said yes in time.
    #[error("was not told yes in time")]
    Expired,
    /// It was not reached, or it answered what makes no sense. It may pass.
    #[error("{0}")]
    Failed(String),
}

/// Why a request came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenHttpError {
    /// Nothing answers there.
    #[error("cannot be reached")]
    Unreachable,
    /// Or not yet.
    #[error("did not answer in time")]
    Silent,
    /// The connection ended before the answer did.
    #[error("broke off")]
    Broken,
    /// More than is read.
    #[error("answers too much")]
    TooLarge,
}

/// A token server, and how we reach it.
#[derive(Debug, Clone)]
pub struct TokenServer {
    pub(super) settings: OAuthSettings,
    pub(super) http: TokenHttp,
}

impl TokenServer {
    /// Connects to nothing yet. `authorities`: certificates that it may show beside those that everybody trusts.
    pub fn new(settings: OAuthSettings, authorities: Option<&Path>) -> Result<Self, GrantError> {
        Ok(Self { settings, http: TokenHttp::new(authorities)? })
    }

    /// Its name, for messages.
    pub fn host(&self) -> &str {
        self.settings.token_url.host_str().unwrap_or("the token server")
    }

    pub(super) fn client(&self) -> Result<TokenClient, GrantError> {
        let client = BasicClient::new(ClientId::new(self.settings.client_id.clone()))
            .set_token_uri(TokenUrl::from_url(self.settings.token_url.clone()));
        let Some(place) = &self.settings.client_secret else { return Ok(client) };
        let secret = place.look_up().map_err(|why| GrantError::Client(format!("the client secret: {why}")))?;
        let way = match self.settings.binding.as_ref().map(|binding| binding.secret_way) {
            Some(SecretWay::Post) => AuthType::RequestBody,
            Some(SecretWay::Basic) | None => AuthType::BasicAuth,
        };
        Ok(client.set_client_secret(ClientSecret::new(secret.expose_secret().to_owned())).set_auth_type(way))
    }

    /// New tokens for a refresh token. Where the server gives no new one, the old one stays.
    pub(super) async fn refresh(&self, refresh: &SecretString) -> Result<Tokens, GrantError> {
        let client = self.client()?;
        let token = RefreshToken::new(refresh.expose_secret().to_owned());
        let mut request = client.exchange_refresh_token(&token);
        if let Some(resource) = self.resource() {
            request = request.add_extra_param("resource", resource.to_owned());
        }
        let granted = request.request_async(&self.http).await.map_err(why)?;
        let mut tokens = self.tokens(&granted)?;
        tokens.refresh = tokens.refresh.or_else(|| Some(refresh.clone()));
        Ok(tokens)
    }

    /// The server that tokens are asked for, where that is said.
    pub(super) fn resource(&self) -> Option<&str> {
        self.settings.binding.as_ref().map(|binding| binding.resource.as_str())
    }

    /// Whether nobody has to say yes.
    pub(super) fn asks_for_itself(&self) -> bool {
        self.settings.binding.as_ref().is_some_and(|binding| binding.grant == TokenGrant::Client)
    }

    /// Tokens that the client asks for by itself.
    pub async fn own_tokens(&self) -> Result<Tokens, GrantError> {
        let client = self.client()?;
        let scopes = self.settings.scopes.iter().cloned().map(Scope::new);
        let mut request = client.exchange_client_credentials().add_scopes(scopes);
        if let Some(resource) = self.resource() {
            request = request.add_extra_param("resource", resource.to_owned());
        }
        self.tokens(&request.request_async(&self.http).await.map_err(why)?)
    }

    /// What was granted, checked: a token that cannot stand in a header is none.
    pub(super) fn tokens(&self, granted: &BasicTokenResponse) -> Result<Tokens, GrantError> {
        let access = granted.access_token().secret();
        if access.is_empty() || !access.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(GrantError::Failed("gave an access token that is none".to_owned()));
        }
        let now = Utc::now();
        let lives = granted.expires_in().and_then(|lives| chrono::TimeDelta::from_std(lives).ok());
        Ok(Tokens {
            token_url: self.settings.token_url.to_string(),
            client_id: self.settings.client_id.clone(),
            access: access.clone().into(),
            obtained_at: now,
            expires_at: lives.and_then(|lives| now.checked_add_signed(lives)),
            refresh: granted.refresh_token().map(|token| token.secret().clone().into()),
            is_revoked: false,
            binding: self.settings.binding.clone(),
        })
    }
}

/// Our client, as the crate wants one.
#[derive(Debug, Clone)]
pub struct TokenHttp(reqwest::Client);

impl<'c> AsyncHttpClient<'c> for TokenHttp {
    type Error = TokenHttpError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, TokenHttpError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.answer(request))
    }
}

impl TokenHttp {
    /// Connects to nothing yet. `authorities`: certificates that it may be shown beside those that everybody trusts.
    pub fn new(authorities: Option<&Path>) -> Result<Self, GrantError> {
        let mut builder = reqwest::Client::builder()
            .redirect(Policy::none())
            .timeout(Duration::from_millis(TOKEN_REQUEST_MS))
            .pool_max_idle_per_host(0);
        if let Some(path) = authorities {
            for authority in certificates(path).map_err(GrantError::Failed)? {
                let authority = reqwest::Certificate::from_der(&authority);
                let unusable = |_| GrantError::Failed("has a file of authorities that cannot be used".to_owned());
                builder = builder.add_root_certificate(authority.map_err(unusable)?);
            }
        }
        builder.build().map(Self).map_err(|_| GrantError::Failed("cannot be spoken to".to_owned()))
    }

    /// The document at the first of these places where there is one.
    pub(super) async fn first_json<T: DeserializeOwned>(&self, places: &[Url]) -> Result<Option<T>, DiscoveryError> {
        for place in places {
            if let Some(document) = self.json_of(self.0.get(place.clone()), place).await? {
                return Ok(Some(document));
            }
        }
        Ok(None)
    }

    /// What is answered to a document; `None`: it is refused.
    pub(super) async fn answer_json<T: DeserializeOwned>(
        &self,
        place: &Url,
        said: &serde_json::Value,
    ) -> Result<Option<T>, DiscoveryError> {
        self.json_of(self.0.post(place.clone()).json(said), place).await
    }

    async fn json_of<T: DeserializeOwned>(
        &self,
        request: reqwest::RequestBuilder,
        place: &Url,
    ) -> Result<Option<T>, DiscoveryError> {
        let failed = |why: &str| DiscoveryError(format!("{place} {why}"));
        let request = request.header(ACCEPT, "application/json").build();
        let request = request.map_err(|_| failed("cannot be asked"))?;
        let answer = self.executed(request).await.map_err(|error| failed(&error.to_string()))?;
        if !answer.status().is_success() {
            return Ok(None);
        }
        let document = serde_json::from_slice(answer.body());
        document.map(Some).map_err(|_| failed("answers what makes no sense"))
    }

    /// One request of the crate, to its end.
    async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, TokenHttpError> {
        let request = reqwest::Request::try_from(request).map_err(|_| TokenHttpError::Broken)?;
        self.executed(request).await
    }

    /// One request, to its end.
    async fn executed(&self, request: reqwest::Request) -> Result<HttpResponse, TokenHttpError> {
        let broken = |error: reqwest::Error| match error {
            error if error.is_timeout() => TokenHttpError::Silent,
            error if error.is_connect() => TokenHttpError::Unreachable,
            _ => TokenHttpError::Broken,
        };
        let mut response = self.0.execute(request).await.map_err(broken)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            if body.len() + chunk.len() > TOKEN_ANSWER_BYTES_MAX {
                return Err(TokenHttpError::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        let mut whole = HttpResponse::new(body);
        *whole.status_mut() = status;
        *whole.headers_mut() = headers;
        Ok(whole)
    }
}

const NEEDS_SOMEBODY: [&str; 3] = ["interaction_required", "login_required", "consent_required"];

/// What a failed request means.
pub(super) fn why(error: RequestTokenError<TokenHttpError, BasicErrorResponse>) -> GrantError {
    match error {
        RequestTokenError::ServerResponse(answer) => match answer.error() {
            Code::InvalidGrant => GrantError::Revoked,
            Code::InvalidClient => GrantError::Client("invalid_client".to_owned()),
            Code::UnauthorizedClient => GrantError::Client("unauthorized_client".to_owned()),
            Code::InvalidRequest => GrantError::Client("invalid_request".to_owned()),
            Code::InvalidScope => GrantError::Client("invalid_scope".to_owned()),
            Code::UnsupportedGrantType => GrantError::Client("unsupported_grant_type".to_owned()),
            // OpenID Connect: somebody has to look at a page again.
            Code::Extension(code) if NEEDS_SOMEBODY.contains(&code.as_str()) => GrantError::Revoked,
            Code::Extension(_) => GrantError::Failed("answered with an error".to_owned()),
        },
        other => failed(&other),
    }
}

/// What a failure means that is none of the server's refusals.
pub(super) fn failed<E: ErrorResponse + 'static>(error: &RequestTokenError<TokenHttpError, E>) -> GrantError {
    GrantError::Failed(match error {
        RequestTokenError::Request(error) => error.to_string(),
        RequestTokenError::ServerResponse(_) => "answered with an error".to_owned(),
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => "gave an answer that makes no sense".to_owned(),
    })
}
