//! In which order things are read.

use super::*;
use crate::investigate::node::Strategy;
use crate::investigate::refine::order::best_first;

/// A thing of some kind, by its id.
type Made = fn(&str) -> Finding;

/// So many that do not wait for the person, the newest first, of each kind that a mailbox is full of.
fn settled(count: usize) -> Vec<Finding> {
    let kinds: [Made; 6] = [
        |id| letters(2, thread(id, "thanks, got it")),
        |id| letters(3, own_last(thread(id, "will do"))),
        |id| from_sort(SenderSort::Bulk, thread(id, "ten things for spring")),
        |id| from_sort(SenderSort::Automatic, thread(id, "your receipt")),
        |id| from_sort(SenderSort::Suspect, due_in(-30, owing(id, 90))),
        |id| theirs(due_in(-30, owing(id, 90))),
    ];
    (0..count).map(|at| kinds[at % kinds.len()](&format!("other{at}"))).collect()
}

fn debt(finding: &mut Finding) -> &mut Debt {
    finding.features.as_mut().unwrap().i_owe.as_mut().unwrap()
}

fn due_in(days: i64, mut finding: Finding) -> Finding {
    debt(&mut finding).due = Some(now_at() + Duration::days(days));
    finding
}

fn promised(mut finding: Finding) -> Finding {
    debt(&mut finding).kind = DebtKind::Promised;
    finding
}

/// Others owe it.
fn theirs(mut finding: Finding) -> Finding {
    let features = finding.features.as_mut().unwrap();
    features.they_owe = features.i_owe.take();
    finding
}

fn own_last(mut finding: Finding) -> Finding {
    finding.features.as_mut().unwrap().is_own_last = true;
    finding
}

/// So many letters were exchanged.
fn letters(count: usize, mut finding: Finding) -> Finding {
    finding.features.as_mut().unwrap().partners = vec![(finding.item.people[0].clone(), count)];
    finding
}

/// What is read of these, in that order.
fn read(params: &BatchThreadRead, findings: &[Finding]) -> Vec<String> {
    best_first(params, findings, now_at(), limits::EXTRACTS_MAX)
        .into_iter()
        .map(|at| findings[at].item.id.clone())
        .collect()
}

#[test]
fn of_two_hundred_those_that_wait_for_the_person_are_read_first() {
    let rows: [(&str, Made); 6] = [
        ("asked months ago", |id| owing(id, 80)),
        ("asked today", |id| owing(id, 0)),
        ("asked for a day to come", |id| due_in(9, owing(id, 2))),
        ("asked for a day that has gone by", |id| due_in(-3, owing(id, 20))),
        ("promised for a day that has gone by", |id| promised(due_in(-1, owing(id, 6)))),
        ("promised, and no day was named", |id| promised(owing(id, 6))),
    ];
    for (name, waits) in rows {
        // Wherever they stand among the others: the newest, the oldest, and in between.
        for every in [1, 9] {
            let mut all = settled(180);
            (0..20).for_each(|at| all.insert(at * every, waits(&format!("waits{at}"))));
            all.rotate_left(if every == 1 { 20 } else { 0 });
            let read = read(&reading(), &all);
            let waiting = read[..20].iter().filter(|id| id.starts_with("waits")).count();
            assert_eq!((all.len(), read.len(), waiting), (200, 40, 20), "{name}, every {every}: {read:?}");
        }
    }
}

#[test]
fn what_matters_more_is_read_before_what_matters_less() {
    let ranked = [
        due_in(-3, owing("overdue", 5)),
        due_in(2, owing("soon", 1)),
        owing("long", 60),
        owing("short", 3),
        letters(1, thread("unanswered", "a letter")),
        promised(due_in(4, owing("promised-for-later", 9))),
        theirs(owing("awaited", 50)),
        letters(2, thread("answered", "thanks")),
        from_sort(SenderSort::Bulk, thread("newsletter", "spring")),
        from_sort(SenderSort::Suspect, owing("fraud", 90)),
    ];
    let expected: Vec<String> = ranked.iter().map(|finding| finding.item.id.clone()).collect();
    let mut all = ranked.to_vec();
    for _ in 0..all.len() {
        all.rotate_left(1);
        assert_eq!(read(&reading(), &all), expected);
    }
    // Of a topic, what fits best comes first, whoever wrote it.
    let scored = |score: f32, finding: Finding| Finding { score, ..finding };
    let about = BatchThreadRead { about: Some("spring".to_owned()), ..reading() };
    let all = [scored(0.2, letters(1, thread("ann", "a letter"))), scored(0.9, ranked[8].clone())];
    assert_eq!(read(&about, &all), ["newsletter", "ann"]);
}

#[tokio::test]
async fn the_most_that_a_graph_wants_read_cuts_only_what_a_model_reads() {
    let world = AskingWorld::of(ScriptedModel::saying(|_, _| Some(says("read", "me"))));
    let mut all = settled(195);
    all.extend((0..5).map(|at| owing(&format!("waits{at}"), 40 + at)));
    let (texts, five) = (texts(&all, "letter"), BatchThreadRead { max_items: Some(5), ..reading() });
    let output = NodeOutput::of(all.clone());
    let refined = world.with(async |model| extract(model, &five, output, &texts, &about(), &silent).await).await;
    assert!(world.script.asked().iter().all(|call| call.user.contains("waits")));
    assert_eq!((world.script.asked().len(), refined.output.unread), (5, 195));
    // What others owe is known by features; of the rest they tell nothing.
    let kept = |finding: &&Finding| finding.features.as_ref().unwrap().they_owe.is_some();
    let expected: Vec<Finding> = all[..195].iter().filter(kept).cloned().collect();
    assert_eq!((refined.output.findings.len(), expected.len()), (37, 32));
    assert_eq!(refined.output.findings[..32], expected, "as features tell it, in the order it came in");
}

#[test]
fn nothing_is_cut_by_its_age_before_the_best_of_it_are_known() {
    let node =
        |max_items| EvidenceNode::new("read", Strategy::BatchThreadRead(BatchThreadRead { max_items, ..reading() }));
    assert_eq!(*gathered_as(&node(Some(20))), node(None));
    assert_eq!(*gathered_as(&node(None)), node(None));
}
