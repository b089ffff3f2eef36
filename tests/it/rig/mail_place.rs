//! A mail account elsewhere that keeps its mail, and misbehaves when it is told to.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use brain_agent::services::backend::Unwritten;
use brain_agent::services::context::RequestContext;
use brain_agent::services::email::accounts::MailBackend;
use brain_agent::services::email::mail_change::MailChange;
use brain_agent::services::email::send::smtp::{Sender, Sent};
use brain_agent::services::service::Attempt;
use brain_agent::services::{Accounts, Holder, MailAccount, MailAccounts};
use lettre::Address;

use super::place::Manner;

/// The account: what became of its mail, in order.
#[derive(Debug)]
pub struct MailPlace {
    sender: Sender,
    manner: Mutex<Manner>,
    asked: Mutex<Vec<MailChange>>,
    done: Mutex<Vec<MailChange>>,
    is_changed: Mutex<bool>,
}

/// As the program holds it.
#[derive(Debug)]
struct Shared(Arc<MailPlace>);

impl MailPlace {
    pub fn new() -> Arc<Self> {
        let sender = Sender { name: None, address: "me@example.com".parse().unwrap() };
        Arc::new(Self {
            sender,
            manner: Mutex::default(),
            asked: Mutex::default(),
            done: Mutex::default(),
            is_changed: Mutex::default(),
        })
    }

    /// Everybody's only account.
    pub fn accounts(self: &Arc<Self>) -> Accounts {
        let account = MailAccount::of(Shared(self.clone()), [Holder::Everybody]);
        Accounts { mail: MailAccounts::new([account]), ..Accounts::default() }
    }

    pub fn behaves(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }

    /// From now on every mail there is another one.
    pub fn is_changed(&self) {
        *self.is_changed.lock().unwrap() = true;
    }

    /// How often something was to be changed.
    pub fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    pub fn done(&self) -> Vec<MailChange> {
        self.done.lock().unwrap().clone()
    }

    fn does(&self, change: &MailChange, really: bool) {
        if really {
            self.done.lock().unwrap().push(change.clone());
        }
    }
}

#[async_trait]
impl MailBackend for Shared {
    fn sender(&self) -> &Sender {
        &self.0.sender
    }

    async fn send(&self, _: &[Address], _: &[u8]) -> Sent {
        Sent::Accepted
    }

    fn keeps_mail(&self) -> bool {
        true
    }

    async fn write(&self, _: &RequestContext, change: &MailChange, _: &Attempt) -> Result<(), Unwritten> {
        let place = &self.0;
        place.asked.lock().unwrap().push(change.clone());
        if *place.is_changed.lock().unwrap() {
            return Err(Unwritten::ChangedElsewhere);
        }
        let manner = *place.manner.lock().unwrap();
        match manner {
            Manner::Works | Manner::Rewrites => place.does(change, true),
            Manner::Lies => {}
            Manner::Slow(time) => {
                tokio::time::sleep(time).await;
                place.does(change, true);
            }
            Manner::Refuses => {
                return Err(Unwritten::Refused("The mail server is full; nothing was done.".to_owned()));
            }
            Manner::Doubts { done } => {
                place.does(change, done);
                return Err(Unwritten::Doubtful("the server went silent; please look there".to_owned()));
            }
            Manner::Dies { done } => {
                place.does(change, done);
                std::future::pending::<()>().await;
            }
        }
        Ok(())
    }

    /// A draft is recognised by its name, whatever the moment of its date.
    async fn settled(&self, _: &RequestContext, change: &MailChange, _: &Attempt) -> Option<bool> {
        let same = |done: &MailChange| match (done, change) {
            (MailChange::Put { name: there, .. }, MailChange::Put { name, .. }) => there == name,
            (there, change) => there == change,
        };
        Some(self.0.done.lock().unwrap().iter().any(same))
    }
}
