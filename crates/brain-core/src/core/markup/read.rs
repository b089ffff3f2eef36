//! Markdown's events become text and spans.

use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::link::judge;
use super::table::{Drawn, MarkupTable};
use super::write::MarkupWriter;
use super::{Formatted, Style};
use crate::limits;

/// A line across.
const RULE: &str = "──────────";

pub(super) fn read(markdown: &str, given: &str) -> Formatted {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let parser = Parser::new_ext(markdown, options);
    let definitions: Vec<(String, String)> = parser
        .reference_definitions()
        .iter()
        .map(|(label, definition)| (folded(label), markdown[definition.span.clone()].to_owned()))
        .collect();
    let mut reader = MarkupReader { given, ..MarkupReader::default() };
    for (event, place) in parser.into_offset_iter() {
        if let Event::End(TagEnd::TableCell | TagEnd::TableRow) = event {
            reader.surplus(&event, markdown, place.clone());
        }
        reader.event(event);
    }
    // A definition that nothing refers to would vanish.
    for (label, line) in definitions {
        if !reader.used.contains(&label) {
            reader.writer.gap(1);
            reader.writer.push(line.trim());
        }
    }
    reader.writer.finish()
}

#[derive(Debug, Default)]
struct MarkupReader<'a> {
    /// See [`Formatted::read`].
    given: &'a str,
    writer: MarkupWriter,
    /// The next number of each list, or none for bullets.
    lists: Vec<Option<u64>>,
    /// Targets of links and images under way.
    targets: Vec<String>,
    code: Option<(Option<String>, String)>,
    table: Option<(MarkupTable, String)>,
    /// The byte behind the last cell.
    cell_end: usize,
    /// Labels of definitions that were referred to.
    used: HashSet<String>,
}

impl MarkupReader<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => match &mut self.table {
                Some((_, cell)) => cell.push_str(&code),
                None => self.writer.push_code(&code, Style::Code),
            },
            Event::InlineHtml(html) if is_break(&html) => self.line_end(),
            Event::Html(text) | Event::InlineHtml(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.text(&text);
            }
            Event::SoftBreak | Event::HardBreak => self.line_end(),
            Event::Rule => {
                self.writer.block();
                self.writer.push(RULE);
                self.writer.block();
            }
            Event::TaskListMarker(done) => self.writer.tick(if done { "☑ " } else { "☐ " }),
            // Not switched on.
            Event::FootnoteReference(label) => self.text(&format!("[^{label}]")),
        }
    }

    fn text(&mut self, text: &str) {
        match (&mut self.code, &mut self.table) {
            (Some((_, code)), _) => code.push_str(text),
            (None, Some((_, cell))) => cell.push_str(text),
            (None, None) => self.writer.push(text),
        }
    }

    /// A line that ends in the source ends in the message, too: that is how models mean it.
    fn line_end(&mut self) {
        match &mut self.table {
            Some((_, cell)) => cell.push(' '),
            None => self.writer.gap(1),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.writer.block(),
            Tag::Heading { .. } => {
                self.writer.block();
                self.writer.begin(Style::Bold);
            }
            Tag::BlockQuote(_) => {
                self.writer.block();
                self.writer.begin(Style::Quote { folded: false });
            }
            Tag::CodeBlock(kind) => {
                self.writer.block();
                self.code = Some((language(&kind), String::new()));
            }
            Tag::List(first) => {
                self.writer.begin_list(if first.is_some() { 3 } else { 2 });
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Table(alignments) => {
                self.writer.block();
                self.table = Some((MarkupTable::new(alignments), String::new()));
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some((table, _)) = &mut self.table {
                    table.begin_row();
                }
            }
            Tag::TableCell => {}
            Tag::Emphasis => self.begin(Style::Italic),
            Tag::Strong => self.begin(Style::Bold),
            Tag::Strikethrough => self.begin(Style::Strike),
            Tag::Link { link_type, dest_url, id, .. } | Tag::Image { link_type, dest_url, id, .. } => {
                self.link(link_type, dest_url.into_string(), &id);
            }
            // Not switched on; their words come as text.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => self.writer.block(),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.writer.block(),
            TagEnd::Heading(_) => {
                self.writer.end();
                self.writer.block();
            }
            TagEnd::BlockQuote(_) => {
                self.writer.end_quote();
                self.writer.block();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.writer.end_list();
            }
            TagEnd::Item => self.writer.end_item(),
            TagEnd::Table => self.end_table(),
            TagEnd::TableHead | TagEnd::TableRow => {}
            TagEnd::TableCell => {
                if let Some((table, cell)) = &mut self.table {
                    table.add(&std::mem::take(cell));
                }
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                if self.table.is_none() {
                    self.writer.end();
                }
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => self.writer.block(),
        }
    }

    /// Cells have no spans: a table is one.
    fn begin(&mut self, style: Style) {
        if self.table.is_none() {
            self.writer.begin(style);
        }
    }

    fn item(&mut self) {
        let depth = self.writer.depth();
        let bullet = match self.lists.last_mut() {
            Some(Some(number)) => {
                let bullet = format!("{number}. ");
                *number = number.saturating_add(1);
                bullet
            }
            Some(None) | None if depth > 1 => "◦ ".to_owned(),
            Some(None) | None => "• ".to_owned(),
        };
        self.writer.begin_item(bullet);
    }

    fn end_code(&mut self) {
        if let Some((language, code)) = self.code.take() {
            self.writer.push_code(code.trim_end_matches('\n'), Style::Pre { language });
        }
        self.writer.block();
    }

    /// Cells beyond the columns of the head are no part of the table to the parser, but were written.
    fn surplus(&mut self, end: &Event<'_>, markdown: &str, place: Range<usize>) {
        if matches!(end, Event::End(TagEnd::TableCell)) {
            self.cell_end = place.end;
            return;
        }
        let rest = markdown.get(self.cell_end.max(place.start)..place.end).unwrap_or_default();
        if let Some((table, _)) = &mut self.table {
            rest.split('|').filter(|cell| !cell.trim().is_empty()).for_each(|cell| table.add(cell));
        }
    }

    fn end_table(&mut self) {
        match self.table.take().map(|(table, _)| table.draw()) {
            Some(Drawn::Grid(text)) => self.writer.push_code(&text, Style::Pre { language: None }),
            Some(Drawn::Lines(text)) => self.writer.push(&text),
            None => {}
        }
        self.writer.block();
    }

    fn link(&mut self, kind: LinkType, target: String, id: &str) {
        if matches!(kind, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut) {
            self.used.insert(folded(id));
        }
        let target = if kind == LinkType::Email { format!("mailto:{target}") } else { target };
        self.targets.push(target);
        if self.table.is_none() && self.targets.len() <= limits::MARKDOWN_LINKS_MAX {
            // What it is shows at its end; until then it is a link, so that no code span begins inside it.
            self.writer.begin(Style::Link { url: String::new() });
        }
    }

    fn end_link(&mut self) {
        let Some(target) = self.targets.pop() else { return };
        if let Some((_, cell)) = &mut self.table {
            if !cell.ends_with(&target) {
                let between = if cell.is_empty() { "" } else { " " };
                cell.push_str(&format!("{between}({target})"));
            }
            return;
        }
        if self.targets.len() >= limits::MARKDOWN_LINKS_MAX {
            return self.writer.push(&format!(" ({target})"));
        }
        if self.writer.words().trim().is_empty() {
            self.writer.push(&target);
        }
        let judged = judge(self.writer.words(), &target, self.given);
        self.writer.end_as(judged.url.map(|url| Style::Link { url }));
        if let Some(note) = judged.note {
            self.writer.push(&format!(" ({note})"));
        }
    }
}

/// As a label is compared.
fn folded(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The name behind a fence, when it is one.
fn language(kind: &CodeBlockKind<'_>) -> Option<String> {
    let CodeBlockKind::Fenced(info) = kind else { return None };
    let name = info.split([' ', ',', '{', '\t']).next().unwrap_or_default();
    let is_name =
        !name.is_empty() && name.len() <= 32 && name.chars().all(|c| c.is_ascii_alphanumeric() || "+-#._".contains(c));
    is_name.then(|| name.to_owned())
}

fn is_break(html: &str) -> bool {
    ["<br>", "<br/>", "<br />"].iter().any(|tag| html.eq_ignore_ascii_case(tag))
}
