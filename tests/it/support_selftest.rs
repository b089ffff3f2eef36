//! The fake servers are believed by every other test, so they are tested themselves: against the real
//! clients of the crates that the program uses.

mod bot_api;
mod bot_api_faults;
mod bot_api_updates;
mod byte_proxy;
mod dav_server;
mod dovecot;
mod model_server;
mod postfix;
mod program;
mod smtp_server;

use std::time::Duration;

const SOON: Duration = Duration::from_secs(60);
