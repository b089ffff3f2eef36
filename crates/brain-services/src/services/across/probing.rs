//! Whether an account works: looks at each of its servers, signs in there, and changes nothing.

use async_trait::async_trait;

use crate::services::email::delivery::send::smtp::Smtp;
use crate::services::email::imap::mailbox::ImapMailbox;
use brain_wire::accounts::{AccountConfig, AccountProbe, ConnectionProbe, FoundCollection, ServerKind, ServerProbe};
use brain_wire::dav::{Collection, DavClient, DavKind};

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
        let signed_in = match kind {
            ServerKind::Imap => ImapMailbox::probe(account).await?.map(|folders| probe.folders = Some(folders)),
            ServerKind::Smtp => Smtp::of(account)?.probe().await,
            ServerKind::CalDav => found(account, &[DavKind::Events, DavKind::Tasks], &mut probe).await,
            ServerKind::CardDav => found(account, &[DavKind::Contacts], &mut probe).await,
        };
        probe.signed_in = Some(signed_in);
        Some(probe)
    }
}

/// Which collections of these kinds there are.
async fn found(account: &AccountConfig, kinds: &[DavKind], probe: &mut ServerProbe) -> Result<(), String> {
    for kind in kinds {
        let Some(url) = account.dav(*kind) else { continue };
        let found = match DavClient::of(account, url) {
            Ok(client) => client.collections(*kind).await,
            Err(error) => Err(error),
        };
        let found = found.map_err(|error| error.to_string())?.into_iter();
        let seen = |one: Collection| FoundCollection { kind: *kind, name: one.name, is_writable: one.is_writable };
        probe.collections.extend(found.map(seen));
    }
    Ok(())
}
