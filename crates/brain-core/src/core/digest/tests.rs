use proptest::prelude::*;

use super::*;
use crate::core::plan::Target;

/// Reads the bytes of the newest scheme back: what can be read back in one way is shared by nothing else.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn count(&mut self) -> usize {
        let (head, rest) = self.0.split_at(8);
        self.0 = rest;
        usize::try_from(u64::from_be_bytes(head.try_into().unwrap())).unwrap()
    }

    fn text(&mut self) -> String {
        let length = self.count();
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8(text.to_vec()).unwrap()
    }

    fn field(&mut self, tag: &str) -> String {
        assert_eq!(self.text(), tag);
        self.text()
    }

    fn list<T>(&mut self, tag: &str, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        assert_eq!(self.text(), tag);
        (0..self.count()).map(|_| item(self)).collect()
    }

    fn value(&mut self) -> Value {
        match self.text().as_str() {
            "null" => Value::Null,
            "true" => true.into(),
            "false" => false.into(),
            "number" => serde_json::from_str(&self.text()).unwrap(),
            "string" => self.text().into(),
            "array" => (0..self.count()).map(|_| self.value()).collect(),
            "object" => Value::Object((0..self.count()).map(|_| (self.text(), self.value())).collect()),
            other => panic!("{other}"),
        }
    }

    fn taints(&mut self, tag: &str) -> Vec<Taint> {
        self.list(tag, |bytes| Taint {
            param: bytes.text(),
            value: bytes.text(),
            source: bytes.text(),
            kept_in: bytes.list("kept in", Self::text).pop(),
        })
    }

    fn action(&mut self) -> Action {
        Action {
            service: self.field("service"),
            command: self.field("command"),
            schema: self.list("schema", Self::text).pop(),
            params: self.list("params", |bytes| (bytes.text(), bytes.value())).into_iter().collect(),
            target: self
                .list("target", |bytes| Target {
                    id: bytes.text(),
                    revision: bytes.text(),
                    label: bytes.text(),
                    before: bytes.value(),
                    ..Target::default()
                })
                .pop(),
            taints: self.taints("taints"),
            notes: self.list("notes", Self::text),
            names: self.list("names", |bytes| (bytes.text(), bytes.text())).into_iter().collect(),
            attachments: self.list("attachments", Self::text),
            passed_on: self.taints("passed on"),
            account: self
                .list("account", |bytes| ActingAccount {
                    id: bytes.text(),
                    label: bytes.list("label", Self::text).pop(),
                })
                .pop(),
        }
    }
}

/// Words that the bytes themselves hold.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("passed on".to_owned()),
        Just("depends on".to_owned()),
        Just("string".to_owned()),
        Just("\0\0\0\0\0\0\0\u{1}".to_owned()),
        "\\PC{0,4}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map(word(), inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn taints() -> impl Strategy<Value = Vec<Taint>> {
    let taint = (word(), word(), word(), proptest::option::of(word()));
    let taint = taint.prop_map(|(param, value, source, kept_in)| Taint { param, value, source, kept_in });
    proptest::collection::vec(taint, 0..3)
}

fn action() -> impl Strategy<Value = Action> {
    let words = || proptest::collection::vec(word(), 0..3);
    let target = (word(), word(), word(), value());
    let target =
        target.prop_map(|(id, revision, label, before)| Target { id, revision, label, before, ..Target::default() });
    let head = (word(), word(), proptest::option::of(word()), proptest::collection::btree_map(word(), value(), 0..3));
    let account = (word(), proptest::option::of(word())).prop_map(|(id, label)| ActingAccount { id, label });
    let names = proptest::collection::btree_map(word(), word(), 0..3);
    let tail = (taints(), words(), names, words(), taints(), proptest::option::of(account));
    (head, proptest::option::of(target), tail).prop_map(
        |((service, command, schema, params), target, (taints, notes, names, attachments, passed_on, account))| {
            Action {
                service,
                command,
                schema,
                params: params.into_iter().collect(),
                target,
                taints,
                notes,
                names,
                attachments,
                passed_on,
                account,
            }
        },
    )
}

proptest! {
    #[test]
    fn the_bytes_can_be_read_back_in_one_way_only(
        actions in proptest::collection::vec(action(), 0..3),
        depends_on in proptest::collection::vec(proptest::collection::vec(0usize..9, 0..3), 0..3),
        (owner, chat, account) in (word(), word(), word()),
    ) {
        let written = bytes(Scheme::NOW, &UserId::new(owner.clone()), &ChatId::new(chat.clone()), &account, &actions, &depends_on);
        let mut read = Reader(&written);
        prop_assert_eq!(read.text(), "brain-agent/actions/3");
        prop_assert_eq!((read.field("owner"), read.field("chat"), read.field("account")), (owner, chat, account));
        prop_assert_eq!(read.list("actions", Reader::action), actions);
        let on = |bytes: &mut Reader<'_>| (0..bytes.count()).map(|_| bytes.count()).collect::<Vec<_>>();
        prop_assert_eq!(read.list("depends on", on), depends_on);
        prop_assert!(read.0.is_empty());
    }
}

#[test]
fn a_card_of_the_first_scheme_keeps_its_digest() {
    let action = Action { service: "email".into(), command: "send_email".into(), ..Action::default() };
    let of = |scheme| {
        Digest::under(scheme, &UserId::new("o"), &ChatId::new("c"), "default", std::slice::from_ref(&action), &[])
    };
    assert_eq!(of(Scheme::First).as_str(), "122fe0b8b1c0965a6aad76dd999eaae4f8afc33b3bd085aafe0d498123a7d2f8");
    assert_ne!(of(Scheme::First), of(Scheme::Second));
    assert_ne!(of(Scheme::Second), of(Scheme::Third));
}

#[test]
fn an_account_that_is_added_or_exchanged_is_another_digest_under_every_scheme() {
    let account = |id: &str| Some(ActingAccount { id: id.to_owned(), label: None });
    let of = |scheme, account| {
        let action = Action { service: "email".into(), command: "send_email".into(), account, ..Action::default() };
        Digest::under(scheme, &UserId::new("o"), &ChatId::new("c"), "default", &[action], &[])
    };
    for scheme in [Scheme::First, Scheme::Second, Scheme::Third] {
        assert_ne!(of(scheme, None), of(scheme, account("work")));
        assert_ne!(of(scheme, account("home")), of(scheme, account("work")));
    }
}
