//! Tests of the whole program, and of the stage they play on.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod accounts;
mod alarms;
mod amended;
mod answers;
mod architecture;
mod archive;
mod asked_again;
mod assistant;
mod attack;
mod backends;
mod backup;
mod below_cards;
mod budgets;
mod commands_file;
mod commits;
mod compression;
mod conditions;
mod contents;
mod conversation;
mod corrected;
#[cfg(feature = "failpoints")]
mod crash;
mod dependencies;
mod doctor;
mod doubts;
mod elsewhere;
mod eval;
mod everyday;
mod examples;
mod excess;
mod faults;
mod floors;
mod flows;
mod forget;
mod found_rows;
mod freshness;
mod fuzz;
mod grounded;
mod guard;
mod handed_on;
mod held;
mod hostile;
mod invariants;
mod investigations;
mod invitations;
mod kept_mail;
mod killed;
mod lazy;
mod lists;
mod logs;
mod looks;
mod mailing;
mod mcp;
mod meaning;
mod moves;
mod names;
mod nested;
mod oauth;
mod packaging;
mod paging;
mod presses;
mod questions;
mod readme;
mod real_calendar;
mod real_mail;
mod record;
mod registry;
mod reminders;
mod replies;
mod requests;
mod retention;
mod rig;
mod rounds;
mod rules;
mod salient;
mod scopes;
mod searching;
mod sending;
mod series;
mod setup;
mod several;
mod shadow;
mod signing_in;
mod slow;
mod soak;
mod steps;
mod stopping;
#[path = "../support/mod.rs"]
mod support;
mod support_selftest;
mod telegram;
#[cfg(feature = "otel")]
mod telemetry;
mod terminal;
mod told;
mod tools;
mod watches;
mod web;
mod writers;

#[cfg(not(feature = "failpoints"))]
#[test]
fn the_crash_tests_are_built_in() {
    panic!("the crash tests need the places to crash at: cargo test --features failpoints");
}
