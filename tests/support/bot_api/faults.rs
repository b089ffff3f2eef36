//! What may go wrong between a bot and Telegram.

use std::time::Duration;

use super::request::Params;
use super::state::Refusal;

#[derive(Clone, Debug)]
pub enum Fault {
    /// 429 with `parameters.retry_after`, in seconds.
    Flood(u64),
    /// A 5xx with the usual JSON.
    ServerError(u16),
    /// 502 with a page of HTML, as a proxy in between sends it.
    GatewayPage,
    /// 401, as after the token was revoked.
    Unauthorized,
    /// 409, as when a second instance polls.
    Conflict,
    /// 400 "can't parse entities"; calls without entities pass and do not use the fault up.
    RefuseEntities,
    /// 403 "bot was blocked by the user".
    Blocked,
    /// 400 "message thread not found"; calls that name no topic pass and do not use the fault up.
    TopicGone,
    /// 400 with `parameters.migrate_to_chat_id`: the group is a supergroup now.
    MovedTo(i64),
    /// Any other refusal.
    Refuse(u16, String),
    /// The call takes effect, then the connection closes without an answer.
    ReplyLost,
    /// The call takes no effect and the connection closes without an answer.
    ClosedBeforeEffect,
    /// No effect, no answer, the connection stays open.
    Hang,
    /// The call takes effect, no answer comes, the connection stays open.
    HangAfterEffect,
    /// The call takes effect after this long and is answered normally.
    Slow(Duration),
}

/// What a fault does to one call.
pub(super) enum Effect {
    Refuse(Refusal),
    Page,
    CloseBefore,
    CloseAfter,
    HangBefore,
    HangAfter,
    Delay(Duration),
}

impl Fault {
    pub(super) fn effect(self) -> Effect {
        let refuse = |code, description: &str| Effect::Refuse(Refusal::new(code, description));
        match self {
            Self::Flood(retry_after_s) => Effect::Refuse(Refusal {
                retry_after_s: Some(retry_after_s),
                ..Refusal::new(429, format!("Too Many Requests: retry after {retry_after_s}"))
            }),
            Self::ServerError(502) => refuse(502, "Bad Gateway"),
            Self::ServerError(code) => refuse(code, "Internal Server Error"),
            Self::GatewayPage => Effect::Page,
            Self::Unauthorized => refuse(401, "Unauthorized"),
            Self::Conflict => Effect::Refuse(Refusal::other_poller()),
            Self::RefuseEntities => {
                refuse(400, "Bad Request: can't parse entities: unsupported entity at byte offset 0")
            }
            Self::TopicGone => refuse(400, "Bad Request: message thread not found"),
            Self::MovedTo(chat) => Effect::Refuse(Refusal {
                migrate_to: Some(chat),
                ..Refusal::new(400, "Bad Request: group chat was upgraded to a supergroup chat")
            }),
            Self::Blocked => refuse(403, "Forbidden: bot was blocked by the user"),
            Self::Refuse(code, description) => refuse(code, &description),
            Self::ReplyLost => Effect::CloseAfter,
            Self::ClosedBeforeEffect => Effect::CloseBefore,
            Self::Hang => Effect::HangBefore,
            Self::HangAfterEffect => Effect::HangAfter,
            Self::Slow(delay) => Effect::Delay(delay),
        }
    }
}

/// Faults that come at random: the same ones for the same seed and order of calls.
#[derive(Debug)]
pub(super) struct Weather {
    pub state: u64,
    /// Of 1,000 calls.
    pub per_mille: u64,
    pub kinds: Vec<Fault>,
    pub methods: Vec<String>,
    pub met: usize,
}

impl Weather {
    /// The fault of the next call, if it meets one.
    pub fn strike(&mut self, method: &str) -> Option<Fault> {
        if !self.methods.iter().any(|m| m == method) || self.next() % 1_000 >= self.per_mille {
            return None;
        }
        self.met += 1;
        let kind = self.next() % self.kinds.len() as u64;
        self.kinds.get(usize::try_from(kind).unwrap_or(0)).cloned()
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// A fault that waits for its call.
#[derive(Debug)]
pub(super) struct Planned {
    /// `*` for every method.
    pub method: String,
    pub chat: Option<i64>,
    pub fault: Fault,
    /// `None`: until it is cleared.
    pub left: Option<usize>,
}

impl Planned {
    fn fits(&self, method: &str, chat: Option<i64>, params: &Params) -> bool {
        let method_fits = self.method == "*" || self.method.eq_ignore_ascii_case(method);
        let chat_fits = self.chat.is_none() || self.chat == chat;
        let has_entities = || {
            let given = |name: &str| params.get(name).is_some_and(|v| v.as_array().is_none_or(|l| !l.is_empty()));
            given("entities") || given("parse_mode")
        };
        let has_topic = || params.contains_key("message_thread_id");
        method_fits
            && chat_fits
            && (!matches!(self.fault, Fault::RefuseEntities) || has_entities())
            && (!matches!(self.fault, Fault::TopicGone) || has_topic())
    }
}

/// The first fault that fits this call, used up once.
pub(super) fn take(plans: &mut Vec<Planned>, method: &str, chat: Option<i64>, params: &Params) -> Option<Fault> {
    let index = plans.iter().position(|plan| plan.fits(method, chat, params))?;
    let fault = plans[index].fault.clone();
    if let Some(left) = &mut plans[index].left {
        *left -= 1;
        if *left == 0 {
            plans.remove(index);
        }
    }
    Some(fault)
}
