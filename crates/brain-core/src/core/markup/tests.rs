//! What markdown comes to, and what holds for any.

use proptest::prelude::*;

use super::*;

fn read(markdown: &str) -> Formatted {
    Formatted::read(markdown, "")
}

fn parts(whole: Formatted, utf16_max: usize, spans_max: usize) -> Vec<Formatted> {
    whole.split(utf16_max, spans_max).collect()
}

/// Text with its spans marked: `⟦b:strong words⟧`.
fn drawn(formatted: &Formatted) -> String {
    let units: Vec<u16> = formatted.text.encode_utf16().collect();
    let mut out = String::new();
    let mut run: Vec<u16> = Vec::new();
    let flush =
        |run: &mut Vec<u16>, out: &mut String| out.push_str(&String::from_utf16(&std::mem::take(run)).expect("whole"));
    for at in 0..=units.len() {
        for _ in formatted.spans.iter().filter(|span| span.end_utf16() == at) {
            flush(&mut run, &mut out);
            out.push('⟧');
        }
        for span in formatted.spans.iter().filter(|span| span.start_utf16 == at) {
            flush(&mut run, &mut out);
            let name = match &span.style {
                Style::Quote { folded: true } => "Q".to_owned(),
                Style::Quote { folded: false } => "q".to_owned(),
                Style::Link { url } => url.clone(),
                Style::Bold => "b".to_owned(),
                Style::Italic => "i".to_owned(),
                Style::Strike => "s".to_owned(),
                Style::Code => "c".to_owned(),
                Style::Pre { language } => format!("pre {}", language.as_deref().unwrap_or("-")),
            };
            out.push_str(&format!("⟦{name}:"));
        }
        run.extend(units.get(at));
    }
    flush(&mut run, &mut out);
    out
}

fn check(markdown: &str, expected: &str) {
    let come_to = read(markdown);
    assert_eq!(drawn(&come_to), expected, "{markdown:?}");
    valid(&come_to);
}

#[test]
fn words_are_stressed() {
    check("**bold** and *it* and __b__ _i_ ~~no~~", "⟦b:bold⟧ and ⟦i:it⟧ and ⟦b:b⟧ ⟦i:i⟧ ⟦s:no⟧");
    check("***both***", "⟦b:⟦i:both⟧⟧");
    check("**a *b* c**", "⟦b:a ⟦i:b⟧ c⟧");
    check("2 * 3 * 4, snake_case_name, 5 ~ 6", "2 * 3 * 4, snake_case_name, 5 ~ 6");
    check(r"\*not\* **half", "*not* **half");
    check("**use `x` now**", "⟦b:use⟧ ⟦c:x⟧ ⟦b:now⟧");
    check("👩\u{200D}🚀 **👋🏽** é", "👩\u{200D}🚀 ⟦b:👋🏽⟧ é");
    check("> a **b `c`**", "⟦q:a ⟦b:b⟧ ⟦c:c⟧⟧");
}

#[test]
fn blocks_stand_apart() {
    check("# Title\ntext\n## Sub **x**\nmore", "⟦b:Title⟧\n\ntext\n\n⟦b:Sub x⟧\n\nmore");
    check("one\ntwo  \nthree\n\nfour", "one\ntwo\nthree\n\nfour");
    check("a\n\n---\n\nb", "a\n\n──────────\n\nb");
    check("```rust\nfn a() {}\n\n    b\n```\nend", "⟦pre rust:fn a() {}\n\n    b⟧\n\nend");
    check("```\n*x*\n```", "⟦pre -:*x*⟧");
    check("```c++ title=\"x\"\ny\n```", "⟦pre c++:y⟧");
    check("> one\n> two\n>\n> > deep\n\nafter", "⟦q:one\ntwo\n\ndeep⟧\n\nafter");
    check(&format!("> {}", "word ".repeat(100)), &format!("⟦Q:{}⟧", "word ".repeat(100).trim()));
}

#[test]
fn lists_keep_their_order_and_depth() {
    check("Buy:\n- milk\n- **eggs**\n  - brown\n- tea", "Buy:\n\n• milk\n• ⟦b:eggs⟧\n  ◦ brown\n• tea");
    check("3. c\n4. d\n   more", "3. c\n4. d\n   more");
    check("- [x] done\n- [ ] open\n-", "☑ done\n☐ open\n•");
    check("- a\n\n- b\n\n  second", "• a\n• b\n  second");
    check("1986. A great year", "1986. A great year");
    check("- ```\n  code\n  ```", "• ⟦pre -:code⟧");
}

#[test]
fn tables_are_aligned_text() {
    check(
        "|Item|Price|\n|:--|--:|\n|Tea|3|\n|漢字|12|",
        "⟦pre -:Item │ Price\n─────┼──────\nTea  │     3\n漢字 │    12⟧",
    );
    let wide = format!("|Name|Note|\n|--|--|\n|A|{}|\n", "long ".repeat(20));
    check(&wide, &format!("• Name: A; Note: {}", "long ".repeat(20).trim()));
    check(
        "|a|\n|--|\n|[x](https://y.example)|",
        "⟦pre -:a\n───────────────────────\nx (https://y.example)⟧"
            .replace("───────────────────────", &"─".repeat(21))
            .as_str(),
    );
}

#[test]
fn links_lead_where_they_say() {
    let given = "https://x.example/a https://x.example/c.png";
    let check = |markdown: &str, expected: &str| {
        let come_to = Formatted::read(markdown, given);
        assert_eq!(drawn(&come_to), expected, "{markdown:?}");
        valid(&come_to);
    };
    check("[docs](https://x.example/a)", "⟦https://x.example/a:docs⟧ (x.example)");
    check("[docs](https://x.example/b)", "docs (⟦c:https://x.example/b⟧)");
    check("[paypal.com](https://evil.example)", "⟦https://evil.example:paypal.com⟧ (https://evil.example)");
    check("[run](javascript:alert(1))", "run (javascript:alert(1))");
    check("[your invoice](tg://user?id=7)", "your invoice (⟦c:tg://user?id=7⟧)");
    check("[Bob](mailto:bob@x.example)", "Bob (bob@x.example)");
    check("<https://x.example> <bob@x.example>", "⟦https://x.example:https://x.example⟧ bob@x.example");
    check(
        "![cat](https://x.example/c.png) ![](https://x.example)",
        "⟦https://x.example/c.png:cat⟧ (x.example) ⟦https://x.example:https://x.example⟧",
    );
    check("[![cat](https://y.example)](https://x.example)", "⟦https://x.example:cat (y.example)⟧ (https://x.example)");
    check("[**`a`**](https://x.example)", "⟦https://x.example:⟦b:a⟧⟧ (x.example)");
    check(
        "see [1]\n\n[1]: https://x.example\n[2]: https://y.example",
        "see ⟦https://x.example:1⟧ (x.example)\n\n[2]: https://y.example",
    );
}

#[test]
fn html_and_what_nobody_sees_are_text_or_nothing() {
    check("<b>x</b> a<br>b <!-- c -->", "<b>x</b> a\nb <!-- c -->");
    check("<script>\nalert(1)\n</script>", "<script>\nalert(1)\n</script>");
    check("a\u{202E}b\u{0}c\u{7}", "abc");
    check("&#x202E;x &amp; y", "x & y");
    check("```\n```", "```\n```");
    check("", "");
}

#[test]
fn a_long_text_is_cut_where_it_reads_best_and_code_goes_on_as_code() {
    let text = read(&format!("{}\n\n{}. {}", "a".repeat(50), "b".repeat(20), "c".repeat(40)));
    let split: Vec<String> = parts(text, 80, 100).iter().map(drawn).collect();
    assert_eq!(split, ["a".repeat(50), format!("{}. {}", "b".repeat(20), "c".repeat(40))]);

    let text = read("One is here. Two is there. Three is nowhere");
    let split: Vec<String> = parts(text, 30, 100).iter().map(drawn).collect();
    assert_eq!(split, ["One is here. Two is there.", "Three is nowhere"]);

    let code = read("```py\nline one\nline two\nline three\n```");
    let split: Vec<String> = parts(code, 20, 100).iter().map(drawn).collect();
    assert_eq!(split, ["⟦pre py:line one\nline two⟧", "⟦pre py:line three⟧"]);

    let bold = read("**one two three four**");
    let split: Vec<String> = parts(bold, 12, 100).iter().map(drawn).collect();
    assert_eq!(split, ["⟦b:one two⟧", "⟦b:three four⟧"]);

    let linked = read("word word [two words](https://x.example)");
    let split: Vec<String> = parts(linked, 15, 100).iter().map(drawn).collect();
    assert_eq!(split, ["word word", "⟦https://x.example:two words⟧", "(x.example)"]);

    let many = read(&"**x** ".repeat(250));
    let many = parts(many, 4_096, 100);
    assert_eq!(many.iter().map(|part| part.spans.len()).collect::<Vec<_>>(), [100, 100, 50]);
}

/// On a stack as small as a stack gets.
fn read_on_a_small_stack(markdown: String) -> Formatted {
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    thread.spawn(move || read(&markdown)).unwrap().join().unwrap()
}

#[test]
fn what_nests_comes_to_little_more_than_it_is_long() {
    let nests = [
        "> ", ">", "- ", "1. ", "> - ", "> - 1. ", "- > ", "*", "**", "**a ", "*a **b ", "~~a ", "[", "![", "[![a](",
        "![a](b", "`", "``a", "<", "<a ", "|a", "|\n", "|-|\n", "&amp;", "\\", "# ", "- [x] ", "\t- ", "(", "\"",
        "[a]: b\n", "[a]",
    ];
    for nest in nests {
        for size in [6_000, limits::MARKDOWN_BYTES_MAX] {
            let deep = nest.repeat(size / nest.len());
            for markdown in
                [format!("{deep}x"), format!("{deep}x\ny\ny\n{deep}x"), format!("{deep}x{}", "**) ".repeat(size / 4))]
            {
                let come_to = read_on_a_small_stack(markdown.clone());
                let (long, short) = (come_to.text.len(), 8 * markdown.len() + 1_000);
                assert!(long <= short, "{nest:?} × {size}: {long} of {}", markdown.len());
                assert!(come_to.spans.len() <= markdown.len(), "{nest:?}");
                valid(&come_to.split(4_096, 100).next().unwrap_or_default());
            }
        }
    }
}

#[test]
fn lists_deeper_than_a_phone_is_wide_go_on_at_its_edge() {
    let deep = "- ".repeat(limits::MARKDOWN_LISTS_MAX + 500);
    let lines = read(&format!("{deep}core")).text;
    assert_eq!(lines.lines().count(), limits::MARKDOWN_LISTS_MAX);
    assert!(lines.ends_with("◦ core"), "{lines}");
}

#[test]
fn what_is_longer_than_anybody_reads_stays_as_it_stands_and_whole() {
    let long = "**a** line of words\n".repeat(2 * limits::MARKDOWN_BYTES_MAX / 20);
    let come_to = read(&long);
    assert!(come_to.text.starts_with("a line of words\na line") && come_to.text.ends_with("**a** line of words"));
    assert_eq!(come_to.text.matches("line of words").count(), long.matches("line").count());
}

/// What Telegram wants of spans.
fn valid(part: &Formatted) {
    let units: Vec<u16> = part.text.encode_utf16().collect();
    let inside_a_pair = |at: usize| units.get(at).is_some_and(|unit| (0xDC00..0xE000).contains(unit));
    let space = |at: usize| char::from_u32(u32::from(units[at])).is_some_and(char::is_whitespace);
    let mut open: Vec<&Span> = Vec::new();
    let mut last = 0;
    for span in &part.spans {
        assert!(span.len_utf16 > 0 && span.end_utf16() <= units.len(), "{part:?}");
        assert!(!inside_a_pair(span.start_utf16) && !inside_a_pair(span.end_utf16()), "{part:?}");
        assert!(!space(span.start_utf16) && !space(span.end_utf16() - 1), "{part:?}");
        assert!(last <= span.start_utf16, "sorted: {part:?}");
        last = span.start_utf16;
        open.retain(|outer| outer.end_utf16() > span.start_utf16);
        for outer in &open {
            assert!(span.end_utf16() <= outer.end_utf16(), "crossing: {part:?}");
            assert!(outer.style.rank() < 5, "inside code: {part:?}");
            assert!(std::mem::discriminant(&outer.style) != std::mem::discriminant(&span.style), "twice: {part:?}");
            let leaf = matches!(span.style, Style::Code | Style::Pre { .. });
            assert!(!leaf || matches!(outer.style, Style::Quote { .. }), "code in something: {part:?}");
            assert!(!matches!(span.style, Style::Quote { .. }), "a quote in something: {part:?}");
        }
        open.push(span);
    }
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !is_hidden(*c)).collect()
}

/// Pieces that markdown is made of, and that break things.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "**",
            "*",
            "_",
            "__",
            "~~",
            "`",
            "```",
            "```rs\n",
            "\n",
            "\n\n",
            "> ",
            "- ",
            "1. ",
            "# ",
            "[",
            "](",
            ")",
            "](https://a.example/x)",
            "|",
            "|--|:-:|\n",
            "\n---\n",
            "- [x] ",
            "<b>",
            "<br>",
            "<!--",
            "&amp;",
            "&#0;",
            "\\",
            "![",
            "[1]: https://b.example\n",
            "    ",
            "https://c.example",
            "👩\u{200D}🚀",
            "👋🏽",
            "🇩🇪",
            "e\u{301}",
            "\u{301}",
            "\u{0}",
            "\u{202E}",
            "\u{200F}",
            "שלום",
            "\u{FE0F}",
            "𝔘𝔫𝔦",
            "\t",
            "\r\n",
            "\u{2028}",
            "\u{200B}",
            "<a@b.example>",
            "漢字。",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z .,!?]{0,12}",
        "\\PC{0,4}",
        any::<String>().prop_map(|text| text.chars().take(6).collect()),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

#[test]
fn cells_beyond_the_head_are_kept() {
    let text = read("|Name|\n|-|\n|Ana|vegan|no nuts|\n|Bo|").text;
    assert!(["Ana", "vegan", "no nuts", "Bo"].iter().all(|cell| text.contains(cell)), "{text}");
}

fn has_table(markdown: &str) -> bool {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let mut events = Parser::new_ext(markdown, Options::ENABLE_TABLES);
    events.any(|event| matches!(event, Event::Start(Tag::Table(_))))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn any_markdown_in_any_script_becomes_messages_that_telegram_takes(text in markdown(), max in 16usize..200, spans_max in 8usize..20) {
        let whole = read(&text);
        valid(&whole);
        let plain = whole.text.clone();
        let parts = parts(whole, max, spans_max);
        for part in &parts {
            prop_assert!(utf16_len(&part.text) <= max);
            prop_assert!(!is_blank(&part.text) && part.text.trim() == part.text);
            prop_assert!(part.spans.len() <= spans_max);
            valid(part);
        }
        let joined: String = parts.iter().map(|part| part.text.as_str()).collect();
        prop_assert_eq!(squeezed(&joined), squeezed(&plain));
    }

    #[test]
    fn plain_words_lose_nothing_to_markdown(text in "[a-zA-Zäß漢 .,!?*_~>#|\n-]{0,300}") {
        // What stands behind a fence is the name of a language, which is no word of the text.
        prop_assume!(!text.contains("~~~"));
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let shown = read(&text).text;
        let (read, typed) = (letters(&shown), letters(&text));
        // A wide table is shown row by row, and each row has the names of its columns.
        let row_by_row = shown.contains("• ") && has_table(&text);
        if !row_by_row {
            prop_assert_eq!(&read, &typed);
        }
        let times = |text: &str, letter: char| text.chars().filter(|c| *c == letter).count();
        for letter in typed.chars() {
            prop_assert!(times(&read, letter) >= times(&typed, letter), "{letter} of {typed} in {read}");
        }
    }

    #[test]
    fn no_border_falls_into_a_visible_character(pieces in prop::collection::vec(prop::sample::select(vec![
        "👩\u{200D}🚀", "👋🏽", "🇩🇪", "e\u{301}", "a", "क्षि", "**", " ",
    ]), 1..200)) {
        use unicode_segmentation::UnicodeSegmentation;
        let whole = read(&pieces.concat());
        let all: Vec<String> = whole.text.graphemes(true).filter(|g| !g.trim().is_empty()).map(str::to_owned).collect();
        let parts = parts(whole, 24, 100);
        let of_parts: Vec<String> =
            parts.iter().flat_map(|p| p.text.graphemes(true).filter(|g| !g.trim().is_empty()).map(str::to_owned).collect::<Vec<_>>()).collect();
        prop_assert_eq!(of_parts, all);
    }
}
