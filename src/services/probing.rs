//! Whether an account works: looks at each of its servers, signs in there, and changes nothing.

use async_trait::async_trait;
use reqwest::Url;

use super::email::imap::mailbox::ImapMailbox;
use super::email::send::smtp::Smtp;
use crate::accounts::{AccountConfig, AccountProbe, ConnectionProbe, ServerKind, ServerProbe};
use crate::dav::{DavClient, DavKind};

/// Connects, and signs in where the connection is as safe as is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct SignInProbe;

#[async_trait]
impl AccountProbe for SignInProbe {
    async fn probe(&self, account: &AccountConfig, kind: ServerKind) -> Option<ServerProbe> {
        let mut probe = ConnectionProbe.probe(account, kind).await?;
        let is_trusted = probe.certificate.as_ref().is_none_or(|seen| seen.trouble.is_none());
        if probe.unreachable.is_some() || !is_trusted {
            return Some(probe);
        }
        let counted = match kind {
            ServerKind::Imap => ImapMailbox::probe(account).await?.map(Some),
            ServerKind::Smtp => Smtp::of(account)?.probe().await.map(|()| None),
            ServerKind::CalDav => collections(account, account.caldav.as_ref()?, DavKind::Events).await.map(Some),
            ServerKind::CardDav => collections(account, account.carddav.as_ref()?, DavKind::Contacts).await.map(Some),
        };
        probe.signed_in = Some(counted.map(|count| probe.folders = count));
        Some(probe)
    }
}

/// How many there are.
async fn collections(account: &AccountConfig, url: &Url, kind: DavKind) -> Result<usize, String> {
    let found = match DavClient::of(account, url) {
        Ok(client) => client.collections(kind).await,
        Err(error) => Err(error),
    };
    found.map(|found| found.len()).map_err(|error| error.to_string())
}
