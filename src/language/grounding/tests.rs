//! Values and their grounds.
