//! What the built-in services make of what is said to them, without a model.

use crate::language::requests::{Builders, filling};

/// The builders of all of them.
pub const BUILDERS: Builders = filling::BUILDERS;
