//! Running a graph of evidence.
