//! What a build finds: codes, reports, and how a terminal shows them.

pub(crate) mod code;
pub(crate) mod render;
pub(crate) mod report;
pub(crate) mod suggest;
