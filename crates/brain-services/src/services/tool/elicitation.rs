//! What a tool's server asked before it went on, until the person has answered, for a while and in memory alone.
//!
//! The answer is a new call of the same tool. It stands among the call's parameters, under names that no tool may have,
//! so that the gate, the card and its digest see it like everything else: `asked:` names the question, `asked:0:name`
//! answers a field of its first form. Invariants: only a question that is kept can be answered, by who was asked; what is
//! shown of it is written from what is kept, whoever planned the call; a server asks a few times in a row at most. What
//! the server said is framed, and the frame says never to answer with a password.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};

use super::form::{FormField, FormFields, plain};
use super::receipt::framed_answer;
use crate::services::contract::param_error::ParamError;
use brain_core::core::card::Row;
use brain_core::core::ids::UserId;
use brain_core::core::plan::Params;
use brain_core::core::provenance::UntrustedText;
use brain_core::core::text::capital;
use brain_core::limits;
use brain_wire::mcp::{CallAnswers, Elicitation, ElicitationForm};

pub(super) use crate::services::contract::addressee::ASKED;

const GONE: &str = "What was asked about that isn't open any more, so nothing was done. Ask for it again.";

/// The questions of one source of tools.
#[derive(Debug, Default)]
pub struct KeptQuestions {
    /// The oldest first.
    kept: Mutex<VecDeque<Arc<OpenForms>>>,
}

#[derive(Debug)]
struct OpenForms {
    id: String,
    owner: UserId,
    tool: String,
    until: DateTime<Utc>,
    forms: Vec<(ElicitationForm, FormFields)>,
    state: Option<String>,
    /// What was answered before, in the same chain of calls.
    earlier: GivenAnswers,
}

/// What a call brings along for questions that were asked before.
#[derive(Debug, Clone, Default)]
pub struct GivenAnswers {
    /// As they go out.
    pub answers: CallAnswers,
    /// For cards: what was asked, and the answer.
    told: Vec<(String, String)>,
    /// How many calls of the chain brought answers.
    rounds: usize,
}

impl KeptQuestions {
    /// Keeps what a call was asked; `of` names the call, and `given` is what that brought along.
    ///
    /// # Errors
    /// Why it is not asked, as the end of a sentence that begins with the server's name.
    pub fn keep(
        &self,
        owner: &UserId,
        tool: &str,
        of: &str,
        asked: Elicitation,
        given: &GivenAnswers,
        now: DateTime<Utc>,
    ) -> Result<(), String> {
        if asked.is_unclear || asked.forms.is_empty() {
            return Err("asked something, and I can't tell what about: it may mean another call".to_owned());
        }
        if given.rounds >= limits::FORM_ROUNDS_MAX {
            return Err("goes on asking, so I stopped".to_owned());
        }
        let read = |form: ElicitationForm| FormFields::read(&form.asked).map(|read| (form, read));
        let forms = asked.forms.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let mut kept = self.kept();
        kept.retain(|open| open.until > now && open.id != of);
        while kept.len() >= limits::FORMS_KEPT_MAX {
            kept.pop_front();
        }
        kept.push_back(Arc::new(OpenForms {
            id: of.to_owned(),
            owner: owner.clone(),
            tool: tool.to_owned(),
            until: now + Duration::seconds(limits::FORM_KEPT_SECS),
            forms,
            state: asked.state,
            earlier: given.clone(),
        }));
        Ok(())
    }

    /// Whether this call was asked something.
    pub(super) fn has(&self, of: &str) -> bool {
        self.kept().iter().any(|open| open.id == of)
    }

    /// Whether what these parameters answer was asked of this person, and is open.
    pub(super) fn is_open_to(&self, owner: &UserId, params: &Params, now: DateTime<Utc>) -> Result<(), String> {
        let Some(id) = id_in(params) else { return Ok(()) };
        let open = self.find(id).is_some_and(|open| open.owner == *owner && open.until > now);
        if open { Ok(()) } else { Err(GONE.to_owned()) }
    }

    /// The answers among parameters, as values; what is missing among them is asked. `title`: who asks.
    pub(super) fn check(&self, title: &str, tool: &str, given: &Params) -> Result<Params, ParamError> {
        let Some(id) = id_in(given) else { return Ok(Params::new()) };
        let open = self.find(id).filter(|open| open.tool == tool);
        let open = open.ok_or_else(|| ParamError::Invalid(GONE.to_owned()))?;
        let mut answers = Params::from_iter([(ASKED.to_owned(), open.shown())]);
        for (at, (_, form)) in open.forms.iter().enumerate() {
            let asks = |param: &str, choices, wrong| asks(title, form, name_of(at, param), choices, wrong);
            let mut said: Params = form.fields.iter().filter_map(|field| given_for(given, at, &field.name)).collect();
            let goes_on = given.get(&name_of(at, "")).cloned();
            for words in said.values().cloned().chain(goes_on.clone()).collect::<Vec<_>>() {
                said.extend(words.as_str().and_then(|words| pairs(words, &form.fields)).unwrap_or_default());
            }
            for field in &form.fields {
                let value = said.get(&field.name).map(|answer| field.value(answer)).transpose();
                match value.map_err(|why| asks(&field.name, field.choices(), Some(why)))? {
                    Some(value) => answers.insert(name_of(at, &field.name), value),
                    None if field.is_required => return Err(asks(&field.name, field.choices(), None)),
                    None => None,
                };
            }
            let is_optional = !form.fields.iter().any(|field| field.is_required);
            if is_optional && said.is_empty() && goes_on.is_none() {
                return Err(asks("", vec![("go on".to_owned(), "Go on".to_owned())], None));
            }
            for field in form.fields.iter().filter(|field| !said.contains_key(&field.name)) {
                answers.extend(field.default.clone().map(|value| (name_of(at, &field.name), value)));
            }
            answers.extend(goes_on.map(|_| (name_of(at, ""), "go on".into())));
        }
        Ok(answers)
    }

    /// What goes out for these parameters, which were checked.
    pub(super) fn answers(&self, params: &Params) -> Option<GivenAnswers> {
        let open = self.find(id_in(params)?)?;
        let GivenAnswers { mut answers, mut told, rounds } = open.earlier.clone();
        // By the newer protocol the server has those in what it wanted back.
        answers.given.retain(|(form, _)| form.key.is_none());
        for (at, (form, read)) in open.forms.iter().enumerate() {
            let content: Params = read.fields.iter().filter_map(|field| given_for(params, at, &field.name)).collect();
            told.push((read.message.clone(), plain_content(&content)));
            answers.given.push((form.clone(), Value::Object(content)));
        }
        answers.state.clone_from(&open.state);
        Some(GivenAnswers { answers, told, rounds: rounds + 1 })
    }

    fn find(&self, id: &str) -> Option<Arc<OpenForms>> {
        self.kept().iter().find(|open| open.id == id).cloned()
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Arc<OpenForms>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenForms {
    fn shown(&self) -> Value {
        let says: Vec<&str> = self.forms.iter().map(|(_, form)| form.message.as_str()).collect();
        let mut shown = json!({"id": self.id, "says": says});
        if !self.earlier.told.is_empty() {
            shown["before"] = json!(self.earlier.told);
        }
        shown
    }
}

/// The parameters of a call itself, and those that answer what was asked.
pub(super) fn parted(params: Params) -> (Params, Params) {
    params.into_iter().partition(|(name, _)| !name.starts_with(ASKED))
}

/// The parameter that names what was asked of a call.
pub(super) fn naming(of: &str) -> (String, Value) {
    (ASKED.to_owned(), of.into())
}

/// What a card shows of answers.
pub(super) fn rows(title: &str, answers: &Params) -> Vec<Row> {
    let mut rows = Vec::new();
    let before = answers.get(ASKED).and_then(|asked| asked["before"].as_array()).into_iter().flatten();
    for [question, answer] in before.filter_map(|pair| Some([pair[0].as_str()?, pair[1].as_str()?])) {
        rows.push(Row::words(format!("{title} asked before"), question));
        rows.push(Row::words("Answered", answer));
    }
    let says = answers.get(ASKED).and_then(|asked| asked["says"].as_array()).into_iter().flatten();
    for (at, says) in says.filter_map(Value::as_str).enumerate() {
        rows.push(Row::words(format!("{title} asks"), says));
        let prefix = name_of(at, "");
        let fields = answers.iter().filter_map(|(name, value)| Some((name.strip_prefix(&prefix)?, value)));
        rows.extend(
            fields.filter(|(name, _)| !name.is_empty()).map(|(name, value)| Row::words(capital(name), plain(value))),
        );
    }
    rows
}

fn id_in(params: &Params) -> Option<&str> {
    let asked = params.get(ASKED)?;
    asked.as_str().or_else(|| asked["id"].as_str()).or(Some(""))
}

fn name_of(at: usize, field: &str) -> String {
    format!("{ASKED}{at}:{field}")
}

fn given_for(params: &Params, at: usize, field: &str) -> Option<(String, Value)> {
    Some((field.to_owned(), params.get(&name_of(at, field))?.clone()))
}

fn plain_content(content: &Params) -> String {
    let said: Vec<String> = content.iter().map(|(name, value)| format!("{name}: {}", plain(value))).collect();
    if said.is_empty() { "go on".to_owned() } else { said.join(", ") }
}

/// Several answers at once, each behind its field's name: `name=Ana, age=30`; `None` where they do not begin so.
fn pairs(words: &str, fields: &[FormField]) -> Option<Params> {
    let begins = |at: usize| at == 0 || words[..at].ends_with([' ', ',', '\n']);
    let named = |at: usize| {
        let fits = fields.iter().filter(|field| words[at..].starts_with(&format!("{}=", field.name)));
        fits.max_by_key(|field| field.name.len()).map(|field| (at, field.name.as_str()))
    };
    let starts: Vec<(usize, &str)> =
        words.char_indices().filter(|(at, _)| begins(*at)).filter_map(|(at, _)| named(at)).collect();
    starts.first().filter(|(at, _)| *at == 0)?;
    let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([words.len()]);
    let value = |((at, name), end): (&(usize, &str), usize)| {
        let value = words[at + name.len() + 1..end].trim().trim_end_matches(',');
        ((*name).to_owned(), value.into())
    };
    Some(starts.iter().zip(ends).map(value).collect())
}

/// The question for a field, or for going on without one.
fn asks(
    title: &str,
    form: &FormFields,
    param: String,
    choices: Vec<(String, String)>,
    wrong: Option<String>,
) -> ParamError {
    let field = form.fields.iter().find(|field| param.ends_with(&format!(":{}", field.name)));
    let others = form.fields.iter().filter(|field| !field.is_required);
    let mut said = vec![form.message.clone()];
    said.extend(field.map(|field| format!("{}: {}", field.name, field.about)));
    let mut beside: Vec<String> = others.map(|other| format!("{}: {}", other.name, other.about)).collect();
    beside.retain(|line| !said.contains(line));
    let said = [said, beside.clone()].concat().join("\n");
    let mut question = vec![format!("{title} asks before it goes on:"), framed_answer(&said)];
    question.extend(wrong.map(|why| format!("That doesn't fit: {why}.")));
    question.push(match field {
        Some(field) => format!("What shall I tell it for “{}”?", field.name),
        None => "Shall it go on?".to_owned(),
    });
    if let Some(other) = beside.first().and_then(|line| line.split(':').next()) {
        question.push(format!("The rest is left as it is, unless you name it: “{other}=…”."));
    }
    question.push(format!("It goes to {title} alone. Never answer with a password or a code; “never mind” stops it."));
    let (param, quoted) = (param, Box::new(UntrustedText::new(format!("a question of {title}"), said)));
    ParamError::Asked { param, question: question.join("\n"), choices, quoted }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(properties: Value, required: Value) -> Elicitation {
        let schema = json!({"type": "object", "properties": properties, "required": required});
        let form = ElicitationForm { key: None, asked: json!({"message": "Tell me", "requestedSchema": schema}) };
        Elicitation { forms: vec![form], ..Elicitation::default() }
    }

    fn given(values: Value) -> Params {
        values.as_object().unwrap().clone()
    }

    #[test]
    fn fields_are_asked_one_by_one_and_the_answers_go_out_with_what_was_asked() {
        let (kept, anna, now) = (KeptQuestions::default(), UserId::new("anna"), DateTime::<Utc>::UNIX_EPOCH);
        let fields = json!({
            "age": {"type": "integer"}, "name": {"type": "string"},
            "level": {"type": "integer", "default": 3}, "unit": {"type": "string"},
        });
        let keep = |of: &str, given: &GivenAnswers| {
            kept.keep(&anna, "book", of, asked(fields.clone(), json!(["name", "age"])), given, now)
        };
        keep("q", &GivenAnswers::default()).unwrap();
        let check = |values: Value| kept.check("Hotel", "book", &given(values));
        let asks_for = |values: Value| match check(values) {
            Err(ParamError::Asked { param, question, .. }) => (param, question),
            other => panic!("{other:?}"),
        };
        let (param, question) = asks_for(json!({"asked:": "q"}));
        assert_eq!(param, "asked:0:age");
        assert!(question.contains("│ Tell me\n│ age: (a whole number)") && question.contains("password"), "{question}");
        let (param, question) = asks_for(json!({"asked:": "q", "asked:0:age": "old"}));
        assert!(param == "asked:0:age" && question.contains("That doesn't fit"), "{question}");
        assert_eq!(asks_for(json!({"asked:": "q", "asked:0:age": "30"})).0, "asked:0:name");
        let all =
            check(json!({"asked:": "q", "asked:0:age": "age=30, name=Ana, unit=cm", "asked:0:other": 1})).unwrap();
        let shown = json!({"id": "q", "says": ["Tell me"]});
        assert_eq!(
            Value::Object(all.clone()),
            json!({"asked:": shown, "asked:0:age": 30, "asked:0:name": "Ana", "asked:0:unit": "cm", "asked:0:level": 3})
        );
        assert_eq!(check(Value::Object(all.clone())), Ok(all.clone()), "what was checked stays as it is");
        let mut given = kept.answers(&all).unwrap();
        assert_eq!(given.answers.given[0].1, json!({"age": 30, "name": "Ana", "unit": "cm", "level": 3}));
        // A few times in a row, and each card says what was answered before.
        for of in ["q2", "q3"] {
            keep(of, &given).unwrap();
            let all = check(json!({"asked:": of, "asked:0:age": "name=Bo, age=1"})).unwrap();
            assert_eq!(all["asked:"]["before"][0][0], "Tell me");
            given = kept.answers(&all).unwrap();
        }
        assert!(keep("q4", &given).unwrap_err().contains("goes on asking"));
    }

    #[test]
    fn what_needs_nothing_is_asked_once_and_only_what_was_asked_can_be_answered() {
        let (kept, anna, now) = (KeptQuestions::default(), UserId::new("anna"), DateTime::<Utc>::UNIX_EPOCH);
        let optional = asked(json!({"level": {"type": "integer", "default": 3}}), json!([]));
        kept.keep(&anna, "book", "q", optional, &GivenAnswers::default(), now).unwrap();
        let check = |tool: &str, values: Value| kept.check("Hotel", tool, &given(values));
        let Err(ParamError::Asked { param, choices, .. }) = check("book", json!({"asked:": "q"})) else { panic!() };
        assert_eq!((param.as_str(), choices[0].1.as_str()), ("asked:0:", "Go on"));
        let all = check("book", json!({"asked:": "q", "asked:0:": "go on"})).unwrap();
        assert_eq!(kept.answers(&all).unwrap().answers.given[0].1, json!({"level": 3}));
        let all = check("book", json!({"asked:": "q", "asked:0:": "level=5"})).unwrap();
        assert_eq!(all["asked:0:level"], 5);
        for (tool, id) in [("book", "other"), ("else", "q")] {
            assert!(matches!(check(tool, json!({"asked:": id})), Err(ParamError::Invalid(_))), "{tool} {id}");
        }
        let named = given(json!({"asked:": "q"}));
        assert!(kept.is_open_to(&anna, &named, now).is_ok());
        assert!(kept.is_open_to(&UserId::new("bob"), &named, now).is_err());
        let late = now + Duration::seconds(limits::FORM_KEPT_SECS);
        assert!(kept.is_open_to(&anna, &named, late).is_err());
    }
}
