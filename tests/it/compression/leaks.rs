//! Two people and a group, a thousand turns of everything, shortened now and then by a model that copies: what one of
//! them said alone reaches neither the other nor the group, in no prompt and in no answer.

use std::cell::{Cell, RefCell};

use brain_agent::core::ids::ChatId;
use brain_agent::core::pending::State;
use brain_agent::core::turn::{Input, Origin};
use brain_agent::pipeline::public::{Public, handle_public_turn};
use brain_agent::pipeline::stages::compress;
use brain_agent::ports::records::{CompressionTrace, ConversationSummary};
use brain_agent::ports::{Call, Stage};
use brain_agent::upkeep;
use chrono::Duration;
use serde_json::{Value, json};

use super::copies;
use crate::rig::{Card, Person, Rig, Setup, action, chat_of, send};

const TURNS: usize = 1_000;
const GROUP: &str = "tg:-100";
const PEOPLE: [&str; 2] = ["alex", "bob"];
/// What every made-up word begins with: of each of them alone, and of each in the group.
const ALONE: [&str; 2] = ["amberfox", "birchowl"];
const AMONG_OTHERS: [&str; 2] = ["cedarcat", "delphdog"];
const COMMANDS: [&str; 9] = [
    "/tasks",
    "/memory",
    "/today",
    "/pending",
    "/memory conversation",
    "/undo",
    "/trace",
    "/export",
    "what did I tell you about the weather?",
];

/// What is asked for, at the end of a prompt.
fn asked(call: &Call) -> String {
    let said = call.user.rsplit("\nRequest: ").next().unwrap_or_default();
    said.rsplit("Message: ").next().unwrap_or_default().trim().to_owned()
}

/// The word of a message that was made up for it.
fn word_of(said: &str) -> String {
    let is_made_up = |word: &&str| ALONE.iter().chain(&AMONG_OTHERS).any(|marker| word.starts_with(marker));
    said.split_whitespace().find(is_made_up).unwrap_or("nothing").to_owned()
}

fn routed(said: &str) -> Value {
    let domain = match said.split_whitespace().nth(1) {
        Some("note") => "task",
        Some("keep") => "memory",
        Some("mail") => "email",
        Some("meet") => "calendar",
        _ => return json!({"type": "chat", "domains": [], "is_followup": false}),
    };
    json!({"type": "action", "domains": [domain], "is_followup": false})
}

fn planned(said: &str) -> Value {
    let word = word_of(said);
    let (actions, question) = match said.split_whitespace().nth(1) {
        Some("note") => (json!([action("task", "create", json!({"title": format!("Look after {word}")}))]), None),
        Some("keep") => {
            let params = json!({"category": "fact", "key": word, "value": format!("is {word}")});
            (json!([action("memory", "store", params)]), None)
        }
        Some("mail") => (json!([send("zoe@example.com", &word, &format!("It is about {word}."))]), None),
        _ => (json!([]), Some(format!("When is {word}?"))),
    };
    json!({"actions": actions, "question": question, "open": null})
}

/// Says again what it was shown last.
fn echoed(call: &Call) -> Value {
    let words: Vec<&str> = call.user.split_whitespace().collect();
    json!(words[words.len().saturating_sub(15)..].join(" "))
}

struct Talk {
    rig: Rig,
    chance: Cell<u64>,
    cards: RefCell<Vec<(usize, Card)>>,
    prompts: Cell<usize>,
    decided: Cell<usize>,
}

impl Talk {
    fn new(seed: u64) -> Self {
        let rig = Rig::new(Setup::default());
        rig.script.on(Stage::Route, |call| routed(&asked(call)));
        rig.script.on(Stage::Plan, |call| planned(&asked(call)));
        rig.script.on(Stage::Respond, echoed);
        copies(&rig);
        let (prompts, decided) = (Cell::new(0), Cell::new(0));
        Self { rig, chance: Cell::new(seed), cards: RefCell::default(), prompts, decided }
    }

    fn below(&self, bound: usize) -> usize {
        let next = self.chance.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.chance.set(next);
        usize::try_from(next >> 33).unwrap() % bound
    }

    fn alone(&self, who: usize) -> Person<'_> {
        self.rig.as_user(PEOPLE[who])
    }

    fn among_others(&self, who: usize) -> Person<'_> {
        self.rig.in_chat(PEOPLE[who], &ChatId::new(GROUP))
    }

    /// Nothing that was asked of a model since the last look holds words that are not to be heard there.
    fn is_tight(&self, chat: &ChatId, what: &str) {
        for call in self.rig.script.taken() {
            self.prompts.set(self.prompts.get() + 1);
            no_leak(chat, &format!("{}\n{}", call.system, call.user), &format!("{what}, {}", call.stage));
        }
    }

    async fn says(&self, who: usize, text: &str) {
        let answer = self.alone(who).says(text).await;
        if answer.has_card() {
            self.cards.borrow_mut().push((who, answer.card()));
        }
        self.is_tight(&chat_of(PEOPLE[who]), text);
    }

    /// As a channel does it: what is private is answered in the private chat.
    async fn says_among_others(&self, who: usize, text: &str) {
        let input = Input::Message { text: text.to_owned(), origin: Origin::InGroup, reply_to: None };
        let incoming = self.among_others(who).incoming(input, self.rig.channel.next_id());
        let done = handle_public_turn(&self.rig.brain, &incoming).await;
        self.is_tight(&incoming.chat, text);
        if matches!(done, Public::Private) {
            let answer = self.alone(who).writes(text, Origin::InGroup, None).await;
            if answer.has_card() {
                self.cards.borrow_mut().push((who, answer.card()));
            }
            self.is_tight(&chat_of(PEOPLE[who]), text);
        }
    }

    /// A card that waits is decided, by a press or a word, after the other one has tried.
    async fn decides(&self) {
        let waiting = self.cards.borrow().len();
        if waiting == 0 {
            return;
        }
        let at = self.below(waiting);
        let (who, card) = self.cards.borrow_mut().remove(at);
        if self.rig.pending(&card.id).await.state != State::Pending {
            return;
        }
        let effects = self.rig.effects().len();
        self.alone(1 - who).presses(&card.approve().data).await;
        assert_eq!(self.rig.effects().len(), effects, "somebody else's yes");
        match self.below(3) {
            0 => self.alone(who).presses(&card.approve().data).await,
            1 => self.alone(who).presses(&card.cancel().data).await,
            _ => self.alone(who).replies("yes", card.last()).await,
        };
        self.decided.set(self.decided.get() + 1);
        self.is_tight(&chat_of(PEOPLE[who]), "a card");
    }

    async fn shortens(&self) {
        for who in 0..PEOPLE.len() {
            for person in [self.alone(who), self.among_others(who)] {
                compress::shorten(&self.rig.brain, &person.chat, &person.user).await.unwrap();
                self.is_tight(&person.chat, "a summary");
            }
        }
    }

    async fn turn(&self, nth: usize) {
        let who = self.below(PEOPLE.len());
        let is_alone = self.below(3) > 0;
        let word = format!("{}{nth}", if is_alone { ALONE[who] } else { AMONG_OTHERS[who] });
        let text = match self.below(13) {
            0..=3 => format!("lovely weather today, says {word}, lovely indeed"),
            4..=5 => format!("please note {word} and what belongs to it"),
            6 => format!("please keep {word} in mind"),
            7..=8 => format!("please mail zoe@example.com about {word}"),
            9 => format!("please meet somebody about {word}"),
            10..=11 => return self.decides().await,
            _ => COMMANDS[self.below(COMMANDS.len())].to_owned(),
        };
        match is_alone {
            true => self.says(who, &text).await,
            false => self.says_among_others(who, &text).await,
        }
    }
}

/// What may not be heard in a chat stands nowhere in it.
fn no_leak(chat: &ChatId, text: &str, what: &str) {
    for (who, marker) in PEOPLE.iter().zip(ALONE) {
        if *chat != chat_of(who) {
            assert!(!text.contains(marker), "{what}: {who}'s own words in {chat}:\n{text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn in_a_thousand_turns_of_two_people_and_a_group_nothing_private_is_heard_elsewhere() {
    let talk = Talk::new(7);
    for nth in 0..TURNS {
        talk.turn(nth).await;
        if nth % 5 == 4 {
            // Cards that nobody decides expire meanwhile.
            talk.rig.moves_clock(Duration::hours(2)).await;
            talk.shortens().await;
        }
        if nth % 100 == 99 {
            upkeep::once(&talk.rig.brain).await.unwrap();
        }
        talk.rig.log.forget();
    }
    let shown = talk.rig.channel.all();
    for shown in &shown {
        no_leak(&shown.chat, &serde_json::to_string(&shown.reply).unwrap(), "an answer");
    }
    let summaries = talk.rig.all::<ConversationSummary>().await;
    assert_eq!(summaries.len(), 4, "each in their own chat and in the group");
    for short in &summaries {
        let text = serde_json::to_string(short).unwrap();
        no_leak(&short.chat, &text, "a summary");
        // There is something that could leak.
        let who = PEOPLE.iter().position(|person| *person == short.owner.as_str()).unwrap();
        let expected = if short.chat.as_str() == GROUP { AMONG_OTHERS[1 - who] } else { ALONE[who] };
        assert!(text.contains(expected), "{text}");
        assert!(!short.summary.own().text.contains(AMONG_OTHERS[1 - who]), "another's words as their own: {text}");
    }
    let traces = talk.rig.all::<CompressionTrace>().await;
    let made = traces.iter().filter(|trace| trace.fallback.is_none() && trace.by_model).count();
    let in_group = shown.iter().filter(|shown| shown.chat.as_str() == GROUP).count();
    println!("{} prompts, {} answers, {in_group} in the group, {made} summaries", talk.prompts.get(), shown.len());
    assert!(talk.prompts.get() > 2_000 && in_group > 100 && made > 100 && talk.decided.get() > 50);
}

#[tokio::test(start_paused = true)]
async fn what_is_said_in_a_group_becomes_long_as_well() {
    let talk = Talk::new(1);
    let named = || tokio::time::timeout(std::time::Duration::from_secs(1), talk.rig.brain.long_chats.next());
    talk.says_among_others(0, "lovely weather today").await;
    assert!(named().await.is_err(), "one turn is not long");
    for nth in 0..6 {
        talk.says_among_others(nth % 2, "and tomorrow it will be as lovely as it is today").await;
    }
    assert_eq!(named().await.unwrap().0.as_str(), GROUP);
}
