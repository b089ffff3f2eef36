//! How mail goes out.

pub mod smtp;
