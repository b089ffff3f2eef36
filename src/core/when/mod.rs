//! From the words people use for times to instants.
