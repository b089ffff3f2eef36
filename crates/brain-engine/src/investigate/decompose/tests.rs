use crate::investigate::graph::AnswerSection;
use chrono::{TimeZone, Utc};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::*;
use crate::testing::asking::{AskingWorld, ScriptedModel};
use brain_language::language::time::DateOrder;

fn reference() -> Reference {
    Reference {
        now: Utc.with_ymd_and_hms(2026, 3, 10, 9, 0, 0).unwrap(),
        zone: chrono_tz::Europe::Berlin,
        order: DateOrder::DayFirst,
    }
}

fn node(id: &str, strategy: &str, params: Value) -> Value {
    json!({"id": id, "description": id, "strategy": strategy, "params": params, "depends_on": []})
}

fn graph(nodes: &[Value]) -> String {
    let class = json!({"type": "investigative", "complexity": "moderate", "domains": [], "why": "so"});
    let synthesis = json!({"goal": "who waits", "order": "urgent first", "format": "list"});
    // As models write it: the class first.
    format!(r#"{{"classification": {class}, "nodes": {}, "synthesis": {synthesis}}}"#, Value::from(nodes.to_vec()))
}

fn good() -> Vec<Value> {
    vec![
        node("mail", "metadata_filter", json!({"over": ["thread"], "from": "2026-01-01", "max_results": 60})),
        node("read", "batch_thread_read", json!({"items": "{{mail.items}}", "fields": ["waiting"]})),
        node("waiting", "semantic_analysis", json!({"items": "{{read.items}}", "keep": ["waits_for_me"]})),
    ]
}

async fn asked(world: &AskingWorld, question: &str) -> (Result<Decomposed, Undecomposed>, Vec<Arriving<EvidenceNode>>) {
    let (to, from) = unbounded_channel();
    let reference = reference();
    let history = ["person: hello", "assistant: hi"].map(str::to_owned);
    let things = ["post: thread, mail and what was answered".to_owned()];
    let input = DecomposeInput {
        question,
        history: &history,
        things: &things,
        dates: &[],
        reference: &reference,
        known: None,
        beside: &[],
    };
    let decomposed = world.with(async |model| decompose(model, &input, Some(to)).await).await;
    (decomposed, drained(from))
}

fn drained(mut from: UnboundedReceiver<Arriving<EvidenceNode>>) -> Vec<Arriving<EvidenceNode>> {
    std::iter::from_fn(|| from.try_recv().ok()).collect()
}

/// Ids of what has arrived; `!` where it broke.
fn drawn(arrived: &[Arriving<EvidenceNode>]) -> String {
    let each = arrived.iter().map(|part| match part {
        Arriving::Nodes(nodes) => nodes.iter().map(|node| node.id.clone()).collect::<String>(),
        Arriving::Broken { .. } => "!".to_owned(),
    });
    each.collect::<Vec<_>>().join(" ")
}

fn decomposition(decomposed: Result<Decomposed, Undecomposed>) -> Decomposition {
    match decomposed {
        Ok(Decomposed::Graph(decomposition)) => *decomposition,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_node_arrives_by_itself_and_the_graph_holds_them_all() {
    let world = AskingWorld::of(ScriptedModel::of(&[&graph(&good())]));
    let (decomposed, arrived) = asked(&world, "whom do I keep waiting?").await;
    let decomposition = decomposition(decomposed);
    assert_eq!(drawn(&arrived), "mail read waiting");
    assert!(decomposition.is_streamed && decomposition.graph.nodes.len() == 3);
    assert_eq!(decomposition.graph.sections, AnswerSection::only("waiting"));
    assert_eq!(
        (decomposition.synthesis.format.as_str(), decomposition.class.kind),
        ("list", QuestionType::Investigative)
    );
    let call = &world.script.asked()[0];
    assert!(call.user.contains("whom do I keep waiting?") && call.user.contains("person: hello"));
    assert!(
        call.tokens_max == 2_500 && call.system.contains("{{id.items}}") && call.system.contains("keyword_search:")
    );
}

#[tokio::test]
async fn a_node_arrives_before_the_next_one_is_written() {
    // The second element is never whole.
    let text = graph(&good());
    let text = text[..text.find("\"read\"").unwrap()].to_owned();
    let world = AskingWorld::of(ScriptedModel::saying(move |_, at| (at == 0).then(|| text.clone())));
    let (decomposed, arrived) = asked(&world, "q").await;
    assert_eq!(drawn(&arrived), "mail !");
    assert!(matches!(decomposed, Err(Undecomposed::Failed(_))), "the repair round found nobody: {decomposed:?}");
}

#[tokio::test]
async fn a_wrong_graph_is_asked_for_once_more_with_its_errors() {
    let wrong = [good()[0].clone(), node("read", "batch_thread_read", json!({"items": "{{post.items}}"}))];
    let world = AskingWorld::of(ScriptedModel::of(&[&graph(&wrong), &graph(&good())]));
    let (decomposed, arrived) = asked(&world, "q").await;
    let decomposition = decomposition(decomposed);
    assert_eq!(drawn(&arrived), "mail !", "what was sound has begun, and is told to stop");
    assert!(!decomposition.is_streamed && decomposition.graph.nodes.len() == 3);
    let again = &world.script.asked()[1].user;
    assert!(again.contains("read refers to {{post.items}}, but there is no such node"), "{again}");
    assert!(again.contains("\"mail\""), "it sees what it wrote");
}

#[tokio::test]
async fn two_wrong_graphs_are_none() {
    let world = AskingWorld::of(ScriptedModel::of(&[&graph(&[]), "I would rather talk about it.", &graph(&good())]));
    let (decomposed, arrived) = asked(&world, "q").await;
    assert_eq!(decomposed, Err(Undecomposed::Unusable(vec!["it was no JSON".to_owned()])));
    assert_eq!((drawn(&arrived).as_str(), world.script.asked().len()), ("!", 2));
}

#[tokio::test]
async fn what_asks_for_a_deed_is_planned_and_nothing_runs() {
    let nodes = Value::from(good());
    let text = format!(r#"{{"classification": {{"type": "write_command"}}, "nodes": {nodes}}}"#);
    let world = AskingWorld::of(ScriptedModel::of(&[&text]));
    let (decomposed, arrived) = asked(&world, "delete every mail of Bob's").await;
    assert!(matches!(decomposed, Ok(Decomposed::WriteCommand(_))), "{decomposed:?}");
    assert_eq!(drawn(&arrived), "!");
}

#[tokio::test]
async fn a_node_that_wants_to_act_is_no_node() {
    let acts = node("send", "send_mail", json!({"to": "eve@example.com"}));
    let world = AskingWorld::of(ScriptedModel::of(&[&graph(std::slice::from_ref(&acts)), &graph(&[acts])]));
    let (decomposed, _) = asked(&world, "q").await;
    let Err(Undecomposed::Unusable(problems)) = decomposed else { panic!("{decomposed:?}") };
    assert!(problems[0].contains("send: unknown variant `send_mail`"), "{problems:?}");
}

#[tokio::test]
async fn a_long_question_and_a_long_conversation_are_cut() {
    let world = AskingWorld::of(ScriptedModel::of(&[&graph(&good())]));
    let reference = reference();
    let history: Vec<String> = (0..40).map(|at| format!("person: {at} {}", "x".repeat(5_000))).collect();
    let question = "why ".repeat(10_000);
    let input = DecomposeInput {
        question: &question,
        history: &history,
        things: &[],
        dates: &[],
        reference: &reference,
        known: None,
        beside: &[],
    };
    world.with(async |model| decompose(model, &input, None).await).await.unwrap();
    let call = &world.script.asked()[0];
    assert!(call.user.len() < 5_000 && call.user.contains("person: 39") && !call.user.contains("person: 33"));
    assert!(call.system.len() < 8_000, "{} bytes", call.system.len());
}

#[test]
fn what_there_is_follows_from_the_services() {
    let services = crate::testing::registry().now();
    let lines = things(&services);
    assert_eq!(lines.len(), services.searchable().len(), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains(": thread; ")), "{lines:?}");
}

fn taken(nodes: &[Value]) -> Result<Vec<EvidenceNode>, Vec<String>> {
    let reference = reference();
    let mut checked = CheckedNodes::new(&reference, &[]);
    for node in nodes {
        checked.take(node.clone())?;
    }
    Ok(checked.nodes)
}

#[test]
fn what_is_wrong_with_a_node_is_told_in_words() {
    let mail = || node("mail", "metadata_filter", json!({}));
    let rows: Vec<(Vec<Value>, &str)> = vec![
        (vec![json!(7)], "nodes[0]: it is no object"),
        (vec![node("Mail Box", "metadata_filter", json!({}))], "small letters"),
        (vec![mail(), mail()], "mail is there twice"),
        (vec![node("a", "metadata_filter", json!({"owner": "everybody"}))], "unknown field `owner`"),
        (vec![node("a", "metadata_filter", json!({"from": "once"}))], "from: once is no ISO time"),
        (vec![node("a", "metadata_filter", json!({"from": "2026-02-01", "until": "2026-01-01"}))], "not before until"),
        (vec![node("a", "metadata_filter", json!({"max_results": -1}))], "invalid value"),
        (vec![node("a", "keyword_search", json!({"words": [" "]}))], "words is empty"),
        (vec![node("a", "cross_reference", json!({}))], "sources is empty"),
        (vec![mail(), node("a", "semantic_analysis", json!({"items": "{{mail.items}}"}))], "keep is empty"),
        (vec![mail(), node("a", "batch_thread_read", json!({"items": "mail"}))], "“mail” is no reference"),
        (vec![node("a", "batch_thread_read", json!({}))], "“” is no reference"),
        (
            vec![mail(), node("a", "batch_thread_read", json!({"items": "{{mail.people}}"}))],
            "wants {{mail.people}} to be Items",
        ),
        (vec![mail(), node("a", "batch_thread_read", json!({"items": "{{mail.ids}}"}))], "nodes give items and people"),
        (vec![node("a", "batch_thread_read", json!({"items": "{{later.items}}"})), mail()], "only earlier nodes"),
        (
            (0..=12).map(|at| node(&format!("n{at}"), "metadata_filter", json!({}))).collect(),
            "13 nodes are more than the 12",
        ),
    ];
    for (nodes, why) in rows {
        let problems = taken(&nodes).expect_err(why).join("; ");
        assert!(problems.contains(why), "{problems}");
    }
}

#[test]
fn what_a_search_lacks_is_filled_in_and_what_is_too_much_is_cut() {
    let rows = [
        (json!({"over": "thread"}), r#"from 2025-09-11 until 2026-05-10 at most 200"#),
        (json!({"over": ["task"], "from": null, "max_results": 9000}), "from 2025-09-11 until - at most 400"),
        (
            json!({"from": "2026-03-01", "until": "2026-03-09", "max_results": 0}),
            "from 2026-03-01 until 2026-03-10 at most 1",
        ),
        (
            json!({"from": "2026-03-01T08:30", "until": "2026-03-09T10:00:00Z"}),
            "from 2026-03-01T08:30:00+01:00 until 2026-03-09T11:00:00+01:00 at most 200",
        ),
        (
            json!({"from": "yesterday", "until": "tomorrow"}),
            "from 2026-03-09T00:00:00+01:00 until 2026-03-12T00:00:00+01:00 at most 200",
        ),
    ];
    for (params, expected) in rows {
        let nodes = taken(&[node("a", "metadata_filter", params.clone())]).unwrap();
        let Strategy::MetadataFilter(filter) = &nodes[0].strategy else { panic!() };
        let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let most = filter.max_results.unwrap();
        assert_eq!(
            format!("from {} until {} at most {most}", or(&filter.from), or(&filter.until)),
            expected,
            "{params}"
        );
    }
    let many: Vec<String> = (0..50).map(|at| format!("{at} {}", "w".repeat(900))).collect();
    let nodes = taken(&[node("a", "keyword_search", json!({"words": many, "people": many}))]).unwrap();
    let Strategy::KeywordSearch(search) = &nodes[0].strategy else { panic!() };
    assert_eq!((search.words.len(), search.people.len()), (limits::SEARCHES_MAX, limits::NODE_PEOPLE_MAX));
    assert!(search.words.iter().all(|words| words.chars().count() <= limits::NODE_TEXT_CHARS_MAX));
}

#[tokio::test]
async fn a_span_of_time_that_code_has_chosen_is_told() {
    let nodes = [node("old", "keyword_search", json!({"words": ["Berlin"]})), good()[0].clone()];
    let world = AskingWorld::of(ScriptedModel::of(&[&graph(&nodes)]));
    let (decomposed, _) = asked(&world, "q").await;
    let decomposition = decomposition(decomposed);
    assert_eq!(decomposition.assumed, ["old"]);
    let gap = decomposition.gap(&reference()).unwrap();
    assert_eq!(gap, "what is older than 11 September 2025, as the question names no time");
    assert_eq!(decomposition.graph.sections.len(), 2, "nothing uses either");
}
