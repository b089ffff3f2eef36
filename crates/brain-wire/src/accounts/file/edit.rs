//! Changes one account of the file, and nothing else of it: other accounts, comments and order stay.

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, Value};

use super::document;
use super::entry::SECRETS;
use crate::accounts::account::AccountPerson;

/// What a key is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileSetting {
    /// A text.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
    /// A number.
    Number(u32),
    /// Yes or no.
    Truth(bool),
    /// A table of its own.
    Table(Vec<(String, FileSetting)>),
    /// The key goes.
    Absent,
}

/// What becomes of one account. Without one of this name and person it is a new one.
#[derive(Debug, Clone)]
pub struct AccountChange {
    /// Whose it is.
    pub person: AccountPerson,
    /// What the person calls it.
    pub name: String,
    /// Keys, and what they are set to. A key that says where the secret is takes the place of any other such key.
    pub settings: Vec<(String, FileSetting)>,
}

/// The text of the file after a change.
pub fn changed(text: &str, change: &AccountChange) -> Result<String, String> {
    let mut document = document(text)?;
    let is_array = document.get("account").is_none_or(Item::is_array_of_tables);
    let accounts = document.entry("account").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let Some(accounts) = accounts.as_array_of_tables_mut().filter(|_| is_array) else {
        return Err("accounts.toml: each account begins with [[account]], in two pairs of brackets".to_owned());
    };
    let index = accounts.iter().position(|table| is_it(table, change));
    let is_new = index.is_none();
    if is_new {
        accounts.push(new_account(change));
    }
    let last = accounts.len() - 1;
    if let Some(table) = accounts.get_mut(index.unwrap_or(last)) {
        for (key, setting) in &change.settings {
            set(table, key, setting);
        }
    }
    Ok(ended(document))
}

fn ended(document: DocumentMut) -> String {
    let mut text = document.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn is_it(table: &Table, change: &AccountChange) -> bool {
    let text = |key: &str| table.get(key).and_then(Item::as_str).map(str::trim);
    let person = match &change.person {
        AccountPerson::First => None,
        AccountPerson::Id(id) => Some(id.as_str()),
    };
    let first = table.get("addresses").and_then(|item| match item.as_array() {
        Some(list) => list.get(0).and_then(Value::as_str),
        None => item.as_str(),
    });
    let by_address = || first.and_then(crate::accounts::sender::parse_sender).map(|sender| sender.address.to_string());
    let name = text("name").map(str::to_owned).or_else(by_address);
    text("person") == person && name.is_some_and(|name| name.to_lowercase() == change.name.to_lowercase())
}

fn new_account(change: &AccountChange) -> Table {
    let mut table = Table::new();
    table.decor_mut().set_prefix("\n");
    if let AccountPerson::Id(id) = &change.person {
        table.insert("person", toml_edit::value(id));
    }
    table.insert("name", toml_edit::value(&change.name));
    table
}

fn set(table: &mut Table, key: &str, setting: &FileSetting) {
    if SECRETS.contains(&key) && *setting != FileSetting::Absent {
        SECRETS.into_iter().filter(|other| *other != key).for_each(|other| drop(table.remove(other)));
    }
    let value = match setting {
        FileSetting::Absent => {
            table.remove(key);
            return;
        }
        FileSetting::Table(rows) => {
            let below = table.entry(key).or_insert(Item::Table(Table::new()));
            if !below.is_table() {
                *below = Item::Table(Table::new());
            }
            if let Some(below) = below.as_table_mut() {
                rows.iter().for_each(|(key, setting)| set(below, key, setting));
            }
            return;
        }
        FileSetting::Text(text) => Value::from(text),
        FileSetting::Texts(texts) => Value::from(texts.iter().collect::<Array>()),
        FileSetting::Number(number) => Value::from(i64::from(*number)),
        FileSetting::Truth(truth) => Value::from(*truth),
    };
    // What stands around the old value, such as a comment behind it, stays.
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = value;
            *old.decor_mut() = decor;
        }
        None => drop(table.insert(key, Item::Value(value))),
    }
}
