//! From a read clause to an action: one file a service.
//!
//! A builder may refuse a reading (`Built::No`); the next best one is tried then. "Cancel", "move" and their
//! like name no service; [`items`] settles it by what they are about.

mod agenda;
mod calendar;
mod contacts;
mod email;
mod filing;
mod items;
mod keep;
mod memory;
mod task;

use crate::language::requests::built::{Builders, Built};
use crate::language::requests::reading::ClauseReading;

/// Of the built-in services.
pub(crate) const BUILDERS: Builders = Builders { build, retimed: items::retimed, looks_up };

/// What only asks for something that is there.
const LOOK_UPS: [&str; 8] = [
    "calendar.list_events",
    "calendar.find_free_time",
    "task.list",
    "email.search",
    "keep.search",
    "keep.list",
    "contacts.find",
    "memory.recall",
];

fn looks_up(command: &str) -> bool {
    LOOK_UPS.contains(&command)
}

/// Builds the action of a reading.
fn build(said: &ClauseReading) -> Built {
    match said.command() {
        "task.create" => task::create(said),
        "task.list" => task::list(said),
        "task.complete" => items::complete(said),
        "task.delete" => items::delete(said, "task"),
        "task.update" => task::update(said),
        "calendar.list_events" => agenda::list(said),
        "calendar.find_free_time" => calendar::free_time(said),
        "calendar.create_event" => calendar::create(said),
        "calendar.update_event" => calendar::update(said),
        "calendar.delete_event" => calendar::delete(said),
        "item.move" => items::moved(said),
        "item.more" => items::more(said),
        "item.cancel" => items::cancel(said),
        "email.search" => email::search(said),
        "email.read_thread" => email::read(said),
        "email.create_draft" => email::write(said, "create_draft"),
        "email.send_email" => email::write(said, "send_email"),
        "email.send_draft" => email::send_draft(said),
        "email.reply_to_email" => email::reply(said),
        "email.forward_email" => email::forward(said),
        "email.mark" => filing::mark(said),
        "email.delete_email" => filing::delete(said),
        "memory.store" => memory::store(said),
        "memory.recall" => memory::recall(said),
        "memory.update" => memory::update(said),
        "memory.forget" => memory::forget(said),
        "keep.create" => keep::create(said),
        "keep.append" => keep::append(said),
        "keep.tick" => keep::entries(said, "tick"),
        "keep.untick" => keep::entries(said, "untick"),
        "keep.remove" => keep::entries(said, "remove"),
        "keep.list" => keep::list(said),
        "keep.search" => keep::search(said),
        "keep.delete" => items::delete(said, "keep"),
        "contacts.find" => contacts::find(said),
        "contacts.save" => contacts::save(said),
        _ => Built::No,
    }
}
