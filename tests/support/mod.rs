//! The stage on which the whole program is tested: fake servers that behave like the real ones, and the
//! real binary run against them.
//!
//! - [`bot_api::FakeBotApi`]: Telegram's Bot API, with faults on demand
//! - [`model_server::ModelServer`]: a scripted OpenAI-compatible endpoint, and a simulated one for benchmarks
//! - [`postfix::Postfix`]: a real SMTP server that delivers into Dovecot's mailboxes
//! - [`smtp_server::SmtpServer`]: a mail server that keeps what it was given
//! - [`browser::Browser`]: Chromium without a window, led by its driver
//! - [`byte_proxy::ByteProxy`]: before any of them, and cuts, delays, swallows, repeats and garbles
//! - [`dav_server::DavServer`]: a real CalDAV and CardDAV server (Radicale or Xandikos), with another client (Python's caldav)
//! - [`dovecot::Dovecot`]: a real IMAP server, with another client (Python's imaplib) to read back what is in it
//! - [`token_server::TokenServer`]: a token server of OAuth 2, with its page, and what it knows of a token
//! - [`tool_server::ToolServer`]: a server of tools that lets in who has a token of it
//! - [`tls_server::TlsServer`]: says what a test wants, over TLS
//! - [`transcriber::Transcriber`]: an endpoint that hears what a test says
//! - [`web_api::WebApi`]: an HTTP API, and what it was asked
//! - [`program`]: the binary as a console, as a daemon, or once
//!
//! Every server lives in a thread of its own, listens on a free port of 127.0.0.1 and is gone when its value
//! is dropped. So a test may block, kill the program and start it again: the servers go on and remember.
//! Nothing here knows the library under test; only the wire is shared.
// Each test binary and bench uses its own part of this.
#![allow(dead_code, unused_imports)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

pub mod bot_api;
pub mod browser;
pub mod byte_proxy;
pub mod dav_server;
pub mod dovecot;
pub mod embedder;
pub mod guarded;
pub mod http_proxy;
pub mod internals;
pub mod model_server;
pub mod postfix;
pub mod program;
pub mod smtp_server;
pub mod tls_server;
pub mod token_server;
pub mod tool_server;
pub mod transcriber;
pub mod web_api;
mod wire;
