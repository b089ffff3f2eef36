//! A list that is longer than a page, on Telegram.

use brain_agent::app;
use brain_agent::config::telegram_user;
use brain_agent::ports::Store;

use super::buttons::next;
use super::commands::says;
use super::*;
use crate::paging::{Bulk, batch};

#[tokio::test]
async fn a_list_goes_on_by_its_button_and_by_a_word() {
    let api = FakeBotApi::start().await;
    let program = installed();
    let anna = telegram_user(ANNA).to_string();
    let bulk = Bulk { chat: anna.clone(), owner: anna };
    let store = app::open_store(program.data_dir()).await.unwrap();
    store.commit(batch((0..55).map(|n| bulk.task(n, None)))).await.unwrap();
    store.close().await;
    drop(store);
    let _daemon = serve(&program, &api).await;
    let first = says(&api, ANNA, "/tasks").await;
    assert!(first.text.ends_with("▫️ Thing 19\n… and 35 more: say “more”."), "{}", first.text);
    api.press(ANNA, first.id, &first.button("Show 20 more").data);
    let second = next(&api, first.id).await;
    assert!(second.text.starts_with("▫️ Thing 20\n"), "{}", second.text);
    let bare = |message: &SentMessage| message.id == first.id && message.all_buttons().is_empty();
    api.wait_message(ANNA, bare, SOON).await;
    let third = says(&api, ANNA, "next page").await;
    assert!(third.text.ends_with("▫️ Thing 54\nThat was all of them."), "{}", third.text);
    assert!(third.all_buttons().is_empty());
}
