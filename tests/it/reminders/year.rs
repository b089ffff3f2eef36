//! A virtual year: every occurrence of every reminder is told exactly once, on time or marked late, whatever
//! happens to the program, the network and the person's zone.
//!
//! `BRAIN_TEST_YEARS=n` runs n further seeds.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::catch_unwind;

use brain_agent::core::button::Role;
use brain_agent::core::notification::{Notification, Urgency};
use brain_agent::core::settings::{Quiet, Settings};
use chrono::{DateTime, Duration, TimeZone, Timelike, Utc};
use chrono_tz::{America, Asia, Europe, Pacific, Tz};
use serde_json::json;

use super::oracle::{self, Occurrence, SERIES, Zones, first_minute, zone_at};
use super::world::{Told, World};
use crate::rig::Fate;

/// Small, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i64::try_from(self.0 >> 33).unwrap() % below
    }

    fn minutes(&mut self, from: i64, to: i64) -> Duration {
        Duration::minutes(from + self.roll(to - from))
    }
}

/// What is wrong at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    /// The program is not running.
    Dead,
    /// Messages do not arrive, or their answers do not.
    Chat,
}

struct Year {
    dice: Dice,
    world: World,
    zones: Zones,
    quiet: bool,
    end: DateTime<Utc>,
    /// By task id: the times that the oracle cannot know, because the person set or dropped them on the way.
    once: BTreeMap<String, BTreeSet<DateTime<Utc>>>,
    /// By task id: its place in the oracle's list.
    series: BTreeMap<String, usize>,
    snoozed: BTreeMap<String, DateTime<Utc>>,
    /// When not everything worked.
    troubles: Vec<(DateTime<Utc>, DateTime<Utc>)>,
    trouble: Option<(Trouble, DateTime<Utc>)>,
    seen: usize,
    moves: Vec<(DateTime<Utc>, Tz)>,
}

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

#[derive(Debug, Default)]
struct Figures {
    told: usize,
    late: usize,
    held: usize,
    missed: usize,
    grouped: usize,
    repeated: usize,
}

impl Year {
    async fn begin(seed: u64) -> Self {
        let now = utc("2028-01-01T06:00:00Z");
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            dice.roll(2);
        }
        let world = World::new(now, Europe::Berlin);
        let quiet = seed % 2 == 1;
        let abroad = [America::New_York, Asia::Tokyo, Pacific::Auckland, America::Los_Angeles];
        let there = abroad[usize::try_from(dice.roll(4)).unwrap()];
        let moves = vec![
            (utc("2028-06-01T00:00:00Z") + dice.minutes(0, 60 * 24 * 60), there),
            (utc("2028-09-01T00:00:00Z") + dice.minutes(0, 90 * 24 * 60), Europe::Berlin),
        ];
        let mut year = Self {
            dice,
            world,
            zones: vec![(now - Duration::days(30), Europe::Berlin)],
            quiet,
            end: utc("2029-01-01T00:00:00Z"),
            once: BTreeMap::new(),
            series: BTreeMap::new(),
            snoozed: BTreeMap::new(),
            troubles: Vec::new(),
            trouble: None,
            seen: 0,
            moves,
        };
        if quiet {
            let time = |text: &str| text.parse().unwrap();
            let quiet = Some(Quiet { from: time("22:00:00"), to: time("07:00:00") });
            year.world.chooses(None, Settings { quiet, ..Settings::default() }).await;
        }
        year.plan().await;
        year
    }

    async fn plan(&mut self) {
        for (number, series) in SERIES.iter().enumerate() {
            let (y, m, d) = series.first;
            let first = Europe::Berlin.with_ymd_and_hms(y, m, d, series.clock.0, series.clock.1, 0).unwrap();
            let params = json!({"title": series.name, "repeat": series.rule, "deadline": first.to_rfc3339()});
            let made = self.world.does("create", params).await;
            self.series.insert(made["task"]["id"].as_str().unwrap().to_owned(), number);
        }
        for number in 0..80 {
            let at = self.world.now() + Duration::days(2) + self.dice.minutes(0, 360 * 24 * 60);
            let local = at.with_timezone(&Europe::Berlin);
            let mut times = BTreeSet::from([at]);
            let mut params = json!({"title": format!("once {number}"), "deadline": local.to_rfc3339()});
            if number % 4 == 0 {
                params["remind_before"] = json!(["1 day", "1 hour"]);
                let wall = local.naive_local() - Duration::days(1);
                times.extend([first_minute(Europe::Berlin, wall, at), at - Duration::hours(1)]);
            }
            if number % 5 == 0 {
                let more = [at + Duration::minutes(30), at + Duration::hours(5)];
                params["remind_at"] = json!(more.map(|at| at.with_timezone(&Europe::Berlin).to_rfc3339()));
                times.extend(more);
            }
            let made = self.world.does("create", params).await;
            self.once.insert(made["task"]["id"].as_str().unwrap().to_owned(), times);
        }
    }

    async fn live(&mut self) {
        let mut next_trouble = self.world.now() + self.dice.minutes(60, 6 * 24 * 60);
        let mut trouble_ends = None;
        while self.world.now() < self.end {
            let retry =
                matches!(self.trouble, Some((Trouble::Chat, _))).then(|| self.world.now() + self.dice.minutes(1, 90));
            let due = match self.trouble {
                Some((Trouble::Dead, _)) => None,
                Some((Trouble::Chat, _)) | None => self.world.next_due().await,
            };
            let moving = self.moves.first().filter(|_| self.trouble.is_none()).map(|(at, _)| *at);
            let begins = self.trouble.is_none().then_some(next_trouble);
            let next = [retry, due, moving, begins, trouble_ends, Some(self.end)].into_iter().flatten().min().unwrap();
            self.world.go_to(next.max(self.world.now()));
            let now = self.world.now();
            if trouble_ends.is_some_and(|end| end <= now) {
                self.trouble_is_over().await;
                trouble_ends = None;
                next_trouble = now + self.dice.minutes(60, 6 * 24 * 60);
            }
            if moving.is_some_and(|at| at <= now) {
                let (_, zone) = self.moves.remove(0);
                let settings = self.world.user().await.settings;
                self.world.chooses(Some(zone), settings).await;
                self.zones.push((now, zone));
            }
            if begins.is_some_and(|at| at <= now) {
                trouble_ends = Some(self.trouble_begins(now));
            }
            if !matches!(self.trouble, Some((Trouble::Dead, _))) {
                self.world.works().await;
                self.world.redelivers().await;
            }
            if self.world.store.is_dead() && !matches!(self.trouble, Some((Trouble::Dead, _))) {
                self.trouble_is_noted();
                self.trouble = Some((Trouble::Dead, now));
                trouble_ends = Some(now + self.downtime());
            }
            // At night nobody presses anything; what is held then is not answered before it was told.
            if self.trouble.is_none() && !self.is_quiet(now) {
                self.answer().await;
            }
            self.seen += self.world.told_since(self.seen).len();
        }
        self.trouble_is_over().await;
        // What quiet hours hold over the turn of the year is told in the morning.
        self.world.live_until(self.end + Duration::hours(30)).await;
    }

    fn downtime(&mut self) -> Duration {
        match self.dice.roll(4) {
            0 => Duration::seconds(self.dice.roll(120)),
            1 => self.dice.minutes(1, 120),
            2 => self.dice.minutes(60, 24 * 60),
            _ => self.dice.minutes(24 * 60, 5 * 24 * 60),
        }
    }

    fn trouble_begins(&mut self, now: DateTime<Utc>) -> DateTime<Utc> {
        let ends = now + self.downtime();
        match self.dice.roll(6) {
            // It stops in the middle of something, sooner or later.
            0 | 1 => {
                self.world.store.dies_after(1 + self.dice.roll(5));
                self.trouble = Some((Trouble::Chat, now));
                return now + Duration::days(3);
            }
            2 => {
                self.world.store.dies_after(0);
                self.trouble = Some((Trouble::Dead, now));
            }
            3 => self.chat_trouble(Fate::LostAfter(0), now),
            4 => {
                self.chat_trouble(Fate::AnswerLost, now);
                return now + self.dice.minutes(1, 600);
            }
            _ => self.chat_trouble(Fate::Blocked, now),
        }
        ends
    }

    fn chat_trouble(&mut self, fate: Fate, now: DateTime<Utc>) {
        self.world.fate(fate);
        self.trouble = Some((Trouble::Chat, now));
    }

    fn trouble_is_noted(&mut self) {
        if let Some((_, since)) = self.trouble.take() {
            self.troubles.push((since, self.world.now()));
        }
    }

    async fn trouble_is_over(&mut self) {
        let was = self.trouble;
        self.trouble_is_noted();
        self.world.fate(Fate::Arrives);
        if matches!(was, Some((Trouble::Dead, _))) || self.world.store.is_dead() {
            self.world.restart().await;
        }
        self.world.store.dies_after(-1);
        self.world.brain.unblocked(&super::world::my_chat()).await.unwrap();
        self.world.redelivers().await;
    }

    /// The person snoozes some, and ends some.
    async fn answer(&mut self) {
        let new = self.world.told_since(self.seen);
        let now = self.world.now();
        for told in new.iter().filter(|told| told.at == now && !told.doubtful) {
            let [notification] = told.reply.notifications.as_slice() else { continue };
            let id = notification.item.clone();
            match self.dice.roll(12) {
                0 | 1 => {
                    self.world.presses(&told.reply, Role::Snooze).await;
                    self.forget_snooze(&id, now);
                    let until = now + Duration::minutes(10);
                    self.snoozed.insert(id.clone(), until);
                    self.once.entry(id).or_default().insert(until);
                }
                2 => {
                    self.world.presses(&told.reply, Role::Done).await;
                    self.forget_snooze(&id, now);
                    if !self.series.contains_key(&id) {
                        self.once.entry(id).or_default().retain(|at| *at <= now);
                    }
                }
                _ => {}
            }
        }
    }

    /// A snooze that has not rung is replaced by the next one, and dropped by "done".
    fn forget_snooze(&mut self, id: &str, now: DateTime<Utc>) {
        if let Some(until) = self.snoozed.remove(id).filter(|until| *until > now) {
            self.once.entry(id.to_owned()).or_default().remove(&until);
        }
    }

    /// Everything that should have rung, by task.
    fn expected(&self) -> BTreeMap<String, BTreeMap<DateTime<Utc>, Occurrence>> {
        let from = self.zones[0].0.max(utc("2028-01-01T06:00:00Z"));
        let by_series = oracle::year(&self.zones, from, self.end + Duration::hours(30));
        let mut all: BTreeMap<String, BTreeMap<DateTime<Utc>, Occurrence>> = BTreeMap::new();
        for (id, number) in &self.series {
            let times = by_series[*number].iter().map(|occurrence| (occurrence.at, *occurrence));
            all.entry(id.clone()).or_default().extend(times);
        }
        for (id, times) in &self.once {
            let times = times.iter().map(|at| (*at, Occurrence { at: *at, ripe: *at }));
            all.entry(id.clone()).or_default().extend(times);
        }
        all
    }

    /// In the very instant of a move it may be day on either side.
    fn is_quiet(&self, at: DateTime<Utc>) -> bool {
        let zones = [at, at - Duration::seconds(1)].map(|at| zone_at(&self.zones, at));
        let is_night = |zone: Tz| !(7..22).contains(&at.with_timezone(&zone).hour());
        self.quiet && zones.into_iter().all(is_night)
    }

    fn is_night(&self, at: DateTime<Utc>) -> bool {
        self.quiet && !(7..22).contains(&at.with_timezone(&zone_at(&self.zones, at)).hour())
    }

    /// A move in this very instant, into quiet hours.
    fn moves_into_night(&self, at: DateTime<Utc>) -> bool {
        let moves = zone_at(&self.zones, at) != zone_at(&self.zones, at - Duration::seconds(1));
        moves && self.is_night(at)
    }

    /// The first minute after quiet hours.
    fn ends_night(&self, at: DateTime<Utc>) -> bool {
        self.is_night(at - Duration::minutes(1)) && !self.is_night(at)
    }

    /// True when nothing was wrong all the time from one instant to another.
    fn all_well(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> bool {
        !self.troubles.iter().any(|(begin, end)| *begin <= to && *end >= from)
    }

    fn judge(&self) -> Figures {
        let mut left = self.expected();
        let mut figures = Figures::default();
        let mut repeats: Vec<&Told> = Vec::new();
        let world_told = self.world.told();
        for told in world_told.iter().filter(|told| !told.reply.notifications.is_empty()) {
            // A message comes again as the same reminder, or inside the list it has become a part of.
            repeats.retain(|was| was.reply.reminder != told.reply.reminder && !holds(told, was));
            if told.doubtful {
                figures.repeated += 1;
                repeats.push(told);
                continue;
            }
            figures.grouped += usize::from(told.reply.notifications.len() > 1);
            for notification in &told.reply.notifications {
                self.judge_ring(told, notification, left.get_mut(&notification.item).unwrap(), &mut figures);
            }
        }
        assert!(repeats.is_empty(), "what was not confirmed is told again: {repeats:#?}");
        for (id, times) in &left {
            let lost: Vec<_> = times.keys().filter(|at| **at <= self.end).collect();
            assert!(
                lost.is_empty(),
                "{id} ({:?}) never rang for {lost:?}",
                self.series.get(id).map(|n| SERIES[*n].name)
            );
        }
        figures
    }

    /// What happened around a time, for the one who has to find out why.
    fn around(
        &self,
        notification: &Notification,
        at: DateTime<Utc>,
        left: &BTreeMap<DateTime<Utc>, Occurrence>,
    ) -> String {
        let near = |other: DateTime<Utc>| (other - at).abs() < Duration::days(4);
        let mut lines = vec![format!("zones {:?}, quiet {}", self.zones, self.quiet)];
        lines.extend(self.troubles.iter().filter(|(from, _)| near(*from)).map(|t| format!("trouble {t:?}")));
        lines.extend(left.values().filter(|o| near(o.at)).map(|o| format!("expected {o:?}")));
        for told in self.world.told().iter().filter(|told| near(told.at)) {
            let notifications = told.reply.notifications.iter().filter(|other| other.item == notification.item);
            lines.extend(notifications.map(|r| format!("told {} doubtful {}: {r:?}", told.at, told.doubtful)));
        }
        lines.join("\n")
    }

    fn judge_ring(
        &self,
        told: &Told,
        notification: &Notification,
        left: &mut BTreeMap<DateTime<Utc>, Occurrence>,
        figures: &mut Figures,
    ) {
        let occurrence = left.remove(&notification.at).unwrap_or_else(|| {
            let what =
                format!("{} rang at {} for {}, told twice or never due", notification.title, told.at, notification.at);
            panic!("{what}\n{}", self.around(notification, told.at, left))
        });
        let earlier: Vec<_> =
            left.range(..notification.at).rev().take(notification.missed as usize).map(|(at, _)| *at).collect();
        assert_eq!(
            earlier.len(),
            notification.missed as usize,
            "{} says it missed more than there were",
            notification.title
        );
        left.retain(|at, _| !earlier.contains(at));
        figures.told += 1;
        figures.missed += earlier.len();
        // The oracle looks once a minute.
        let minute = Duration::minutes(1);
        assert!(told.at > occurrence.ripe - minute, "{} rang early", notification.title);
        let late = told.at - notification.at > Duration::seconds(90);
        let text = &told.reply.text;
        if told.reply.notifications.len() == 1 {
            let says_late = text.contains(", late by ");
            let says_held = text.contains("held by your quiet hours");
            assert_eq!(late, says_late || says_held, "{text} for {} at {}", notification.at, told.at);
            figures.late += usize::from(says_late);
            figures.held += usize::from(says_held);
        }
        if self.is_quiet(told.at) {
            let fine = notification.urgency == Urgency::Named && !late;
            assert!(fine, "{text} at {} breaks the quiet hours; it was for {}", told.at, notification.at);
        }
        if self.all_well(occurrence.ripe, told.at) && !self.is_quiet(occurrence.ripe) {
            let around = || self.around(notification, told.at, left);
            let held = self.moves_into_night(occurrence.ripe) && self.ends_night(told.at);
            assert!(
                told.at < occurrence.ripe + minute || held,
                "{} was late for no reason\n{}",
                notification.title,
                around()
            );
        }
    }
}

/// True when a message tells everything that an earlier one told.
fn holds(told: &Told, was: &Told) -> bool {
    let here = |notification: &Notification| {
        told.reply.notifications.iter().any(|r| r.item == notification.item && r.at >= notification.at)
    };
    was.reply.notifications.iter().all(here)
}

fn a_year(seed: u64) -> Figures {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut year = Year::begin(seed).await;
        year.live().await;
        year.judge()
    })
}

#[test]
fn in_a_year_of_trouble_every_reminder_is_told_exactly_once_or_marked_late() {
    let more: u64 = std::env::var("BRAIN_TEST_YEARS").ok().and_then(|years| years.parse().ok()).unwrap_or(0);
    let (mut sum, mut years) = (Figures::default(), 0);
    let seeds: Vec<u64> = (1..=(6 + more)).collect();
    // Two years at a time; a failure names its seed.
    let half =
        |nth: usize| seeds.iter().copied().skip(nth).step_by(2).map(|seed| (seed, catch_unwind(|| a_year(seed))));
    let (one, other) = std::thread::scope(|scope| {
        let other = scope.spawn(|| half(1).collect::<Vec<_>>());
        (half(0).collect::<Vec<_>>(), other.join().unwrap())
    });
    for (seed, figures) in one.into_iter().chain(other) {
        let figures = figures.unwrap_or_else(|_| panic!("seed {seed}"));
        println!("seed {seed}: {figures:?}");
        sum.told += figures.told;
        sum.late += figures.late;
        sum.held += figures.held;
        sum.missed += figures.missed;
        sum.grouped += figures.grouped;
        sum.repeated += figures.repeated;
        years += 1;
    }
    println!("{years} years: {sum:?}");
    assert!(sum.told > 500 * years && sum.late > 0 && sum.held > 0 && sum.missed > 0);
    assert!(sum.grouped > 0 && sum.repeated > 0, "{sum:?}");
}
