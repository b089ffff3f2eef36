//! A folder a service; stakes, cards and receipts of every command come from here.

pub mod services;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
