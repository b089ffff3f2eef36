//! Delivery to the bot's webhook: one update at a time, in order, again and again until it is taken.

use std::sync::Arc;
use std::time::Duration;

use super::Shared;
use super::request::text;

/// Runs as long as the server; idle while no webhook is set. Only plain HTTP on loopback is reached.
pub async fn deliver(shared: Arc<Shared>) {
    let client = reqwest::Client::builder().timeout(Duration::from_secs(10)).build().unwrap();
    let mut changed = shared.changed.subscribe();
    loop {
        let next = shared.look(|state| {
            let hook = state.webhook.clone()?;
            state.queue.front().map(|queued| (hook, queued.id, queued.update.clone()))
        });
        let Some((hook, id, update)) = next else {
            let _ = changed.changed().await;
            continue;
        };
        let request = client.post(text(&hook, "url")).json(&update);
        let secret = text(&hook, "secret_token");
        let request =
            if secret.is_empty() { request } else { request.header("X-Telegram-Bot-Api-Secret-Token", secret) };
        let taken = request.send().await.is_ok_and(|response| response.status().is_success());
        if taken {
            shared.change(|state| {
                if state.queue.front().is_some_and(|queued| queued.id == id) {
                    state.queue.pop_front();
                }
            });
        } else {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
