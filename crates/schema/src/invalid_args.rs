//! Arguments that do not fit their schema.

use super::Issue;
use toolgate_json::Tape;

/// Arguments that do not fit their schema.
#[derive(Debug)]
pub struct InvalidArgs {
    /// The arguments as received.
    pub tape: Tape,
    /// All errors.
    pub issues: Vec<Issue>,
}
