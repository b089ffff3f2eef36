//! What goes over one connection: messages before they are parsed ([`frame`]), how many there may be ([`traffic`]), and
//! the two ways on which they come: standard input and output of a program ([`pipes`]), HTTP ([`http`]).

mod frame;
pub(super) mod http;
mod pipes;
mod traffic;

pub(super) use pipes::Pipes;
pub(super) use traffic::{Counted, Traffic};
