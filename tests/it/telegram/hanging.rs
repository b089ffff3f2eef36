//! A model that hangs holds nothing that is known.

use super::*;

#[tokio::test]
async fn receipts_are_seen_while_the_words_about_them_still_hang() {
    let api = FakeBotApi::start().await;
    let model = ModelServer::start(|request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "action", "domains": ["task"], "is_followup": false})),
        "plan" => ModelReply::json(json!({"actions": [{
            "service": "task", "command": "create", "reasoning": "asked for", "depends_on": [],
            "params": {"title": "Call mom"},
        }], "question": null, "open": null})),
        _ => ModelReply::hang(),
    });
    let _daemon = serve(&installed().whole_plans(&model).env("LLM_TIMEOUT", "10s"), &api).await;
    api.user_says(ANNA, "add call mom to my tasks");
    let early = answer(&api, ANNA, "Call mom").await;
    assert!(early.text.ends_with("Writing the answer…") && early.buttons.is_empty(), "{}", api.transcript());
    assert!(model.calls_of("respond")[0].at_answered.is_none());
    let is_final = |api: &FakeBotApi| {
        let all = api.messages(ANNA);
        (all.len() == 1 && all[0].text.contains("Call mom") && !all[0].buttons.is_empty()).then(|| all[0].clone())
    };
    let told = api.wait_for("the receipt alone, with what takes it back", SOON, is_final).await;
    assert!(!told.text.contains("Writing"), "{}", api.transcript());
    assert_eq!(model.calls_of("respond").len(), 1);
}
