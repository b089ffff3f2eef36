//! One turn, top to bottom, the questions that it answers from what is kept, and what there is to see, as data.

pub mod investigate;
pub mod metering;
pub mod pipeline;
pub mod queries;
pub mod shadow;
#[cfg(test)]
mod testing;
