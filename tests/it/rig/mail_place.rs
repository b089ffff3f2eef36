//! A mail account elsewhere that keeps its mail, and misbehaves when it is told to.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use brain_agent::services::contract::context::RequestContext;
use brain_agent::services::contract::service::Attempt;
use brain_agent::services::email::delivery::send::smtp::{Sender, Sent};
use brain_agent::services::email::mailbox::accounts::MailBackend;
use brain_agent::services::email::mailbox::mail_change::MailChange;
use brain_agent::services::remote::backend::Unwritten;
use brain_agent::services::{Accounts, Holder, MailAccount, MailAccounts};
use lettre::Address;

use super::place::Manner;

/// A mail that was given to it.
#[derive(Debug, Clone)]
pub struct Posted {
    pub from: String,
    pub to: Vec<String>,
    pub bytes: Vec<u8>,
}

impl Posted {
    pub fn text(&self) -> String {
        String::from_utf8(self.bytes.clone()).unwrap()
    }
}

/// How it sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Posting {
    #[default]
    Accepts,
    /// Nobody knows; what it took comes up in Sent at the look of this number, if it does.
    Doubts { comes_up_at: Option<usize> },
    /// Takes it and never answers; whether it comes up in Sent.
    Dies { comes_up: bool },
}

/// What an account is like.
#[derive(Debug, Clone, Default)]
pub struct Traits {
    pub label: &'static str,
    /// The first is the default.
    pub addresses: &'static [&'static str],
    pub signature: Option<&'static str>,
    pub files_sent: bool,
    /// Its mail is here alone.
    pub only_sends: bool,
}

/// The account: what became of its mail, in order.
#[derive(Debug)]
pub struct MailPlace {
    traits: Traits,
    senders: Vec<Sender>,
    posting: Mutex<Posting>,
    posted: Mutex<Vec<Posted>>,
    looks: Mutex<usize>,
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
        Self::of(Traits { label: "me@example.com", addresses: &["me@example.com"], ..Traits::default() })
    }

    pub fn of(traits: Traits) -> Arc<Self> {
        let sender = |address: &&str| Sender { name: None, address: address.parse().unwrap() };
        Arc::new(Self {
            senders: traits.addresses.iter().map(sender).collect(),
            traits,
            posting: Mutex::default(),
            posted: Mutex::default(),
            looks: Mutex::default(),
            manner: Mutex::default(),
            asked: Mutex::default(),
            done: Mutex::default(),
            is_changed: Mutex::default(),
        })
    }

    /// Everybody's only account.
    pub fn accounts(self: &Arc<Self>) -> Accounts {
        accounts_of(&[self])
    }

    /// Its id, as files that come from it are named by.
    pub fn id(&self) -> String {
        format!("mail:{}", self.traits.addresses[0])
    }

    pub fn sends(&self, posting: Posting) {
        *self.posting.lock().unwrap() = posting;
    }

    /// What it was given to send, whether it sent it or not.
    pub fn posted(&self) -> Vec<Posted> {
        self.posted.lock().unwrap().clone()
    }

    /// How often a copy in Sent was looked for.
    pub fn looks(&self) -> usize {
        *self.looks.lock().unwrap()
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

/// Everybody's accounts, in this order.
pub fn accounts_of(places: &[&Arc<MailPlace>]) -> Accounts {
    let account = |place: &&Arc<MailPlace>| MailAccount {
        id: place.id(),
        label: place.traits.label.to_owned(),
        holders: vec![Holder::Everybody],
        backend: Arc::new(Shared(Arc::clone(place))),
    };
    let mail = MailAccounts::new(places.iter().map(account).collect::<Vec<_>>());
    Accounts { mail, ..Accounts::default() }
}

#[async_trait]
impl MailBackend for Shared {
    fn senders(&self) -> &[Sender] {
        &self.0.senders
    }

    fn signature(&self) -> Option<&str> {
        self.0.traits.signature
    }

    fn files_sent(&self) -> bool {
        self.0.traits.files_sent
    }

    async fn send(&self, from: &Address, to: &[Address], mail: &[u8]) -> Sent {
        let to = to.iter().map(ToString::to_string).collect();
        self.0.posted.lock().unwrap().push(Posted { from: from.to_string(), to, bytes: mail.to_vec() });
        let posting = *self.0.posting.lock().unwrap();
        match posting {
            Posting::Accepts => Sent::Accepted,
            Posting::Doubts { .. } => Sent::Doubtful("the server had the whole mail but went silent".to_owned()),
            Posting::Dies { .. } => std::future::pending().await,
        }
    }

    fn keeps_mail(&self) -> bool {
        !self.0.traits.only_sends
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
        if let MailChange::Put { folder: ".Sent", .. } = change {
            let mut looks = self.0.looks.lock().unwrap();
            *looks += 1;
            match *self.0.posting.lock().unwrap() {
                Posting::Doubts { comes_up_at } => return Some(comes_up_at.is_some_and(|at| *looks >= at)),
                Posting::Dies { comes_up } => return Some(comes_up),
                Posting::Accepts => {}
            }
        }
        Some(self.0.done.lock().unwrap().iter().any(same))
    }
}
