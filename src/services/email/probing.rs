//! Whether an account works: looks at each of its servers, signs in there, and changes nothing.

use async_trait::async_trait;

use super::imap::mailbox::ImapMailbox;
use super::send::smtp::Smtp;
use crate::accounts::{AccountConfig, AccountProbe, ConnectionProbe, ServerKind, ServerProbe, dav_signs_in};

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
        probe.signed_in = Some(match kind {
            ServerKind::Imap => ImapMailbox::probe(account).await?.map(|folders| probe.folders = Some(folders)),
            ServerKind::Smtp => Smtp::of(account)?.probe().await,
            ServerKind::CalDav => dav_signs_in(account, account.caldav.as_ref()?).await,
            ServerKind::CardDav => dav_signs_in(account, account.carddav.as_ref()?).await,
        });
        Some(probe)
    }
}
