//! The Model Context Protocol, as a client: servers that offer tools, as programs of this machine or over HTTP.
//!
//! The protocol's library ([`rmcp`]) speaks both of its versions, that of 2026-07-28 and the one before; programs are
//! started ([`crate::outside`]), and HTTP is sent, by us.
//! Not here: what becomes of a tool, who may use it, and what its words are taken for.
//!
//! Invariants:
//! - whatever a server sends is bounded, in bytes, levels, values and time, and so is what waits to be taken by it; one that
//!   hangs, floods or ends harms no other;
//! - words of a server about its trouble hold none of the secrets that it was given ([`secrets`]), and what a program
//!   says of that itself goes to whoever runs this alone;
//! - a server's question ends its call, and no answer to it is made up here: it goes to whoever called;
//! - a token goes to the address that it was given for, and nowhere else; a redirect is not followed;
//! - a call that may have reached the server and has no answer says so ([`CallError::Unanswered`]), and is not repeated.

mod access;
mod asking;
mod call;
mod client;
mod config;
mod connect;
mod hosts;
mod listener;
mod secrets;
mod sign_in;
mod supervisor;
#[cfg(test)]
mod tests;
mod wire;

pub use asking::{CallAnswers, Elicitation, ElicitationForm};
pub use call::{McpCall, McpCallError};
pub use client::{ListingEnd, McpClient, OfferedTool, ServerFault, ToolListing};
pub use config::{McpConfig, McpConfigError, McpEndpoint, McpServer, ServerOAuth, ServerReach};
pub use hosts::{HostsAnswer, HostsQuestion, SignInHosts};
pub use sign_in::{ServerSignIn, SignInError, sign_out};
pub use supervisor::{KeptServer, ServerState};
