//! How long the rules take that a request's tasks are held against: a thousand of them, in a row and across.

use std::hint::black_box;
use std::time::Instant;

use brain_agent::core::tasks::{ProposedTask, TaskLimits, refined};

use crate::Effort;
use crate::report::{Report, Row};

const MANY: usize = 1_000;

pub fn measure(report: &mut Report, effort: Effort) {
    let in_a_row = |place: usize| place.checked_sub(1).into_iter().collect::<Vec<_>>();
    let across = |place: usize| (1..=8).filter_map(|back| place.checked_sub(back * 7)).collect::<Vec<_>>();
    for (named, after) in
        [("in a row", &in_a_row as &dyn Fn(usize) -> Vec<usize>), ("each after eight others", &across)]
    {
        let tasks = |many: usize| -> Vec<ProposedTask> { (0..many).map(|place| task(&after(place))).collect() };
        let (all, tenth) = (median_ms(&tasks(MANY), effort), median_ms(&tasks(MANY / 10), effort));
        report.add(
            Row::new(
                format!("1,000 tasks of a request checked, {named}"),
                format!("{all:.2} ms ({:.1} × what 100 take)", all / tenth),
            )
            .target("≤ 1 ms", all <= 1.0),
        );
    }
}

fn task(after: &[usize]) -> ProposedTask {
    let dependencies = after.iter().map(|on| format!("task-{on}")).collect();
    ProposedTask { service: "calendar".to_owned(), prompt: "look".to_owned(), dependencies, ..ProposedTask::default() }
}

fn median_ms(tasks: &[ProposedTask], effort: Effort) -> f64 {
    let limits = TaskLimits { tasks: MANY, ..TaskLimits::default() };
    let mut taken: Vec<f64> = (0..effort.of(50, 500))
        .map(|_| {
            let proposed = tasks.to_vec();
            let began = Instant::now();
            let checked = refined(proposed, &["calendar"], |service| service == "calendar", limits);
            black_box(checked.expect("tasks in an order"));
            began.elapsed().as_secs_f64() * 1_000.0
        })
        .collect();
    taken.sort_by(f64::total_cmp);
    taken[taken.len() / 2]
}
