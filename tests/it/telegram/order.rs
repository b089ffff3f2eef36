//! Order within a chat, none between chats, and what overtakes.

use super::*;
use crate::support::bot_api::Fault;

#[tokio::test]
async fn the_same_update_twice_is_answered_once() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "good morning");
    let first = api.last_update_id();
    answer(&api, ANNA, "good morning").await;
    api.push_again(first);
    api.user_says(ANNA, "still there?");
    answer(&api, ANNA, "still there?").await;
    assert_eq!(how_many(&api, ANNA, "good morning"), 1, "{}", api.transcript());
}

#[tokio::test]
async fn the_same_message_under_a_new_number_is_answered_once_and_an_edit_of_it_still_counts() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let message = api.user_says(ANNA, "add a task: buy milk");
    let first = api.last_update_id();
    answer(&api, ANNA, "Buy milk").await;
    api.push_anew(first);
    api.user_says(ANNA, "add a task: call mom");
    answer(&api, ANNA, "Call mom").await;
    assert_eq!(how_many(&api, ANNA, "Buy milk"), 1, "{}", api.transcript());
    api.user_edits(ANNA, message, "add a task: buy bread");
    answer(&api, ANNA, "You changed your message.").await;
}

#[tokio::test]
async fn after_a_quiet_week_smaller_numbers_are_as_new_as_any() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "before");
    answer(&api, ANNA, "before").await;
    api.wait_acknowledged(SOON).await;
    api.renumber_updates(500);
    api.user_says(ANNA, "after");
    answer(&api, ANNA, "after").await;
    api.user_says(ANNA, "long after");
    answer(&api, ANNA, "long after").await;
    assert_eq!(texts(&api, ANNA).len(), 3, "{}", api.transcript());
}

#[tokio::test]
async fn a_slow_chat_keeps_its_own_order_and_delays_nobody() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "one (held)");
    api.user_says(ANNA, "two");
    api.user_says(BEN, "uno");
    api.user_says(BEN, "dos (50 ms)");
    answer(&api, BEN, "dos").await;
    assert_eq!(how_many(&api, ANNA, "You said"), 0, "{}", api.transcript());
    model.release();
    answer(&api, ANNA, "two").await;
    // The status line of the slow one goes a moment after its answer.
    api.wait_for("two answers", SOON, |api| (texts(api, ANNA).len() == 2).then_some(())).await;
    for (chat, order) in [(ANNA, ["one", "two"]), (BEN, ["uno", "dos"])] {
        let said = texts(&api, chat);
        assert!(said.len() == 2 && said[0].contains(order[0]) && said[1].contains(order[1]), "{}", api.transcript());
    }
}

#[tokio::test]
async fn an_answer_that_was_long_under_way_is_not_overtaken_by_the_status_line_of_the_next_turn() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.fail_once("sendMessage", Fault::ServerError(500));
    api.fail_once("sendMessage", Fault::Slow(Duration::from_secs(5)));
    api.user_says(ANNA, "one");
    api.user_says(ANNA, "two (4000 ms)");
    answer(&api, ANNA, "said: two").await;
    answer(&api, ANNA, "said: one").await;
    let said = texts(&api, ANNA);
    let place = |part: &str| said.iter().position(|text| text.contains(part)).unwrap();
    assert!(place("said: one") < place("said: two"), "{}", api.transcript());
}

#[tokio::test]
async fn a_press_overtakes_a_slow_turn() {
    let api = FakeBotApi::start().await;
    let model = mailing();
    let _daemon = serve(&installed().whole_plans(&model), &api).await;
    api.user_says(ANNA, SEND);
    let card = card(&api, ANNA).await;
    api.user_says(ANNA, "hello (held)");
    model.wait_calls("respond", 1, SOON).await;
    let query = api.press(ANNA, card.id, &card.all_buttons()[1].data);
    told(&api, ANNA, &query, "I won't").await;
    assert_eq!(how_many(&api, ANNA, "All right"), 0, "the slow turn still runs\n{}", api.transcript());
}

#[tokio::test]
async fn cancel_stops_the_turn_that_runs() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "hello (60000 ms)");
    model.wait_calls("respond", 1, SOON).await;
    api.user_says(ANNA, "/cancel");
    answer(&api, ANNA, "Stopped").await;
    api.user_says(ANNA, "and now?");
    answer(&api, ANNA, "and now?").await;
    assert_eq!(how_many(&api, ANNA, "60000"), 0);
}

#[tokio::test]
async fn whoever_writes_faster_than_can_be_answered_is_told_once() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().whole_plans(&model), &api).await;
    api.user_says(ANNA, "hello (60000 ms)");
    model.wait_calls("respond", 1, SOON).await;
    for n in 0..70 {
        api.user_says(ANNA, &format!("number {n}"));
    }
    let told = "I still have many of your messages to answer, so I did not keep this one. \
                Please send it again in a few minutes, with anything you wrote after it.";
    answer(&api, ANNA, told).await;
    api.wait_acknowledged(SOON).await;
    api.user_says(BEN, "and me?");
    answer(&api, BEN, "and me?").await;
    assert_eq!(how_many(&api, ANNA, told), 1);
}

#[tokio::test]
async fn cancel_is_understood_in_any_case() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "hello (60000 ms)");
    model.wait_calls("respond", 1, SOON).await;
    api.user_says(ANNA, "/Cancel");
    answer(&api, ANNA, "Stopped").await;
}
