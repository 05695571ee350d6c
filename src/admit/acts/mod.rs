//! What a call does, and whether it was done before: in its session, or in any session of its principal.

pub(in crate::admit) mod duplicate;
pub(in crate::admit) mod principal_acts;
pub(in crate::admit) mod principal_session;
pub(in crate::admit) mod reservation;
pub(in crate::admit) mod reserving;
