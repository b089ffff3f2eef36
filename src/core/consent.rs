//! Is this message a yes, a no, or something else?
