//! Where people read and press: [`telegram`], the [`console`], and [`control`], the socket by which the command line
//! reaches a running daemon.

pub mod console;
pub mod control;
pub mod telegram;
