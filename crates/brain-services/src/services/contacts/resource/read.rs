//! From the text of a resource to the contact.

use super::card::CardText;
use super::preferred::preferred;
use crate::services::contacts::record::Contact;
use crate::services::contract::provenance::Others;
use crate::services::remote::dav::{DavReader, ResourceName};
use brain_core::limits::VCARD_VALUES_MAX;
use brain_wire::ical::Malformed;

/// Whose words those of an address book are that is not the person's alone.
const SHARED: &str = "an address book that others write into, too";

/// Why a resource is not shown as a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableContact {
    /// Its text.
    #[error("{0}")]
    Malformed(Malformed),
    /// It holds something else.
    #[error("there is no contact in it")]
    NoContact,
}

/// The contact of a resource; `None`: a group of people, or a card that names nobody and says where to reach nobody.
pub(super) fn read(
    text: &str,
    name: ResourceName,
    held: Option<&Contact>,
    reader: &DavReader<'_>,
) -> Result<Option<Contact>, UnreadableContact> {
    let card = CardText::of(text)?;
    if card.is_group() {
        return Ok(None);
    }
    let Some(person) = card.person() else { return Ok(None) };
    let mut contact = Contact {
        owner: reader.owner.clone(),
        id: name.id,
        name: person,
        nicknames: card.said("NICKNAME"),
        emails: card.said("EMAIL"),
        preferred: preferred(&card.lines).and_then(|at| card.lines[at].only().map(str::to_owned)),
        phones: card.said("TEL"),
        groups: card.said("CATEGORIES"),
        note: held.and_then(|held| held.note.clone()),
        given: Some(Vec::new()),
        beside: held.map(|held| held.beside.clone()).unwrap_or_default(),
        former: Vec::new(),
        others: Others::default(),
        origin: Some(name.origin),
    };
    contact.others = others(&contact, held, reader.is_shared);
    let is_there = |address: &String| contact.emails.iter().any(|there| there.eq_ignore_ascii_case(address));
    let was = held.into_iter().flat_map(|held| held.emails.iter().chain(&held.former));
    let mut former: Vec<String> = was.filter(|address| !is_there(address)).cloned().collect();
    former.truncate(VCARD_VALUES_MAX);
    contact.former = former;
    contact.given = Some(held.map(Contact::given).unwrap_or_default());
    Ok(Some(contact))
}

/// Whose words it holds: of what the replica has already, that is known here alone; what is new is whose book it is.
fn others(contact: &Contact, held: Option<&Contact>, is_shared: bool) -> Others {
    let mut others = Others::default();
    let known: Vec<(&str, &String)> = held.into_iter().flat_map(values).collect();
    let known_others = held.map(|held| held.others.untrusted("a contact")).unwrap_or_default();
    for (field, text) in values(contact) {
        let is_same = |other: &str| other.eq_ignore_ascii_case(text);
        let source = if known.iter().any(|(of, held)| *of == field && is_same(held)) {
            known_others.iter().find(|words| is_same(&words.text)).map(|words| words.source.clone())
        } else {
            is_shared.then(|| SHARED.to_owned())
        };
        others.add(field, text, source);
    }
    others
}

/// Its words, by the fields that [`Others`] names.
fn values(contact: &Contact) -> impl Iterator<Item = (&'static str, &String)> {
    let lists = [
        ("email", &contact.emails),
        ("phone", &contact.phones),
        ("nickname", &contact.nicknames),
        ("group", &contact.groups),
    ];
    let lists = lists.into_iter().flat_map(|(field, list)| list.iter().map(move |text| (field, text)));
    std::iter::once(("name", &contact.name)).chain(lists)
}
