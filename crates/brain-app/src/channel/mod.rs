//! Where people read and press: [`telegram`], the [`console`], [`web`], the operator's page, and [`control`], the socket
//! by which the command line reaches a running daemon.

pub mod console;
pub mod control;
mod http;
mod received_files;
pub mod telegram;
pub mod web;
