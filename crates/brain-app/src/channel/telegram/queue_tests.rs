use super::*;
use tokio::time::{Instant, sleep};

type Log = Arc<Mutex<Vec<(u64, String)>>>;

/// Jobs are `(name, milliseconds)`; the log says when each ended.
fn queues() -> (Arc<ChatQueues<(String, u64)>>, Log) {
    let log = Log::default();
    let kept = Arc::clone(&log);
    let start = Instant::now();
    let queues = ChatQueues::new(move |(name, ms): (String, u64), _| {
        let log = Arc::clone(&kept);
        async move {
            sleep(Duration::from_millis(ms)).await;
            let at = u64::try_from(start.elapsed().as_millis()).unwrap();
            log.lock().unwrap().push((at, name));
        }
    });
    (Arc::new(queues), log)
}

fn push(queues: &Arc<ChatQueues<(String, u64)>>, chat: &str, name: &str, ms: u64) -> Result<(), Full<(String, u64)>> {
    queues.push(&ChatId::new(chat), ChatLane::Messages, (name.to_owned(), ms), Entrance::IfRoom)
}

fn names(log: &Log) -> Vec<(u64, String)> {
    log.lock().unwrap().clone()
}

fn done(at: u64, name: &str) -> (u64, String) {
    (at, name.to_owned())
}

#[tokio::test(start_paused = true)]
async fn chats_keep_their_order_and_do_not_wait_for_each_other() {
    let (queues, log) = queues();
    push(&queues, "a", "a1", 1_000).unwrap();
    push(&queues, "a", "a2", 10).unwrap();
    push(&queues, "b", "b1", 20).unwrap();
    push(&queues, "b", "b2", 5).unwrap();
    sleep(Duration::from_secs(2)).await;
    assert_eq!(names(&log), [done(20, "b1"), done(25, "b2"), done(1_000, "a1"), done(1_010, "a2")]);
    assert!(queues.lines().is_empty(), "idle chats have no worker");
    push(&queues, "a", "a3", 1).unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(names(&log).len(), 5, "and get one again");
}

#[tokio::test(start_paused = true)]
async fn an_overtaker_waits_for_nobody() {
    let (queues, log) = queues();
    push(&queues, "a", "slow", 1_000).unwrap();
    push(&queues, "a", "waits", 1).unwrap();
    queues.overtake(("press".to_owned(), 1));
    sleep(Duration::from_secs(2)).await;
    assert_eq!(names(&log), [done(1, "press"), done(1_000, "slow"), done(1_001, "waits")]);
}

#[tokio::test(start_paused = true)]
async fn a_full_line_takes_no_more_and_says_so_once_but_keeps_its_promises() {
    let (queues, log) = queues();
    push(&queues, "a", "running", 100).unwrap();
    for n in 0..limits::CHAT_QUEUE_MAX {
        push(&queues, "a", &n.to_string(), 1).unwrap();
    }
    assert!(push(&queues, "a", "over", 1).unwrap_err().first);
    assert!(!push(&queues, "a", "over", 1).unwrap_err().first);
    push(&queues, "b", "another chat", 1).unwrap();
    queues.push(&ChatId::new("a"), ChatLane::Messages, ("promised".to_owned(), 1), Entrance::Promised).unwrap();
    sleep(Duration::from_secs(5)).await;
    assert_eq!(names(&log).len(), 1 + limits::CHAT_QUEUE_MAX + 1 + 1);
    assert_eq!(names(&log).last().unwrap().1, "promised");
}

#[tokio::test(start_paused = true)]
async fn a_line_that_had_room_again_says_so_again_when_it_is_full() {
    let (queues, _log) = queues();
    push(&queues, "a", "running", 100).unwrap();
    for n in 0..limits::CHAT_QUEUE_MAX {
        push(&queues, "a", &n.to_string(), 100).unwrap();
    }
    assert!(push(&queues, "a", "over", 1).unwrap_err().first);
    sleep(Duration::from_millis(150)).await;
    push(&queues, "a", "sent again", 1).unwrap();
    assert!(push(&queues, "a", "over", 1).unwrap_err().first, "whoever sends again must not lose it in silence");
    assert!(!push(&queues, "a", "over", 1).unwrap_err().first);
}

#[tokio::test(start_paused = true)]
async fn presses_of_a_chat_come_one_after_another_beside_its_messages() {
    let (queues, log) = queues();
    let press = |chat: &str, name: &str, ms| {
        queues.push(&ChatId::new(chat), ChatLane::Presses, (name.to_owned(), ms), Entrance::IfRoom).unwrap();
    };
    push(&queues, "a", "message", 1_000).unwrap();
    press("a", "tap", 100);
    press("a", "second tap", 1);
    press("b", "another chat", 10);
    queues.overtake(("cancel".to_owned(), 1));
    sleep(Duration::from_secs(2)).await;
    assert_eq!(
        names(&log),
        [
            done(1, "cancel"),
            done(10, "another chat"),
            done(100, "tap"),
            done(101, "second tap"),
            done(1_000, "message")
        ]
    );
    assert!(queues.lines().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_stop_finishes_what_runs_begins_nothing_and_drops_what_takes_too_long() {
    let (queues, log) = queues();
    push(&queues, "a", "short", 1_000).unwrap();
    push(&queues, "a", "never begun", 1).unwrap();
    sleep(Duration::from_millis(1)).await;
    assert!(queues.stop(Duration::from_secs(5)).await);
    assert_eq!(names(&log), [done(1_000, "short")]);

    let before = Instant::now();
    assert!(self::queues().0.stop(Duration::from_secs(5)).await);
    assert_eq!(before.elapsed(), Duration::ZERO, "where nothing runs, nothing is waited for");

    let (queues, log) = self::queues();
    push(&queues, "a", "endless", 3_600_000).unwrap();
    sleep(Duration::from_millis(1)).await;
    let before = Instant::now();
    assert!(!queues.stop(Duration::from_secs(5)).await);
    assert_eq!(before.elapsed(), Duration::from_secs(5));
    assert!(names(&log).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_job_may_take_the_next_one_along_or_a_later_one_that_belongs_to_it_and_no_other() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&log);
    let queues = Arc::new(ChatQueues::new(move |first: &'static str, rest: WaitingRest<&'static str>| {
        let log = Arc::clone(&kept);
        async move {
            let mut all = vec![first];
            rest.arrival().await;
            while let Next::Taken(job) = rest.take(|job| *job == "belongs", |job| job.starts_with("then")) {
                all.push(job);
            }
            sleep(Duration::from_millis(10)).await;
            log.lock().unwrap().push(all.join(" "));
        }
    }));
    let chat = ChatId::new("a");
    let push = |job| queues.push(&chat, ChatLane::Messages, job, Entrance::IfRoom).unwrap();
    push("first");
    sleep(Duration::from_millis(1)).await;
    for job in ["then one", "other", "then two", "belongs"] {
        push(job);
    }
    sleep(Duration::from_secs(1)).await;
    assert_eq!(log.lock().unwrap().as_slice(), ["first belongs then one", "other then two"]);
}

#[tokio::test(start_paused = true)]
async fn a_job_that_lets_others_pass_goes_on_beside_its_line() {
    let log = Log::default();
    let (kept, start) = (Arc::clone(&log), Instant::now());
    let work = move |(name, ms): (String, u64), rest: WaitingRest<(String, u64)>| {
        let log = Arc::clone(&kept);
        async move {
            if name.starts_with("passed") {
                rest.lets_pass().notify_one();
            }
            sleep(Duration::from_millis(ms)).await;
            let at = u64::try_from(start.elapsed().as_millis()).unwrap();
            log.lock().unwrap().push((at, name));
        }
    };
    let queues = Arc::new(ChatQueues::new(work));
    push(&queues, "a", "passed", 1_000).unwrap();
    push(&queues, "a", "next", 10).unwrap();
    sleep(Duration::from_millis(500)).await;
    assert_eq!(names(&log), [done(10, "next")]);
    assert!(queues.stop(Duration::from_secs(5)).await, "it is waited for at the end");
    assert_eq!(names(&log), [done(10, "next"), done(1_000, "passed")]);

    let queues = Arc::new(ChatQueues::new(|(_, ms): (String, u64), rest: WaitingRest<(String, u64)>| async move {
        rest.lets_pass().notify_one();
        sleep(Duration::from_millis(ms)).await;
    }));
    for _ in 0..limits::JOBS_BESIDE_MAX * 2 {
        push(&queues, "a", "passed", 1_000).unwrap_or_default();
        sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(queues.beside.available_permits(), 0, "so many and no more");
}
