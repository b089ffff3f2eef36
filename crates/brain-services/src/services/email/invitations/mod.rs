//! Invitations that come by mail (iTIP, RFC 5546; iMIP, RFC 6047), and their answers.

pub(in crate::services::email) mod answer_invitation;
pub(in crate::services::email) mod invitation;
