//! Questions over a person's own data, asked of the real program without a model, and judged by what is true.
//!
//! - [`world`]: a data folder whose items have names, and what a source of an answer is called by them
//! - [`mailbox`]: writes a made-up person's mailbox, and reads the truth about it
//! - [`stranger`]: such a person, of 180 conversations; [`vet`]: one of 260, [`inspector`]: one of 240
//! - [`leant`]: questions in words that no phrase covers
//! - [`repeated`]: what a question that is asked again costs
//! - [`scripted`]: the demo's questions with a model: bounds, tokens, calls, and in which order
//! - [`told`]: what the person said in the chat
//! - [`waiting`]: costly questions that wait for a yes, and what waits among what needs somebody
//! - [`truth`]: asks everything, judges, prints the figures and guards them
//!
//! The demo's truth is `data/demo/truth.json`; its README says what the keys mean.

mod ask;
mod by_model;
mod follow_ups;
mod inspector;
mod judge;
mod leant;
mod mailbox;
mod repeated;
mod scripted;
mod stranger;
mod told;
mod truth;
mod vet;
mod waiting;
mod world;
