//! A turn that breaks, with the channel in this process: no configuration makes the real program panic.

use std::sync::Arc;

use brain_agent::app::{self, Parts};
use brain_agent::channel::telegram::Telegram;
use brain_agent::clock::SystemClock;
use brain_agent::config::Config;
use brain_agent::ports::records::InboxEntry;
use brain_agent::ports::{Call, Completion, Model, ModelError, RecordExt, Scan, Store, Usage};
use brain_agent::store::MemoryStore;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::*;

/// Breaks over one word and answers nothing else.
#[derive(Debug)]
struct Fragile;

#[async_trait::async_trait]
impl Model for Fragile {
    async fn complete(&self, call: Call, _words: Option<UnboundedSender<String>>) -> Result<Completion, ModelError> {
        assert!(!format!("{call:?}").contains("brittle"), "as the test wants it");
        Err(ModelError::Unreachable { why: "the test has no model".to_owned(), usage: Usage::default() })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_ends_one_turn_is_told_and_leaves_everything_else_at_work() {
    let api = FakeBotApi::start().await;
    let folder = tempfile::tempdir().unwrap();
    let env = [
        ("TELEGRAM_BOT_TOKEN", api.token().to_owned()),
        ("TELEGRAM_API_URL", api.url()),
        ("BRAIN_ALLOWED_USERS", ANNA.to_string()),
        ("BRAIN_TIMEZONE", "UTC".to_owned()),
        ("BRAIN_DEBOUNCE", "0s".to_owned()),
    ];
    let env = env.map(|(key, value)| (key.to_owned(), value)).to_vec();
    let config = Config::parse(env, Vec::new()).unwrap();
    let telegram = Telegram::new(config.telegram.as_ref().unwrap(), &config).unwrap();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let parts = Parts {
        store: store.clone(),
        data_dir: folder.path().to_owned(),
        clock: Arc::new(SystemClock::new()),
        channel: telegram.channel(),
        zone: None,
    };
    let mut brain = app::build(&config, parts).unwrap();
    brain.model = Some(Arc::new(Fragile));
    let brain = Arc::new(brain);
    let stop = CancellationToken::new();
    let serving = tokio::spawn(telegram.run(brain.clone(), stop.clone()));

    api.user_says(ANNA, "something brittle");
    answer(&api, ANNA, "went wrong inside me").await;
    api.user_says(ANNA, "/cancel");
    answer(&api, ANNA, "nothing to cancel").await;
    api.user_says(ANNA, "/pending");
    answer(&api, ANNA, "Nothing is waiting").await;
    assert_eq!(how_many(&api, ANNA, "went wrong"), 1);

    stop.cancel();
    serving.await.unwrap().unwrap();
    let inbox = store.list::<InboxEntry>(Scan::of::<InboxEntry>(&["tg"], 10)).await.unwrap();
    assert!(inbox.len() == 3 && inbox.iter().all(|(entry, _)| entry.done && entry.raw.is_empty()), "{inbox:?}");
}
