//! The claim of a call in a session's document: the one atomic step between admission and the run.

use std::sync::Arc;

use super::super::ledger::{EntryState, FoundCall, LedgerEntry};
use super::super::question::ConfirmedToken;
use super::super::questions::Consumed;
use super::super::rows::Rows;
use super::super::usage::{Debit, is_within_budget};
use super::{OperationOutput, OperationResult, SessionDocument, changed, unchanged};
use crate::clock::EpochMs;
use crate::store::claim::{CallLookupResult, Claim, ClaimResult};
use crate::store::document::equal_acts::{self, FoundAct};

/// One in so many claims deletes some expired rows: many more than the records and aliases of so many calls.
const CLAIMS_PER_PURGE: u64 = 4;

impl SessionDocument {
    pub(in crate::store) fn claim(
        &mut self,
        mut claim: Claim,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<ClaimResult> {
        self.require_active(now)?;
        self.require_owner(claim.act.as_ref())?;
        let content = Some((&claim.fingerprint, claim.turn));
        let lost = match self.ledger.find_same(&claim.key, content, rows, now) {
            (_, FoundCall::Recorded(record)) if claim.repeats_answered && record.state.is_answered() => None,
            (Some(_), FoundCall::Recorded(_)) => return unchanged(ClaimResult::NotLookedUp),
            (None, FoundCall::Recorded(record)) => return unchanged(ClaimResult::Existing(record)),
            (_, FoundCall::Free { lost }) => lost,
        };
        let found = claim.act.as_ref().map(|act| equal_acts::find(act, &claim.key, &self.owed, rows, now));
        let seen = self.usage.counters(claim.turn, &claim.limits, now);
        if let Some(refused) = refused(&claim, found.as_ref(), seen) {
            return unchanged(refused);
        }
        // From here on nothing stops the claim but the question or the grant itself.
        let question = match &claim.consume_token {
            None => None,
            // The attachment that confirms may be behind the one that asked.
            Some(token) => match self.questions.consume(token, claim.turn.max(self.usage.turn()), rows, now) {
                Consumed::NotPending => return unchanged(ClaimResult::ConfirmationNotPending),
                Consumed::Counted { question, is_new } => {
                    let answer = ClaimResult::Counted { question, is_new };
                    return Ok(OperationOutput { answer, changed: is_new });
                }
                Consumed::Confirmed(name) => Some(name),
            },
        };
        let used = match &claim.by_grant {
            None => None,
            Some(call) => match self.grants.take_one(call, now) {
                None => return unchanged(ClaimResult::NotGranted),
                used => used,
            },
        };
        if let (Some(used), Some(kept)) = (&used, &mut claim.kept) {
            Arc::make_mut(kept).origin.grant = Some(Arc::clone(&used.id));
        }
        self.questions.call_runs(&claim.key, &claim.fingerprint, rows);
        self.usage.debit(claim.turn, &claim.limits, debit(&claim), now);
        if let Some(lost) = lost.as_deref().filter(|lost| lost.answered) {
            // This call is its repetition, which gives the result.
            self.owed.remove(lost.epoch, rows);
        }
        let (key, act, known, token) =
            (claim.key.clone(), claim.act.take(), claim.known_revision, claim.consume_token.take());
        let (hold, claimant) = (claim.hold.take(), claim.claimant);
        let mut entry = LedgerEntry { question, ..started(claim, now) };
        // Equal calls are compared with this one until the window ends.
        entry.keep_for(act.as_ref().map_or(0, |act| act.window_ms));
        let epoch = self.ledger.record_started(key.clone(), entry, lost.as_deref(), rows);
        let is_held = hold.is_some_and(|hold| self.owed.hold((epoch, &key), &hold, claimant, rows, now));
        if let Some(ConfirmedToken { grant: Some(grant), .. }) = token {
            self.grants.give(&grant, epoch, now);
        }
        if let Some((found, act)) = found.zip(act) {
            self.windows_until = self.windows_until.max(now.saturating_add(act.window_ms));
            found.done_by(act, key, epoch, rows, now);
        }
        if epoch.is_multiple_of(CLAIMS_PER_PURGE) {
            rows.purge(now);
        }
        let (state, used) = (self.state_unless_known(known), used.map(Box::new));
        changed(ClaimResult::Granted { epoch, is_held, state, used })
    }
}

/// Why the claim of a call that is not recorded is refused. It is not, if `None`.
fn refused(claim: &Claim, found: Option<&FoundAct>, seen: CallLookupResult) -> Option<ClaimResult> {
    if let Some(done) = found.and_then(|found| found.done.clone()) {
        return Some(ClaimResult::Duplicate(done));
    }
    if claim.budget.is_some_and(|budget| !is_within_budget(&seen, budget, claim.is_retrieval)) {
        return Some(ClaimResult::OverBudget(seen));
    }
    if let Some(reached) = seen.limit_reached {
        return Some(ClaimResult::OverLimit(reached));
    }
    let may_be_recorded = !claim.is_looked_up && claim.key.is_of_id() && seen.calls_without_id > 0;
    may_be_recorded.then_some(ClaimResult::NotLookedUp)
}

fn debit(claim: &Claim) -> Debit {
    Debit {
        is_budgeted: claim.budget.is_some(),
        is_retrieval: claim.is_retrieval,
        is_without_id: claim.key.is_of_content(),
    }
}

/// The entry of a call that begins now. Its epoch is set when it is recorded.
fn started(claim: Claim, now: EpochMs) -> LedgerEntry {
    LedgerEntry {
        fingerprint: claim.fingerprint,
        call_id: claim.call_id,
        turn: claim.turn,
        epoch: 0,
        claimed_at: now,
        effect: claim.effect,
        lease_expires: claim.lease_ms.map(|ms| now.saturating_add(ms)),
        claimant: claim.claimant,
        state: EntryState::Started,
        alias: None,
        answered: false,
        unheard: false,
        left: false,
        keep_ms: None,
        question: None,
        kept: claim.kept,
        reconcile: None,
    }
}
