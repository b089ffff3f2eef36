//! The stage on which the whole program is tested: fake servers that behave like the real ones, and the
//! real binary run against them.
//!
//! - [`bot_api::FakeBotApi`]: Telegram's Bot API, with faults on demand
//! - [`model_server::ModelServer`]: a scripted OpenAI-compatible endpoint, and a simulated one for benchmarks
//! - [`smtp_server::SmtpServer`]: a mail server that keeps what it was given
//! - [`tls_server::TlsServer`]: says what a test wants, over TLS
//! - [`transcriber::Transcriber`]: an endpoint that hears what a test says
//! - [`program`]: the binary as a console, as a daemon, or once
//!
//! Every server lives in a thread of its own, listens on a free port of 127.0.0.1 and is gone when its value
//! is dropped. So a test may block, kill the program and start it again: the servers go on and remember.
//! Nothing here knows the library under test; only the wire is shared.
// Each test binary and bench uses its own part of this.
#![allow(dead_code, unused_imports)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

pub mod bot_api;
pub mod model_server;
pub mod program;
pub mod smtp_server;
pub mod tls_server;
pub mod transcriber;
mod wire;
