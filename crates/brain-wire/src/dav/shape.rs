//! Whether an answer can be given to the parser of XML: one pass over its bytes, before anything is made of them.
//!
//! The parser's work grows with the square of some counts (attributes of one element, namespaces around it), and its
//! memory with others, for which it makes room before it begins. So these are counted first. What is text (CDATA,
//! comments, values of attributes) opens nothing, and what never ends is left to the parser, which refuses it. Where the
//! two read a broken answer differently, this pass counts more, never less.

use brain_core::limits::{
    DAV_ATTRIBUTES_MAX, DAV_DEPTH_MAX, DAV_EQUALS_SIGNS_MAX, DAV_NAMESPACES_INHERITED_MAX, DAV_NAMESPACES_MAX,
    DAV_NODES_MAX,
};

/// True when all that the parser's work and memory grow with is bounded.
pub(super) fn is_bearable(text: &str) -> bool {
    let count = |mark: u8| text.bytes().filter(|byte| *byte == mark).count();
    if count(b'<') > DAV_NODES_MAX || count(b'=') > DAV_EQUALS_SIGNS_MAX {
        return false;
    }
    let (mut nesting, mut at) = (Nesting::default(), 0_usize);
    while let Some(next) = text[at..].find('<') {
        at += next;
        let rest = &text[at..];
        let behind = |end: &str| rest.find(end).map(|found| found + end.len());
        let (end, is_bearable) = if rest.starts_with("<![CDATA[") {
            (behind("]]>"), true)
        } else if rest.starts_with("<!--") {
            (behind("-->"), true)
        } else if rest.starts_with("<?") {
            (behind("?>"), true)
        } else if rest.starts_with("</") {
            nesting.closes();
            (behind(">"), true)
        } else if rest.starts_with("<!") {
            (behind(">"), true)
        } else {
            let tag = Tag::of(rest.as_bytes());
            (tag.end, nesting.opens(&tag))
        };
        if !is_bearable {
            return false;
        }
        let Some(end) = end else { return true };
        at += end;
    }
    true
}

/// What lies around the element that is read.
#[derive(Default)]
struct Nesting {
    /// Of each element that is open: how many namespaces it declares.
    declared: Vec<usize>,
    /// The sum of these.
    around: usize,
    /// What elements with namespaces of their own took over from those around them, so far.
    inherited: usize,
}

impl Nesting {
    /// False where the element is too much.
    fn opens(&mut self, tag: &Tag) -> bool {
        let own = tag.namespaces;
        if own > 0 {
            self.inherited += self.around;
        }
        let is_bearable = tag.attributes <= DAV_ATTRIBUTES_MAX
            && self.around + own <= DAV_NAMESPACES_MAX
            && self.inherited <= DAV_NAMESPACES_INHERITED_MAX;
        if tag.is_open {
            self.declared.push(own);
            self.around += own;
        }
        is_bearable && self.declared.len() <= DAV_DEPTH_MAX
    }

    fn closes(&mut self) {
        self.around -= self.declared.pop().unwrap_or_default();
    }
}

/// The tag that begins an element.
struct Tag {
    attributes: usize,
    /// Those of them that declare one.
    namespaces: usize,
    /// Something may lie in it.
    is_open: bool,
    /// Behind it; `None`: it does not end.
    end: Option<usize>,
}

impl Tag {
    fn of(bytes: &[u8]) -> Self {
        let mut tag = Self { attributes: 0, namespaces: 0, is_open: true, end: None };
        let (mut quote, mut word, mut is_inside) = (None, 0_usize, false);
        for (at, byte) in bytes.iter().enumerate() {
            match (quote, *byte) {
                (None, b'>') => {
                    tag.is_open = at == 0 || bytes[at - 1] != b'/';
                    tag.end = Some(at + 1);
                    return tag;
                }
                (None, b'"' | b'\'') => (quote, is_inside) = (Some(*byte), false),
                (None, b'=') => {
                    tag.attributes += 1;
                    tag.namespaces += usize::from(bytes[word..].starts_with(b"xmlns"));
                    is_inside = false;
                }
                (None, byte) if byte.is_ascii_whitespace() => is_inside = false,
                (None, _) if !is_inside => (word, is_inside) = (at, true),
                (Some(open), byte) if open == byte => quote = None,
                (None | Some(_), _) => {}
            }
        }
        tag
    }
}
