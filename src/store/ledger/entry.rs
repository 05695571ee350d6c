//! A record without its answer, its row, and when its claim is lost.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::call::CallId;
use crate::clock::EpochMs;
use crate::definition::EffectClass;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::{RecordKey, kept_call_id};
use crate::store::claimant::Claimant;
use crate::store::owed::DeferralStep;
use crate::store::reconcile::{KeptCall, ReconcileHold};
use crate::store::row_names::QuestionName;

/// The time that a settled record is kept at least, in milliseconds.
pub const TTL_MS: u64 = 24 * 60 * 60 * 1000;

/// A record without its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::store) struct LedgerEntry {
    pub(in crate::store) fingerprint: Fingerprint,
    pub(in crate::store) call_id: Option<CallId>,
    pub(in crate::store) turn: u32,
    pub(in crate::store) epoch: u64,
    pub(in crate::store) claimed_at: EpochMs,
    pub(in crate::store) effect: EffectClass,
    /// The end of the claim's lease; `None` if it never ends.
    #[serde(rename = "lease")]
    pub(in crate::store) lease_expires: Option<EpochMs>,
    /// The process whose death ends the claim.
    #[serde(rename = "by", default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) claimant: Option<Claimant>,
    #[serde(rename = "held")]
    pub(in crate::store) state: EntryState,
    /// The key of the record's alias.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) alias: Option<RecordKey>,
    /// Whether its callers were answered early: its result is owed to the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::store) answered: bool,
    /// Whether it has ended without a caller that got its answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::store) unheard: bool,
    /// Whether no process runs it: it is completed from elsewhere, and its lease is its deadline.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::store) left: bool,
    /// How long it is kept after its claim, in milliseconds, if that is longer than usual.
    #[serde(rename = "keep", default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) keep_ms: Option<u64>,
    /// The question that the user confirmed for this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) question: Option<QuestionName>,
    /// What a reconcile needs, if the tool has one, until the call is known to have succeeded or to have done nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) kept: Option<Arc<KeptCall>>,
    /// The reconcile of the call that runs, or the pause after the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) reconcile: Option<Box<ReconcileHold>>,
}

/// The progress of a recorded call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::store) enum EntryState {
    Started,
    Unknown,
    Settled { ok: bool },
    Forgotten { ok: bool },
}

/// The row under a call's key.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::store) enum CallRow {
    Record(Arc<LedgerEntry>),
    /// The call is recorded under another key, by the claim with this epoch.
    Alias {
        of: RecordKey,
        epoch: u64,
    },
}

impl CallRow {
    /// The epoch of a started record.
    pub(in crate::store) fn started_epoch(&self) -> Option<u64> {
        match self {
            Self::Record(entry) if entry.state == EntryState::Started => Some(entry.epoch),
            _ => None,
        }
    }
}

impl EntryState {
    pub(super) const fn is_open(self) -> bool {
        matches!(self, Self::Started | Self::Unknown)
    }
}

impl LedgerEntry {
    /// The entry with its call id as it is kept.
    pub(in crate::store) fn with_kept_id(self) -> Self {
        Self { call_id: self.call_id.as_ref().map(kept_call_id), ..self }
    }

    /// Whether the call has been started, has not ended, and its claim is held.
    pub(in crate::store) fn is_running(&self, now: EpochMs) -> bool {
        self.state == EntryState::Started && !self.is_lost(now)
    }

    /// Whether a handler of the call runs in a process that is there.
    pub(in crate::store) fn has_handler(&self, now: EpochMs) -> bool {
        self.is_running(now) && !self.left
    }

    /// Whether a handler of the call may be running, or may go on: the call has not ended, and neither has its claim, or its process
    /// is there in spite of it. A process that was stopped renews no claim.
    pub(in crate::store) fn may_still_run(&self, now: EpochMs) -> bool {
        self.state.is_open() && (!self.is_lost(now) || self.claimant.is_some_and(Claimant::is_another_that_lives))
    }

    /// Whether the claim has ended without a settlement: by its lease, or with its process.
    pub(super) fn is_lost(&self, now: EpochMs) -> bool {
        self.lease_expires.is_some_and(|until| until <= now) || self.claimant.is_some_and(Claimant::has_died)
    }

    /// Keeps the record for so long after its claim, at least.
    pub(in crate::store) fn keep_for(&mut self, ms: u64) {
        if ms > self.keep_ms() {
            self.keep_ms = Some(ms);
        }
    }

    fn keep_ms(&self) -> u64 {
        self.keep_ms.unwrap_or(TTL_MS)
    }

    /// Whether a settled record is over.
    pub(super) fn is_expired(&self, now: EpochMs) -> bool {
        self.claimed_at.saturating_add(self.keep_ms()) <= now
    }

    /// The time from which on the record's row may be deleted. An open write never expires.
    pub(in crate::store) fn row_expires(&self) -> Option<EpochMs> {
        if !self.state.is_open() {
            return Some(self.claimed_at.saturating_add(self.keep_ms()));
        }
        // The call runs again once its lease has ended; a late settlement of the lost claim is accepted that long.
        let lease = self.lease_expires.filter(|_| self.effect.runs_again_when_lost())?;
        Some(lease.saturating_add(self.keep_ms()))
    }

    /// The entry after a step out of its process.
    pub(in crate::store) fn deferred(mut self, step: &DeferralStep) -> Self {
        match step {
            DeferralStep::AllowCompletion { .. } => {}
            DeferralStep::AnswerCallers => self.answered = true,
            DeferralStep::Leave { until, answers_callers } => {
                self.answered |= answers_callers;
                self.left = true;
                (self.lease_expires, self.claimant) = (*until, None);
            }
        }
        self
    }

    /// Whether the record is open: a step out of its process can be taken.
    pub(in crate::store) fn is_started(&self) -> bool {
        self.state == EntryState::Started
    }
}
