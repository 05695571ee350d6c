//! A confirmation question to a user, and the states of its token.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::acts::{DoneAct, DoneBefore};
use super::grants::NewGrant;
use super::record::Record;
use crate::call::CallId;
use crate::clock::EpochMs;
use crate::definition::Approvers;
use crate::json::KeyedHash;
use crate::response::Edited;
use crate::schema::Repaired;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::{RecordKey, kept_call_id};
use crate::store::row_names::question_id;

/// A confirmation's token.
pub type Token = Arc<str>;

/// A question to a user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Random, single use.
    pub token: Token,
    /// The tool.
    pub tool: Arc<str>,
    /// Its version.
    pub tool_version: Arc<str>,
    /// SHA-256 over its definition, which may change without the version.
    #[serde(default)]
    pub definition: [u8; 32],
    /// The final arguments, JSON text: shown to the user and used for the run.
    pub args: Arc<str>,
    /// SHA-256 over the canonical final arguments.
    pub args_digest: [u8; 32],
    /// The places in them that were filled in, as JSON Pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defaulted: Vec<String>,
    /// What the code of the tool's schema has added to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_code: Option<AddedByCode>,
    /// The fingerprint of the asking call as it was sent.
    pub fingerprint: Fingerprint,
    /// The asking call's key, under which it will be recorded.
    pub key: RecordKey,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// That of the call whose handler asks.
    #[serde(rename = "within", default, skip_serializing_if = "Option::is_none")]
    pub parent_call_id: Option<CallId>,
    /// The claims of calls whose handlers wait for the answer, if only handlers do: the question ends with the last of them, however
    /// that ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<ParentClaim>,
    /// The ids of equal calls that arrived while it was pending: the most recent ones.
    #[serde(rename = "also", default, skip_serializing_if = "Vec::is_empty")]
    pub repeat_call_ids: Vec<CallId>,
    /// The turn in which it was asked.
    pub turn: u32,
    /// The mode that asked.
    pub mode: Arc<str>,
    /// The text for the user.
    pub preview: String,
    /// The IANA name of the time zone that the text is for.
    #[serde(rename = "zone", default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<Arc<str>>,
    /// What was repaired in the asking call: the arguments that are shown are not those that were sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<Repaired>,
    /// What its user changed, if another question was asked about that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<Edited>,
    /// The equal act that was done before: the text says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<DoneBefore>,
    /// Who answers it in place of who asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvers: Option<Approvers>,
    /// Those of them who have confirmed it, while it needs more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirmed_by: Vec<ApproverName>,
    /// The time at which it expires.
    pub expires: EpochMs,
}

/// What the code of a tool's schema has added to the arguments of a question. It may add something else another time (a random
/// name, a time), so no two calls differ by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedByCode {
    /// JSON Pointers of the added members.
    pub places: Vec<String>,
    /// SHA-256 over the canonical arguments without them.
    pub digest_without: [u8; 32],
}

/// The claim of a call whose handler asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentClaim {
    /// The key of its record.
    pub key: RecordKey,
    /// Its epoch.
    pub epoch: u64,
}

/// A keyed hash of an approver's principal: it says whether two are the same, and not who they are.
pub type ApproverName = KeyedHash;

/// The number of waiting handlers that are kept.
const MAX_PARENTS: usize = 8;
/// The number of ids of equal calls that are kept.
const MAX_REPEAT_CALL_IDS: usize = 8;

impl Question {
    /// The name that hosts may pass on: nothing of the token is found out from it, and it answers nothing.
    #[must_use]
    pub fn id(&self) -> String {
        question_id(&self.token)
    }

    /// Whether the call with this id asked the question, or is a repeat of the call that did.
    #[must_use]
    pub fn was_asked_by(&self, call_id: &str) -> bool {
        let kept = kept_call_id(&call_id.into());
        self.call_ids().any(|id| id.as_str() == call_id || *id == kept)
    }

    /// The id of the call that asked, and those of its repeats.
    pub(super) fn call_ids(&self) -> impl Iterator<Item = &CallId> {
        self.call_id.iter().chain(&self.repeat_call_ids)
    }

    /// SHA-256 over the canonical arguments of the call, without what the code of its schema has added.
    #[must_use]
    pub fn call_digest(&self) -> &[u8; 32] {
        self.by_code.as_ref().map_or(&self.args_digest, |by_code| &by_code.digest_without)
    }

    /// Whether both are about the same call: the tool, its version, the final arguments.
    #[must_use]
    pub fn asks_the_same(&self, other: &Self) -> bool {
        self.tool == other.tool && self.tool_version == other.tool_version && self.call_digest() == other.call_digest()
    }

    /// Whether both show the same to the user: they are about the same call of the same definition.
    #[must_use]
    pub fn shows_the_same(&self, other: &Self) -> bool {
        self.asks_the_same(other) && self.definition == other.definition
    }

    /// Whether fewer of its approvers have confirmed it than must.
    #[must_use]
    pub fn needs_more_approvers(&self) -> bool {
        let needed = self.approvers.as_ref().map_or(0, |approvers| approvers.count);
        usize::try_from(needed).is_ok_and(|needed| self.confirmed_by.len() < needed)
    }

    /// The epoch of the last equal act that it names; 0 for none.
    #[must_use]
    pub fn known_act(&self) -> u64 {
        self.again.map_or(0, |before| before.epoch)
    }

    /// Takes over for whom an equal call asks. False if nothing changes. Of many handlers the first ones count.
    pub(super) fn is_also_for(self: &mut Arc<Self>, other: &Self) -> bool {
        match other.parents.as_slice() {
            _ if self.parents.is_empty() => false,
            // The model, or a handler that has left: the question stays.
            [] => {
                Arc::make_mut(self).parents.clear();
                true
            }
            more => {
                let new: Vec<_> = more.iter().filter(|parent| !self.parents.contains(parent)).cloned().collect();
                let has_room = !new.is_empty() && self.parents.len() < MAX_PARENTS;
                if has_room {
                    Arc::make_mut(self).parents.extend(new);
                }
                has_room
            }
        }
    }

    /// Adds the id of an equal call that arrived while the question is pending. False if the id is known.
    pub(super) fn add_repeat_call(self: &mut Arc<Self>, call_id: &CallId) -> bool {
        let is_new = !self.was_asked_by(call_id.as_str());
        if is_new {
            Arc::make_mut(self).repeat_call_ids.push(kept_call_id(call_id));
        }
        is_new
    }

    /// Forgets the oldest id of an equal call, if there are too many. Returns it.
    pub(super) fn forget_repeat_call(self: &mut Arc<Self>) -> Option<CallId> {
        let is_too_many = self.repeat_call_ids.len() > MAX_REPEAT_CALL_IDS;
        is_too_many.then(|| Arc::make_mut(self).repeat_call_ids.remove(0))
    }
}

/// Why a pending question is closed without an answer that runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closing {
    /// The user denied it. The denial counts in the turn that asked.
    Denied,
    /// Its tool has changed: it expires.
    Changed,
    /// What its user confirmed is the call under this key, whose record answers it for as long as there is one.
    AnsweredBy(RecordKey, ConfirmedBy),
}

/// The state of a token's question.
#[derive(Debug, Clone)]
pub enum TokenState {
    /// It is pending.
    Pending(Arc<Question>),
    /// It has expired, or another question took its place. Its arguments are not kept.
    Expired(Arc<Question>),
    /// The user denied it. Its arguments are not kept.
    Denied(Arc<Question>),
    /// The user confirmed it.
    Used {
        /// The question, without its arguments.
        question: Arc<Question>,
        /// The record of the confirmed call, if any.
        record: Option<Arc<Record>>,
    },
    /// It was never issued in this session, or is no longer remembered.
    Unknown,
}

impl TokenState {
    /// The question; `None` if it is not known.
    #[must_use]
    pub const fn question(&self) -> Option<&Arc<Question>> {
        match self {
            Self::Pending(question)
            | Self::Expired(question)
            | Self::Denied(question)
            | Self::Used { question, .. } => Some(question),
            Self::Unknown => None,
        }
    }
}

/// A question that a call was given.
#[derive(Debug, Clone)]
pub struct GivenQuestion {
    /// The call as it was sent when it got the question.
    pub fingerprint: Fingerprint,
    /// The question, in its state.
    pub state: TokenState,
}

/// An earlier, confirmed call that is equal.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfirmedCall {
    /// The key of its record.
    pub key: RecordKey,
    /// The turn in which it was confirmed.
    pub turn: u32,
}

/// How a question was confirmed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfirmedBy {
    /// By its token. The model has not seen the result, and makes the call again to get it.
    #[default]
    Token,
    /// By the call that asked: the result is the answer to that call.
    AskingCall,
}

impl ConfirmedBy {
    /// The number of turns after the confirmation in which an equal call is the confirmed one, and not a new wish of the
    /// user.
    #[must_use]
    pub const fn turns_after(self) -> u32 {
        match self {
            Self::Token => 1,
            Self::AskingCall => 0,
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(super) fn is_by_token(&self) -> bool {
        *self == Self::Token
    }
}

/// A token that is used, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfirmedToken {
    /// The token.
    pub token: Token,
    /// How its question was confirmed.
    pub by: ConfirmedBy,
    /// What the user grants with it.
    pub grant: Option<Arc<NewGrant>>,
    /// Who has confirmed, if the question has approvers.
    pub approver: Option<ApproverName>,
}

impl From<&str> for ConfirmedToken {
    fn from(token: &str) -> Self {
        Self { token: token.into(), by: ConfirmedBy::Token, grant: None, approver: None }
    }
}

/// The result of asking.
#[derive(Debug, Clone)]
pub enum AskResult {
    /// The question is pending now, or an equal question was pending already.
    Pending(Arc<Question>),
    /// An equal call was confirmed, in this turn or as shortly before as [`ConfirmedBy::turns_after`] says.
    Confirmed(ConfirmedCall),
    /// The same was done before, and the question does not say so. Nothing was changed.
    Done(DoneAct),
    /// It would be a new question. Nothing was changed.
    New,
    /// A grant covers the call, and nothing speaks against it. Nothing was changed: the claim decides.
    Granted,
    /// Equal questions of this turn were denied so often that it is not asked again.
    Denied {
        /// How often.
        times: u32,
    },
}
