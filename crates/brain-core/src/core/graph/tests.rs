mod reference;

use super::*;

type Named = Graph<&'static str, &'static str>;

fn node(id: &'static str) -> Node<&'static str, &'static str> {
    Node::new(id)
}

fn after(id: &'static str, on: &[&'static str]) -> Node<&'static str, &'static str> {
    on.iter().fold(node(id), |node, on| node.after(on, OnFailure::Stop))
}

fn output(node: &'static str, field: &str) -> OutputRef<&'static str> {
    OutputRef { node, field: field.to_owned() }
}

fn wide(width: usize) -> GraphLimits {
    GraphLimits { nodes: 1_000, width, depth: 1_000 }
}

fn graph(nodes: Vec<Node<&'static str, &'static str>>) -> Named {
    let mut graph = Graph::new(wide(100));
    graph.add(nodes).unwrap();
    graph
}

fn refused(nodes: Vec<Node<&'static str, &'static str>>) -> Vec<GraphError<&'static str, &'static str>> {
    let mut graph = Graph::new(GraphLimits { nodes: 5, width: 1, depth: 2 });
    let errors = graph.add(nodes).unwrap_err();
    assert!(graph.is_over() && graph.ready().is_empty(), "nothing of it is kept");
    errors
}

fn ends<T: Clone + PartialEq>(graph: &mut Graph<&'static str, T>, id: &'static str, end: NodeEnd) {
    graph.started(&id).unwrap();
    graph.finished(&id, end).unwrap();
}

// What is wrong is said by name.

#[test]
fn every_error_names_the_nodes_it_is_about() {
    let find = || node("find").giving("threads", "threads");
    let rows: Vec<(Vec<Node<_, _>>, GraphError<_, _>, &str)> = vec![
        (
            ["a", "b", "c", "d", "e", "f"].map(node).into(),
            GraphError::TooMany { nodes: 6, most: 5 },
            "6 nodes are more than the 5 that are allowed",
        ),
        (vec![node("a"), node("a")], GraphError::DuplicateId("a"), "a is there twice"),
        (
            vec![after("a", &["b"])],
            GraphError::UnknownDependency { node: "a", on: "b" },
            "a depends on b, which is not there",
        ),
        (vec![after("a", &["a", "a"])], GraphError::SelfDependency("a"), "a depends on itself"),
        (
            vec![find().taking(output("find", "threads"), "threads")],
            GraphError::SelfDependency("find"),
            "find depends on itself",
        ),
        (
            vec![after("d", &["b"]), after("a", &["b"]), after("b", &["c"]), after("c", &["a"])],
            GraphError::Cycle(vec!["a", "b", "c"]),
            "a → b → c → a depend on one another in a circle",
        ),
        (
            vec![after("d", &["c"]), after("c", &["b"]), after("b", &["a"]), node("a")],
            GraphError::TooDeep { node: "d", depth: 3, most: 2 },
            "d is 3 dependencies deep; at most 2 are allowed",
        ),
        (
            vec![node("read").taking(output("find", "threads"), "threads")],
            GraphError::UnknownNode { node: "read", to: output("find", "threads") },
            "read refers to {{find.threads}}, but there is no such node",
        ),
        (
            vec![find(), node("read").taking(output("find", "people"), "people")],
            GraphError::UnknownField { node: "read", to: output("find", "people") },
            "read refers to {{find.people}}, but there is no such output",
        ),
        (
            vec![find(), node("read").taking(output("find", "threads"), "people")],
            GraphError::TypeMismatch { node: "read", to: output("find", "threads"), wants: "people", is: "threads" },
            "read wants {{find.threads}} to be \"people\", but it is \"threads\"",
        ),
    ];
    for (nodes, error, words) in rows {
        assert_eq!((refused(nodes), error.to_string().as_str()), (vec![error], words));
    }
}

#[test]
fn all_errors_are_told_at_once() {
    let nodes = vec![after("a", &["b"]), after("b", &["a"]), after("c", &["x"]), after("d", &["d"])];
    assert_eq!(
        refused(nodes),
        [
            GraphError::UnknownDependency { node: "c", on: "x" },
            GraphError::SelfDependency("d"),
            GraphError::Cycle(vec!["a", "b"]),
        ]
    );
}

#[test]
fn each_of_two_cycles_is_named_and_what_only_comes_after_one_is_not() {
    let nodes = vec![after("a", &["b"]), after("b", &["a"]), after("c", &["d", "a"]), after("d", &["c"])];
    let cycles = refused([nodes, vec![after("e", &["c"])]].concat());
    // "c" depends on "a", too: the walk from there leads into a cycle that is known.
    assert_eq!(cycles, [GraphError::Cycle(vec!["a", "b"]), GraphError::Cycle(vec!["c", "d"])]);
}

#[test]
fn an_error_is_told_with_other_names() {
    let error = GraphError::<usize>::Cycle(vec![0, 2]).named(|index| format!("action {}", index + 1));
    assert_eq!(error.to_string(), "action 1 → action 3 → action 1 depend on one another in a circle");
    assert_eq!(error.nodes(), ["action 1", "action 3"]);
}

#[test]
fn a_chain_of_a_hundred_thousand_nodes_is_checked_and_run() {
    const LONG: usize = 100_000;
    let mut graph = Graph::<usize>::new(GraphLimits { nodes: LONG, width: 1, depth: LONG });
    let mut nodes: Vec<Node<usize>> = (0..LONG).map(Node::new).collect();
    for (index, node) in nodes.iter_mut().enumerate().skip(1) {
        node.depends_on.push(Dependency { on: index - 1, on_failure: OnFailure::Stop });
    }
    nodes[0].depends_on.push(Dependency { on: LONG - 1, on_failure: OnFailure::Stop });
    let GraphError::Cycle(cycle) = &graph.add(nodes.clone()).unwrap_err()[0] else { panic!() };
    assert_eq!(cycle.len(), LONG);
    nodes[0].depends_on.clear();
    graph.add(nodes).unwrap();
    for index in 0..LONG / 2 {
        graph.started(&index).unwrap();
        graph.finished(&index, NodeEnd::Done).unwrap();
    }
    graph.started(&(LONG / 2)).unwrap();
    graph.finished(&(LONG / 2), NodeEnd::Failed).unwrap();
    assert!(graph.is_over());
    assert_eq!(graph.take_given_up().len(), LONG - LONG / 2 - 1);
}

// References.

#[test]
fn a_reference_is_read_whole_or_not_at_all() {
    let read = |text: &str| text.parse::<OutputRef<String>>().ok().map(|to| (to.node, to.field));
    let is = |node: &str, field: &str| Some((node.to_owned(), field.to_owned()));
    assert_eq!(read("{{n1.threads}}"), is("n1", "threads"));
    assert_eq!(read(" {{ find mails.v2.threads }} "), is("find mails.v2", "threads"));
    for text in [
        "",
        "n1.threads",
        "{{n1}}",
        "{{.threads}}",
        "{{n1.}}",
        "see {{n1.threads}}",
        "{{a.b}}{{c.d}}",
        "{{{a.b}}}",
        "{{a .b}}",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
    let to = OutputRef { node: "n1".to_owned(), field: "threads".to_owned() };
    assert_eq!(to.to_string().parse(), Ok(to));
}

#[test]
fn a_reference_is_a_dependency() {
    let find = node("find").giving("threads", "threads");
    let read = || node("read").taking(output("find", "threads"), "threads");
    let mut stops = graph(vec![find.clone(), read()]);
    ends(&mut stops, "find", NodeEnd::Failed);
    assert_eq!(stops.take_given_up(), [GivenUp { node: "read", because: Because::Lost("find") }]);
    let mut goes_on = graph(vec![find, read().after("find", OnFailure::GoOn)]);
    assert_eq!(goes_on.ready(), ["find"]);
    ends(&mut goes_on, "find", NodeEnd::Failed);
    assert_eq!((goes_on.ready(), goes_on.gaps(&"read")), (vec!["read"], vec!["find"]));
}

// Failures.

#[test]
fn what_cannot_do_without_a_failed_node_is_given_up_with_the_reason_and_so_is_what_comes_after() {
    let mut graph = graph(vec![node("a"), after("b", &["a"]), after("c", &["b"]), node("d")]);
    ends(&mut graph, "a", NodeEnd::Failed);
    let lost = |node, on| GivenUp { node, because: Because::Lost(on) };
    assert_eq!(graph.take_given_up(), [lost("b", "a"), lost("c", "b")]);
    assert_eq!(graph.take_given_up(), [], "each is told once");
    assert_eq!(graph.ready(), ["d"]);
}

#[test]
fn what_can_do_without_a_given_up_node_goes_on_when_the_rest_is_there() {
    let last = node("last").after("b", OnFailure::GoOn).after("d", OnFailure::Stop);
    let mut graph = graph(vec![node("a"), after("b", &["a"]), node("d"), last]);
    ends(&mut graph, "a", NodeEnd::Failed);
    assert_eq!(graph.ready(), ["d"]);
    ends(&mut graph, "d", NodeEnd::Done);
    assert_eq!((graph.ready(), graph.gaps(&"last")), (vec!["last"], vec!["b"]));
}

#[test]
fn of_two_dependencies_on_the_same_node_the_one_that_stops_counts() {
    for (first, second) in [(OnFailure::Stop, OnFailure::GoOn), (OnFailure::GoOn, OnFailure::Stop)] {
        let mut graph = graph(vec![node("a"), node("b").after("a", first).after("a", second)]);
        ends(&mut graph, "a", NodeEnd::Failed);
        assert_eq!(graph.state(&"b"), Some(NodeState::GivenUp));
    }
}

// Cancelling, and what is known before.

#[test]
fn a_cancelled_graph_starts_nothing_and_waits_for_what_runs() {
    let mut graph = graph(vec![node("a"), node("b"), after("c", &["a"])]);
    graph.started(&"a").unwrap();
    graph.cancel();
    let cancelled = |node| GivenUp { node, because: Because::Cancelled };
    assert_eq!(graph.take_given_up(), [cancelled("b"), cancelled("c")]);
    assert!(graph.ready().is_empty() && !graph.is_over());
    graph.add(vec![node("late")]).unwrap();
    assert_eq!(graph.take_given_up(), [cancelled("late")]);
    graph.finished(&"a", NodeEnd::Done).unwrap();
    assert!(graph.is_over() && graph.take_given_up().is_empty());
}

#[test]
fn what_is_settled_before_never_starts_whatever_the_order() {
    let settled = |node: Node<_, _>, end| Node { settled: Some(end), ..node };
    let mut graph = graph(vec![
        after("d", &["b"]),
        after("c", &["a"]),
        settled(after("b", &["x"]), NodeEnd::Done),
        settled(node("a"), NodeEnd::Failed),
        node("x"),
    ]);
    assert_eq!(graph.ready(), ["d", "x"]);
    assert_eq!(graph.take_given_up(), [GivenUp { node: "c", because: Because::Lost("a") }]);
    assert!(graph.started(&"b").is_err());
    ends(&mut graph, "x", NodeEnd::Failed);
    assert_eq!(graph.state(&"b"), Some(NodeState::Done), "what a journal says stays");
}

#[test]
fn a_node_that_arrives_late_may_build_on_all_that_is_there() {
    let mut graph = graph(vec![node("find").giving("threads", "threads"), node("broken")]);
    ends(&mut graph, "find", NodeEnd::Done);
    ends(&mut graph, "broken", NodeEnd::Failed);
    let unknown = graph.add(vec![after("early", &["later"])]).unwrap_err();
    assert_eq!(unknown, [GraphError::UnknownDependency { node: "early", on: "later" }]);
    graph.add(vec![node("read").taking(output("find", "threads"), "threads"), after("lost", &["broken"])]).unwrap();
    assert_eq!(graph.ready(), ["read"]);
    assert_eq!(graph.take_given_up(), [GivenUp { node: "lost", because: Because::Lost("broken") }]);
    assert_eq!(graph.add(vec![node("read")]).unwrap_err(), [GraphError::DuplicateId("read")]);
}

// What cannot have happened.

#[test]
fn what_cannot_have_happened_is_refused_and_changes_nothing() {
    let mut graph = Graph::<&str>::new(wide(0));
    graph.add(vec![Node::new("a"), Node::new("b"), Node::new("c").after("a", OnFailure::Stop)]).unwrap();
    let not_now = |node, state| Err(IllegalNodeEvent::NotNow { node, state });
    assert_eq!(graph.started(&"x"), Err(IllegalNodeEvent::NoSuchNode("x")));
    assert_eq!(graph.started(&"c"), not_now("c", NodeState::Waiting));
    assert_eq!(graph.finished(&"a", NodeEnd::Done), not_now("a", NodeState::Ready));
    graph.started(&"a").unwrap();
    assert_eq!(graph.started(&"b"), Err(IllegalNodeEvent::NoRoom { node: "b", running: 1 }));
    graph.finished(&"a", NodeEnd::Done).unwrap();
    assert_eq!(graph.started(&"a"), not_now("a", NodeState::Done));
    assert_eq!(graph.finished(&"a", NodeEnd::Failed), not_now("a", NodeState::Done));
    assert_eq!(graph.ready(), ["b"]);
    assert_eq!(graph.state(&"x"), None);
}
