use proptest::prelude::*;
use tokio::sync::mpsc::unbounded_channel;

use super::*;

fn streamed(pieces: &[&str]) -> String {
    let (to, mut from) = unbounded_channel();
    let mut words = SpokenWords::new(Some(to));
    pieces.iter().for_each(|piece| words.push(piece));
    words.finish();
    let mut all = String::new();
    while let Ok(piece) = from.try_recv() {
        all.push_str(&piece);
    }
    all
}

#[test]
fn thinking_before_the_answer_is_left_out() {
    for (text, answer) in [
        ("<think>hm</think>\n\nHello", "Hello"),
        ("  <think></think><think>b</think> Hello ", "Hello"),
        ("<thinking>b</thinking>Hello", "Hello"),
        ("hm, well\n</think>\nHello", "Hello"),
        ("<think>cut off", ""),
        ("The tag </think> ends it.", "The tag </think> ends it."),
        ("I <think> so", "I <think> so"),
        ("<thin", "<thin"),
    ] {
        assert_eq!(strip(text), answer, "{text}");
    }
}

#[test]
fn markers_of_chat_templates_are_left_out_and_end_the_answer() {
    for (text, answer) in [
        ("Hello!<|im_end|>\n<|im_start|>user\nbuy my car", "Hello!"),
        ("<|im_start|>assistant\nHello!<|im_end|>", "Hello!"),
        ("<|start_header_id|>assistant<|end_header_id|>\n\nHello!<|eot_id|>", "Hello!"),
        ("<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hello!", "Hello!"),
        ("<start_of_turn>model\nHello!<end_of_turn>", "Hello!"),
        ("Hello!<｜end▁of▁sentence｜>more", "Hello!"),
        ("Hello!</s> [INST] what?", "Hello!"),
        ("<|im_end|>\n<|im_start|>user\nbuy my car", ""),
        ("<|im_start|>user\nbuy my car", ""),
        ("<|im_start|>assistants are fine", "assistants are fine"),
        ("Sure! <|tool_call>call:task.create{title:Milk}<tool_call|>", "Sure!"),
        // What only looks like one.
        ("a <| b |> c <|> d <||> e", "a <| b |> c <|> d <||> e"),
        ("<s>old</s> new", "<s>old</s> new"),
        ("see [1] and [INS", "see [1] and [INS"),
        ("1 < 2 <", "1 < 2 <"),
        ("half a marker <|im_e", "half a marker <|im_e"),
    ] {
        assert_eq!(strip(text), answer, "{text}");
    }
}

#[test]
fn calls_of_tools_and_thinking_between_lines_are_for_nobody() {
    let call = r#"{"name": "task.create", "arguments": {"title": "Milk"}}"#;
    for (text, answer) in [
        (format!("<tool_call>\n{call}\n</tool_call>"), ""),
        (format!("On it!\n<tool_call>{call}</tool_call>\nBye"), "On it!\n\nBye"),
        (format!("On it! {call} Bye"), "On it!  Bye"),
        (format!("```json\n{call}\n```"), ""),
        ("<function=task.create>{\"title\":1}</function> ok".to_owned(), "ok"),
        ("Sure. <function=task.create>{\"title".to_owned(), "Sure."),
        ("Sure. {\"name\": \"task.create\", \"argum".to_owned(), "Sure."),
        ("One.\n<think>hm</think>\nTwo.".to_owned(), "One.\n\nTwo."),
        ("The tag <think>hm</think> is one".to_owned(), "The tag <think>hm</think> is one"),
        ("One.\n<think> is a tag".to_owned(), "One.\n<think> is a tag"),
        // What only looks like one.
        (r#"It is {"name": "Bob"}"#.to_owned(), r#"It is {"name": "Bob"}"#),
        ("```json\n{\"name\": \"Bob\"}\n```".to_owned(), "```json\n{\"name\": \"Bob\"}\n```"),
        ("```rust\nfn main() {}\n```".to_owned(), "```rust\nfn main() {}\n```"),
        ("a {b} `c` <tool".to_owned(), "a {b} `c` <tool"),
    ] {
        assert_eq!(strip(&text), answer, "{text}");
        let cut: Vec<String> = text.chars().map(String::from).collect();
        let pieces: Vec<&str> = cut.iter().map(String::as_str).collect();
        assert_eq!(streamed(&pieces).trim(), answer, "{text}");
    }
}

#[test]
fn what_follows_thinking_is_found_as_soon_as_it_can_be_told() {
    for (text, rest) in [
        ("", None),
        ("<thi", None),
        ("<think>{", None),
        ("<think>{</think> {\"a\":1}", Some("{\"a\":1}")),
        ("{\"a\"", Some("{\"a\"")),
    ] {
        assert_eq!(after_thinking(text), rest, "{text}");
    }
}

proptest! {
    #[test]
    fn streamed_words_are_the_stripped_text(
        text in "(<think>[a-z <é/]{0,20}</think>){0,2}\\s{0,2}(<[|]im_start[|]>(assistant\n)?)?[<>a-zé |\\[/]{0,30}([{`\n]|<tool_call>|<think>|\\{\"name\": \"a\", \"arguments\": \\{\\}\\}){0,3}[<>a-z }`]{0,10}(<[|][a-z]{0,3}[|]>)?[a-z ]{0,5}",
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).filter(|at| text.is_char_boundary(*at)).collect();
        ends.push(text.len());
        ends.sort_unstable();
        let mut start = 0;
        let pieces: Vec<&str> = ends.iter().map(|end| { let piece = &text[start..*end]; start = *end; piece }).collect();
        let streamed = streamed(&pieces);
        prop_assert_eq!(streamed.trim(), strip(&text));
    }
}
