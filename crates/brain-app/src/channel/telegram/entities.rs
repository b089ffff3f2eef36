//! Spans as the Bot API has them. Both count in UTF-16 units, so nothing needs to be measured again.

use reqwest::Url;
use teloxide::types::{MessageEntity, MessageEntityKind};

use brain_core::core::markup::{Span, Style};

/// A link whose target cannot be parsed is left out; its words stay.
pub(super) fn entities(spans: &[Span]) -> Vec<MessageEntity> {
    let entity = |span: &Span| Some(MessageEntity::new(kind(&span.style)?, span.start_utf16, span.len_utf16));
    spans.iter().filter_map(entity).collect()
}

fn kind(style: &Style) -> Option<MessageEntityKind> {
    Some(match style {
        Style::Quote { folded: false } => MessageEntityKind::Blockquote,
        Style::Quote { folded: true } => MessageEntityKind::ExpandableBlockquote,
        Style::Link { url } => MessageEntityKind::TextLink { url: Url::parse(url).ok()? },
        Style::Bold => MessageEntityKind::Bold,
        Style::Italic => MessageEntityKind::Italic,
        Style::Strike => MessageEntityKind::Strikethrough,
        Style::Code => MessageEntityKind::Code,
        Style::Pre { language } => MessageEntityKind::Pre { language: language.clone() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_core::core::markup::Formatted;

    #[test]
    fn every_style_has_its_entity_in_telegrams_words() {
        let long = "word ".repeat(100);
        let markdown = format!("**b** _i_ ~~s~~ `c` [l](https://x.example)\n\n> q\n\n```rs\np\n```\n\n> {long}");
        let read = Formatted::read(&markdown, "");
        let json = serde_json::to_value(entities(&read.spans)).unwrap();
        let kinds: Vec<&str> = json.as_array().unwrap().iter().filter_map(|entity| entity["type"].as_str()).collect();
        assert_eq!(
            kinds,
            ["bold", "italic", "strikethrough", "code", "text_link", "blockquote", "pre", "expandable_blockquote"]
        );
        assert_eq!((&json[4]["url"], &json[6]["language"]), (&"https://x.example/".into(), &"rs".into()));
        assert_eq!((&json[0]["offset"], &json[0]["length"]), (&0.into(), &1.into()));
    }
}
