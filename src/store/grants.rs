//! The grants of a session: what its user has confirmed for later calls too.
//!
//! They are few, and stand in the session's document: what a claim uses of one is counted with the claim itself.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::act_name::ActName;
use crate::clock::EpochMs;

/// The largest number of grants of a session; a further one ends the oldest.
pub const MAX_GRANTS: usize = 20;

/// The name of a grant. Random, but no secret: it allows nothing by itself.
pub type GrantId = Arc<str>;

/// Which later calls of the tool run without a question. A narrower scope comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantScope {
    /// Those with the arguments that ran.
    Args,
    /// Those with any arguments.
    Tool,
}

impl GrantScope {
    /// The name in options, lists and audit lines.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Args => "args",
            Self::Tool => "tool",
        }
    }
}

/// A call, as grants name it: of another version or definition it is another call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantedCall {
    /// The tool.
    pub tool: Arc<str>,
    /// Its version.
    pub tool_version: Arc<str>,
    /// SHA-256 over its definition, which may change without the version.
    pub definition: [u8; 32],
    /// The final arguments, by keyed hash.
    pub args: ActName,
}

/// What a user grants with a confirmation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGrant {
    /// The name.
    pub id: GrantId,
    /// The call that was confirmed, as it runs.
    pub call: GrantedCall,
    /// Which later calls run without a question.
    pub scope: GrantScope,
    /// How many.
    pub calls: u32,
    /// For how long, in milliseconds.
    pub ttl_ms: u64,
    /// The way in which the user's answer came.
    pub via: Option<Arc<str>>,
    /// The beginning of what its user was shown; `None` if the grant is not about that alone.
    pub preview: Option<String>,
}

/// A grant that a user has given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The name.
    pub id: GrantId,
    /// The call that was confirmed, as it ran.
    pub call: GrantedCall,
    /// Which later calls run without a question.
    pub scope: GrantScope,
    /// How many still do.
    pub calls_left: u32,
    /// When it ends.
    pub expires: EpochMs,
    /// When it was given.
    pub granted_at: EpochMs,
    /// The way in which the user's answer came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Arc<str>>,
    /// The beginning of what its user was shown; `None` if the grant is not about that alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// The epoch of the claim that it was given with.
    pub(super) epoch: u64,
}

impl Grant {
    fn covers(&self, call: &GrantedCall) -> bool {
        match self.scope {
            GrantScope::Args => self.call == *call,
            GrantScope::Tool => self.call == GrantedCall { args: self.call.args.clone(), ..call.clone() },
        }
    }
}

/// A grant by which a call runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedGrant {
    /// Its name.
    pub id: GrantId,
    /// How many calls it still lets run.
    pub calls_left: u32,
}

/// The grants, the oldest first.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Grants(Vec<Grant>);

impl Grants {
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what a user grants with the confirmation that this claim consumes. It takes the place of a grant of the same.
    pub(super) fn give(&mut self, new: &NewGrant, epoch: u64, now: EpochMs) {
        let NewGrant { id, call, scope, calls, ttl_ms, via, preview } = new.clone();
        let expires = now.saturating_add(ttl_ms);
        let grant = Grant { id, call, scope, calls_left: calls, expires, granted_at: now, via, preview, epoch };
        self.0.retain(|older| older.expires > now && !(older.scope == scope && older.covers(&grant.call)));
        if self.0.len() >= MAX_GRANTS {
            self.0.remove(0);
        }
        self.0.push(grant);
    }

    /// Takes back what was granted with a claim that has left nothing: its confirmation counts as not given.
    pub(super) fn take_back(&mut self, epoch: u64) {
        self.0.retain(|grant| grant.epoch != epoch);
    }

    /// Whether the call may run without a question.
    pub(super) fn cover(&self, call: &GrantedCall, now: EpochMs) -> bool {
        self.place_of(call, now).is_some()
    }

    /// Takes one call of a grant that covers it. Changes nothing if there is none.
    pub(super) fn take_one(&mut self, call: &GrantedCall, now: EpochMs) -> Option<UsedGrant> {
        let place = self.place_of(call, now)?;
        let grant = self.0.get_mut(place)?;
        grant.calls_left = grant.calls_left.saturating_sub(1);
        let used = UsedGrant { id: Arc::clone(&grant.id), calls_left: grant.calls_left };
        if used.calls_left == 0 {
            self.0.remove(place);
        }
        Some(used)
    }

    /// The narrowest grant that covers the call; of these the one that ends first.
    fn place_of(&self, call: &GrantedCall, now: EpochMs) -> Option<usize> {
        let open = |grant: &&Grant| grant.calls_left > 0 && grant.expires > now && grant.covers(call);
        let grant = self.0.iter().filter(open).min_by_key(|grant| (grant.scope, grant.expires))?;
        self.0.iter().position(|other| other.id == grant.id)
    }

    /// The grants that have not ended, the oldest first.
    pub(super) fn list(&self, now: EpochMs) -> Vec<Grant> {
        self.0.iter().filter(|grant| grant.expires > now).cloned().collect()
    }

    /// When the last of them ends; 0 for none.
    pub(super) fn kept_until(&self) -> EpochMs {
        self.0.iter().map(|grant| grant.expires).max().unwrap_or_default()
    }

    /// Ends a grant. `None` if there is none with this name, or it has ended.
    pub(super) fn revoke(&mut self, id: &str, now: EpochMs) -> Option<Grant> {
        let place = self.0.iter().position(|grant| *grant.id == *id)?;
        Some(self.0.remove(place)).filter(|grant| grant.expires > now)
    }
}
