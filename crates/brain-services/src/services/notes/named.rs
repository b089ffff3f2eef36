//! Which note a name means, by its own words or by words that people use for one another.
//!
//! Invariant: what a name says itself comes first; other words for it count only where it means nothing for sure.

use std::collections::BTreeSet;

use super::append::AppendNote;
use super::create::CreateNote;
use super::record::{NAME, Note};
use super::service::NotesService;
use crate::services::contract::command;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Addition;
use crate::services::helpers::finding::Choice;
use crate::services::helpers::items::{Item, RevisedItem};
use crate::services::helpers::preparing;
use crate::services::helpers::search::WordQuery;
use brain_core::core::plan::PlannedAction;
use brain_language::language::terms;

/// Groups of stems.
fn synonyms() -> impl Iterator<Item = Vec<String>> {
    let lines = include_str!("synonyms.txt").lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let stem = |word: &str| terms::stem(&terms::fold(word));
    lines.map(move |line| line.split(',').map(stem).collect())
}

/// The name with each word that others stand for replaced by one of these, in turn.
fn other_names(name: &str) -> Vec<String> {
    let query = WordQuery::new(name);
    let mut names = Vec::new();
    for (at, word) in query.strong.iter().enumerate() {
        let stem = terms::stem(word);
        let groups = synonyms().filter(|group| group.contains(&stem));
        for other in groups.flatten().filter(|other| *other != stem) {
            let mut words = query.strong.clone();
            words[at] = other;
            names.push(words.join(" "));
        }
    }
    names
}

impl NotesService {
    /// The note of a name; `allowed` narrows what may be meant at all.
    pub(super) async fn named(
        &self,
        ctx: &RequestContext,
        name: &str,
        allowed: impl Fn(&Note) -> bool,
    ) -> Result<Choice<Note>, ServiceError> {
        let found = preparing::find(&self.store, &self.index, ctx, name, &allowed).await?;
        if matches!(found, Choice::One(_) | Choice::Several { sure: true, .. }) {
            return Ok(found);
        }
        let mut alike = self.otherwise_named(ctx, name, &allowed).await?;
        Ok(match alike.len() {
            0 => found,
            1 => alike.pop().map_or(found, Choice::One),
            _ => Choice::Several { items: alike.into_iter().map(|(note, _)| note).collect(), sure: true, more: 0 },
        })
    }

    /// The notes that bear another name for the same.
    async fn otherwise_named(
        &self,
        ctx: &RequestContext,
        name: &str,
        allowed: &impl Fn(&Note) -> bool,
    ) -> Result<Vec<RevisedItem<Note>>, ServiceError> {
        let mut alike: Vec<RevisedItem<Note>> = Vec::new();
        for other in other_names(name) {
            if let Choice::One(held) = preparing::find(&self.store, &self.index, ctx, &other, allowed).await?
                && !alike.iter().any(|(known, _)| known.id() == held.0.id())
            {
                alike.push(held);
            }
        }
        Ok(alike)
    }

    /// The one list that is called so, in these words or in others for the same.
    pub(super) async fn list_called(&self, ctx: &RequestContext, name: &str) -> Result<Option<Note>, ServiceError> {
        let is_list_name = WordQuery::new(name).vague.iter().any(|word| terms::stem(word) == terms::stem("list"));
        if !is_list_name {
            return Ok(None);
        }
        Ok(match self.named(ctx, name, Note::is_list).await? {
            Choice::One((note, _)) => Some(note),
            Choice::Several { .. } | Choice::None => None,
        })
    }
}

impl NotesService {
    /// What making a note would add to the one that is called the same.
    pub(super) async fn addition_to_its_like(
        &self,
        ctx: &RequestContext,
        planned: &PlannedAction,
    ) -> Result<Option<Addition>, ServiceError> {
        let Some(create) = CreateNote::of(planned) else { return Ok(None) };
        let Choice::One((note, _)) = self.named(ctx, &create.title, |_| true).await? else { return Ok(None) };
        let name = |title: &str| -> BTreeSet<String> {
            WordQuery::new(title).strong.iter().map(|word| terms::stem(word)).collect()
        };
        if name(&create.title).is_empty() || name(&create.title) != name(&note.title) {
            return Ok(None);
        }
        let find_by = note.id.clone();
        let action = create.said().map(|text| command::planned(NAME, &AppendNote { find_by, text }));
        Ok(Some(Addition { label: note.title, action }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_the_others_of_its_group() {
        let names = other_names("the shopping list");
        assert!(names.iter().any(|name| name == "groceri"), "{names:?}");
        assert!(other_names("the christmas list").is_empty());
    }
}
