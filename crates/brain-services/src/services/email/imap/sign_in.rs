//! Signing in: with a password (PLAIN, else LOGIN) or an access token (OAUTHBEARER, else XOAUTH2).
//!
//! Invariant: a password is tried once a connection, an access token that was refused once more with a fresh one.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret as _, SecretString};

use super::connection::{Connection, ImapError, quoted};
use super::framing::AnswerBounds;
use super::place::ImapPlace;
use brain_wire::accounts::{Credential, LoginError};
use brain_wire::outside::KnownSecrets;

impl Connection {
    /// Connects and signs in.
    pub async fn open(place: &ImapPlace) -> Result<Self, ImapError> {
        let given = place.credential().await?;
        let opened = Self::opened(place, &given).await;
        let Err(refused @ ImapError::NotSignedIn { .. }) = opened else { return opened };
        place.login.was_refused();
        let Credential::Bearer(_) = given else { return Err(refused) };
        let opened = Self::opened(place, &place.credential().await?).await;
        if let Err(ImapError::NotSignedIn { .. }) = opened {
            place.login.was_refused();
        }
        opened
    }

    async fn opened(place: &ImapPlace, credential: &Credential) -> Result<Self, ImapError> {
        let mut connection = Self::greeted(place).await?;
        connection.sign_in(place, credential).await?;
        connection.look_up_capabilities().await?;
        Ok(connection)
    }

    async fn sign_in(&mut self, place: &ImapPlace, credential: &Credential) -> Result<(), ImapError> {
        let user = place.login.user();
        let signed_in = match credential {
            Credential::Password(password) if self.offers("AUTH=PLAIN") || self.offers("LOGINDISABLED") => {
                let proof = format!("\0{user}\0{}", password.expose_secret());
                self.authenticate("PLAIN", &proof.into(), "").await
            }
            Credential::Password(password) => self.login(user, password).await,
            Credential::Bearer(token) if self.offers("AUTH=OAUTHBEARER") => {
                let (token, server) = (token.expose_secret(), &place.server);
                let proof = format!(
                    "n,a={user},\u{1}host={}\u{1}port={}\u{1}auth=Bearer {token}\u{1}\u{1}",
                    server.host, server.port
                );
                self.authenticate("OAUTHBEARER", &proof.into(), "\u{1}").await
            }
            Credential::Bearer(token) => {
                let proof = format!("user={user}\u{1}auth=Bearer {}\u{1}\u{1}", token.expose_secret());
                self.authenticate("XOAUTH2", &proof.into(), "").await
            }
        };
        // It may repeat what it was shown.
        let said = |secret: &SecretString, why: &str| KnownSecrets::of([secret]).masked(why);
        signed_in.map_err(|error| match error {
            ImapError::Refused(why) => ImapError::NotSignedIn {
                why: match credential {
                    Credential::Password(secret) => {
                        format!("user and password were not accepted ({})", said(secret, &why))
                    }
                    Credential::Bearer(secret) => format!("the access was not accepted ({})", said(secret, &why)),
                },
                until_reconnected: false,
            },
            // Nothing was asked of it yet but who we are.
            ImapError::Lost(why) => ImapError::Unreachable(why),
            other => other,
        })
    }

    async fn login(&mut self, user: &str, password: &SecretString) -> Result<(), ImapError> {
        let command = format!("LOGIN {} {}", quoted(user), quoted(password.expose_secret()));
        self.run(&command, |_| {}).await
    }

    /// One exchange: the proof, and `concession` to whatever the server says against it.
    async fn authenticate(&mut self, mechanism: &str, proof: &SecretString, concession: &str) -> Result<(), ImapError> {
        self.allow(AnswerBounds::SMALL);
        let mut first = Some(STANDARD.encode(proof.expose_secret()));
        let command = match self.offers("SASL-IR") {
            true => format!("AUTHENTICATE {mechanism} {}", first.take().unwrap_or_default()),
            false => format!("AUTHENTICATE {mechanism}"),
        };
        let tag = self.begin(&command).await?;
        loop {
            if let Some(ended) = self.asked_for_more(&tag).await? {
                return ended;
            }
            let line = first.take().unwrap_or_else(|| STANDARD.encode(concession));
            self.line(line.as_bytes()).await?;
        }
    }
}

impl ImapPlace {
    async fn credential(&self) -> Result<Credential, ImapError> {
        self.login.credential().await.map_err(|error| match error {
            LoginError::Unavailable(why) => ImapError::NotSignedIn { why, until_reconnected: false },
            LoginError::Reconnect(why) => ImapError::NotSignedIn { why, until_reconnected: true },
        })
    }
}
