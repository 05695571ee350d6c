//! A question to a user: what is asked, and what its token stands for.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::record::Record;
use crate::call::CallId;
use crate::clock::EpochMs;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;

/// A confirmation's token.
pub type Token = Arc<str>;

/// A question to a user that waits for its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Random, single use.
    pub token: Token,
    /// The tool.
    pub tool: Arc<str>,
    /// Its version.
    pub tool_version: Arc<str>,
    /// The final arguments, JSON text: what is shown, and what runs.
    pub args: Arc<str>,
    /// SHA-256 over the canonical final arguments.
    pub args_digest: [u8; 32],
    /// The asking call as it was sent.
    pub fingerprint: Fingerprint,
    /// The asking call's key, under which it will be recorded.
    pub key: RecordKey,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// Ids of equal calls that came while it waited: the last few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<CallId>,
    /// The turn in which it was asked.
    pub turn: u32,
    /// The mode that asked.
    pub mode: Arc<str>,
    /// What the user reads.
    pub preview: String,
    /// When it closes.
    pub expires: EpochMs,
}

/// Ids of equal calls that a question remembers.
const ALSO: usize = 8;

impl Question {
    /// Whether the call with this id asked it, first or again.
    #[must_use]
    pub fn is_of(&self, call_id: &str) -> bool {
        self.call_id.iter().chain(&self.also).any(|id| id.as_str() == call_id)
    }

    /// An equal call came while it waits.
    pub(super) fn came_again(self: &mut Arc<Self>, call_id: Option<&CallId>) {
        let Some(call_id) = call_id.filter(|id| !self.is_of(id.as_str())) else { return };
        let also = &mut Arc::make_mut(self).also;
        if also.len() == ALSO {
            also.remove(0);
        }
        also.push(call_id.clone());
    }
}

/// What a token stands for.
#[derive(Debug, Clone)]
pub enum TokenState {
    /// It waits.
    Pending(Arc<Question>),
    /// It waited too long. Its arguments are not kept.
    Expired(Arc<Question>),
    /// It was answered with yes.
    Used {
        /// What was asked, without its arguments.
        question: Arc<Question>,
        /// What became of it.
        record: Option<Arc<Record>>,
    },
    /// It was never issued in this session, or is long forgotten.
    Unknown,
}

/// An earlier confirmation of an equal call.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmed {
    /// The record it ran under.
    pub key: RecordKey,
    /// The turn in which it was confirmed.
    pub turn: u32,
}

/// What became of asking.
#[derive(Debug, Clone)]
pub enum Asked {
    /// The question now waits, or an equal one did already.
    Pending(Arc<Question>),
    /// An equal call was confirmed in this turn or the one before.
    Confirmed(Confirmed),
}
