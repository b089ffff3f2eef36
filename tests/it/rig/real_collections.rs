//! Calendars, tasks and contacts on a real server: a Radicale that all rigs of this process share, each with a person of
//! its own there.
//!
//! With `BRAIN_TESTS_COLLECTIONS=dav` every rig has such an account where a test says nothing about accounts: what holds
//! with records kept here is shown to hold with those there.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use brain_agent::accounts::{AccountConfig, AccountPerson, ChosenCollections, DavKind, FixedLogin, Sender};
use brain_agent::ports::Store;
use brain_agent::services::Accounts;
use brain_agent::services::remote::backend::Backends;
use brain_agent::services::remote::dav::{DavRecord, dav_places};

use super::{ME, Setup};
use crate::support::dav_server::DavServer;

/// Where the person's records are.
pub struct RealCollections {
    account: AccountConfig,
    /// Where the server keeps them.
    folder: PathBuf,
}

impl RealCollections {
    fn new() -> Self {
        static SERVER: OnceLock<Mutex<(DavServer, usize)>> = OnceLock::new();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let server = SERVER.get_or_init(|| Mutex::new((DavServer::radicale(&[]), 0)));
        let mut server = server.lock().unwrap_or_else(PoisonError::into_inner);
        server.1 += 1;
        let user = format!("alex{}@example.com", server.1);
        server.0.add_user(&user, "secret");
        let url = format!("http://127.0.0.1:{}/", server.0.port()).parse().unwrap();
        let account = AccountConfig {
            id: "acct:collections".to_owned(),
            person: AccountPerson::Id(ME.to_owned()),
            name: "home".to_owned(),
            addresses: vec![Sender { name: None, address: user.parse().unwrap() }],
            login: Arc::new(FixedLogin::new(&user, "secret".to_owned())),
            authorities: None,
            imap: None,
            smtp: None,
            caldav: Some(Clone::clone(&url)),
            carddav: Some(url),
            chosen: ChosenCollections::from_iter([
                (DavKind::Events, "Personal".to_owned()),
                (DavKind::Tasks, "Tasks".to_owned()),
            ]),
            signature: None,
            mail_days: 30,
            files_sent: false,
        };
        let folder = server.0.folder().join("data/collection-root").join(&user);
        Self { account, folder }
    }

    /// Those of a rig whose test says nothing about it, if this run is about real collections.
    pub(super) fn asked_for(setup: &Setup) -> Option<Self> {
        let Accounts { tasks, events, contacts, .. } = &setup.accounts;
        let says_nothing = tasks.is_empty() && events.is_empty() && contacts.is_empty();
        let is_asked_for = std::env::var("BRAIN_TESTS_COLLECTIONS").is_ok_and(|kept| kept == "dav");
        (is_asked_for && says_nothing).then(Self::new)
    }

    /// How many tasks the server has.
    pub fn tasks(&self) -> usize {
        let files = std::fs::read_dir(self.folder.join("tasks")).unwrap().flatten();
        files.filter(|file| file.file_name().to_string_lossy().ends_with(".ics")).count()
    }

    /// The same with this account.
    pub fn over(&self, setup: Setup, store: &Arc<dyn Store>) -> Setup {
        let accounts = Accounts {
            tasks: self.backends(store),
            events: self.backends(store),
            contacts: self.backends(store),
            ..setup.accounts
        };
        Setup { accounts, ..setup }
    }

    fn backends<T: DavRecord>(&self, store: &Arc<dyn Store>) -> Backends<T> {
        let placed = dav_places(std::slice::from_ref(&self.account), &Arc::default(), store);
        Backends::new(placed.into_iter().map(|placed| placed.account).collect())
    }
}
