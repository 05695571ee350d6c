//! The owed results of a session: which there are, and who holds them.
//!
//! The document has a short entry for each; the result, and what is needed to end the call from elsewhere, are two rows
//! under the claim's epoch.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::claimant::Claimant;
use super::ledger::Ledger;
use super::owed::{
    Deferral, DeferralStep, DroppedResult, Hold, MAX_OWED, OwedCall, OwedEnd, OwedResult, OwedRow, TakeOwed, TakenOwed,
};
use super::rows::{Row, Rows};
use crate::call::CallId;
use crate::clock::EpochMs;
use crate::response::ToolResponse;
use crate::session::key::{RecordKey, kept_call_id};
use crate::store::row_names::RowKey;

/// How long an attachment holds a result without renewing, in milliseconds.
const HOLD_MS: u64 = 60_000;

/// The owed results, the oldest first.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct OwedResults(Vec<OwedEntry>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct OwedEntry {
    epoch: u64,
    progress: Progress,
    /// The attachment that has taken the result, and until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    taken: Option<(u64, EpochMs)>,
    /// The process of that attachment.
    #[serde(rename = "in", default, skip_serializing_if = "Option::is_none")]
    claimant: Option<Claimant>,
    /// Whether that attachment gets the result as the answer to the call itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    direct: bool,
    /// How long the result is owed, in milliseconds.
    #[serde(default)]
    keep: u64,
    /// Until when it is, as far as that is known; 0 in what an earlier version has stored.
    #[serde(default)]
    until: EpochMs,
    #[serde(default)]
    tool: Arc<str>,
    #[serde(rename = "call", default, skip_serializing_if = "Option::is_none")]
    call_id: Option<CallId>,
}

impl OwedEntry {
    fn new(epoch: u64, running: &ToolResponse, keep: u64) -> Self {
        Self {
            epoch,
            progress: Progress::Awaited,
            taken: None,
            claimant: None,
            direct: false,
            keep,
            until: 0,
            tool: Arc::clone(&running.meta.tool_id),
            call_id: running.meta.call_id.as_ref().map(kept_call_id),
        }
    }

    /// The result is owed from this time on.
    const fn owe_from(&mut self, time: EpochMs) {
        self.until = time.saturating_add(self.keep);
    }

    /// When the result began to be owed, or will: of a call that runs by itself that is known, of one that is answered directly once
    /// it has ended.
    fn owed_since(&self) -> Option<EpochMs> {
        let is_owed = match self.progress {
            Progress::Awaited => false,
            Progress::Running => !self.direct,
            Progress::Ended => true,
        };
        (is_owed && self.until > 0).then(|| self.until.saturating_sub(self.keep))
    }

    /// Whether the result was owed as long as it may be, and no attachment delivers it now.
    fn is_overdue(&self, now: EpochMs) -> bool {
        self.progress == Progress::Ended && (1..=now).contains(&self.until) && !self.is_held(now)
    }

    fn dropped(&self) -> DroppedResult {
        DroppedResult { tool: Arc::clone(&self.tool), call_id: self.call_id.clone() }
    }

    fn is_held(&self, now: EpochMs) -> bool {
        self.taken.is_some_and(|(_, until)| now < until) && !self.claimant.is_some_and(Claimant::has_died)
    }

    fn hold(&mut self, by: u64, claimant: Option<Claimant>, now: EpochMs) {
        (self.taken, self.claimant) = (Some((by, now.saturating_add(HOLD_MS))), claimant);
    }

    /// Whether an attachment can't take the result because of those that hold it. The result of a call that is answered directly
    /// comes without being taken; while it runs, its claim is what holds it.
    fn is_kept_from(&self, by: u64, now: EpochMs) -> bool {
        match (self.direct, self.progress) {
            (true, Progress::Awaited | Progress::Running) => false,
            (true, Progress::Ended) => self.is_held(now),
            (false, _) => self.is_held(now) && self.taken.is_none_or(|(holder, _)| holder != by),
        }
    }

    /// The result is for whoever takes it, and its call has callers no more.
    fn offer(&mut self) {
        (self.taken, self.claimant, self.direct) = (None, None, false);
        if self.progress == Progress::Awaited {
            self.progress = Progress::Running;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Progress {
    /// The call runs and may be completed from elsewhere; its callers wait.
    Awaited,
    /// The call runs, and its callers know it.
    Running,
    /// The call has ended.
    Ended,
}

impl OwedResults {
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the result of the call with this epoch is owed, or held by an attachment that has not accepted it.
    pub(super) fn has(&self, epoch: u64) -> bool {
        self.0.iter().any(|entry| entry.epoch == epoch)
    }

    /// Holds the result of a call that is claimed now for the attachment that made or confirmed it. False if too many results are owed.
    pub(super) fn hold(
        &mut self,
        (epoch, key): (u64, &RecordKey),
        hold: &Hold,
        claimant: Option<Claimant>,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> bool {
        if self.0.len() >= MAX_OWED {
            return false;
        }
        let running = Some(hold.running.to_stored_text().into());
        let row = OwedRow { key: key.clone(), secret: None, args: None, running };
        rows.put(RowKey::Owed(epoch), Row::Owed(Arc::new(row)), None);
        let mut entry = OwedEntry { direct: true, ..OwedEntry::new(epoch, &hold.running, hold.keep_ms) };
        entry.hold(hold.by, claimant, now);
        entry.owe_from(now);
        self.0.push(entry);
        true
    }

    /// Takes a step of a call whose record is open. False if too many results are owed.
    pub(super) fn defer(
        &mut self,
        deferral: &Deferral,
        step: &DeferralStep,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> bool {
        let Deferral { key, epoch, running, args, keep_ms, .. } = deferral;
        let found = self.0.iter().position(|entry| entry.epoch == *epoch);
        if found.is_none() && self.0.len() >= MAX_OWED {
            return false;
        }
        let known = found.and_then(|_| rows.owed(*epoch));
        let secret = match step {
            DeferralStep::AllowCompletion { secret } => Some(Arc::clone(secret)),
            _ => known.as_ref().and_then(|row| row.secret.clone()),
        };
        let args = args.clone().or_else(|| known.as_ref().and_then(|row| row.args.clone()));
        let row = OwedRow { key: key.clone(), secret, args, running: None };
        rows.put(RowKey::Owed(*epoch), Row::Owed(Arc::new(row)), None);
        rows.put(RowKey::Result(*epoch), Row::Answer(Arc::clone(running)), None);
        let is_answered =
            matches!(step, DeferralStep::AnswerCallers | DeferralStep::Leave { answers_callers: true, .. });
        let place = found.unwrap_or_else(|| {
            self.0.push(OwedEntry::new(*epoch, running, *keep_ms));
            self.0.len() - 1
        });
        if let Some(entry) = self.0.get_mut(place) {
            if is_answered {
                // Its result is for whoever takes it from now on.
                entry.offer();
            }
            let deadline = if let DeferralStep::Leave { until, .. } = step { *until } else { None };
            entry.owe_from(deadline.unwrap_or(now));
        }
        true
    }

    /// Notes the end of a call. `result` is owed if its callers have been answered, or if it is held for them.
    pub(super) fn call_ended(
        &mut self,
        epoch: u64,
        result: Option<Arc<ToolResponse>>,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) {
        let Some(entry) = self.0.iter_mut().find(|entry| entry.epoch == epoch) else { return };
        match (entry.progress, result) {
            // A late result: the deadline was the result.
            (Progress::Ended, _) => {}
            (progress, Some(result)) if entry.direct || progress == Progress::Running => {
                entry.progress = Progress::Ended;
                if let Some((by, _)) = entry.taken.filter(|_| entry.direct) {
                    entry.hold(by, entry.claimant, now);
                }
                entry.owe_from(now);
                rows.put(RowKey::Result(epoch), Row::Answer(result), Some(entry.until));
            }
            (Progress::Running | Progress::Awaited, _) => self.remove(epoch, rows),
        }
    }

    /// Forgets a result: it was delivered, or can't be taken any more.
    pub(super) fn remove(&mut self, epoch: u64, rows: &mut dyn Rows) {
        self.0.retain(|entry| entry.epoch != epoch);
        rows.remove(&RowKey::Owed(epoch));
        rows.remove(&RowKey::Result(epoch));
    }

    /// Until when the last of them is owed; 0 for none.
    pub(super) fn kept_until(&self) -> EpochMs {
        self.0.iter().map(|entry| entry.until).max().unwrap_or_default()
    }

    /// Since when the oldest of them is owed.
    pub(super) fn owed_since(&self) -> Option<EpochMs> {
        self.0.iter().filter_map(OwedEntry::owed_since).min()
    }

    /// All of them, as they are reported if they are dropped with their session.
    pub(super) fn all_dropped(&self) -> Vec<DroppedResult> {
        self.0.iter().map(OwedEntry::dropped).collect()
    }

    /// Drops those that were owed as long as they may be.
    pub(super) fn drop_overdue(&mut self, rows: &mut dyn Rows, now: EpochMs) -> Vec<DroppedResult> {
        let overdue: Vec<_> = self.0.iter().filter(|entry| entry.is_overdue(now)).cloned().collect();
        for entry in &overdue {
            self.remove(entry.epoch, rows);
        }
        overdue.iter().map(OwedEntry::dropped).collect()
    }

    /// Forgets all results.
    pub(super) fn clear(&mut self, rows: &mut dyn Rows) {
        for epoch in self.0.iter().map(|entry| entry.epoch).collect::<Vec<_>>() {
            self.remove(epoch, rows);
        }
    }

    /// Takes the oldest result that is not held.
    pub(super) fn take(&mut self, take: &TakeOwed, rows: &mut dyn Rows, now: EpochMs) -> TakenOwed {
        let mut dropped = self.drop_overdue(rows, now);
        let (mut result, mut others, mut gone) = (None, 0, Vec::new());
        for entry in &mut self.0 {
            let is_own = entry.taken.is_some_and(|(by, _)| by == take.by) && take.held.contains(&entry.epoch);
            if is_own {
                entry.hold(take.by, take.claimant, now);
                continue;
            }
            let is_awaited = entry.progress == Progress::Awaited && !entry.direct;
            if result.is_some()
                || !take.takes
                || entry.is_kept_from(take.by, now)
                || take.skips.contains(&entry.epoch)
                || is_awaited
            {
                others += usize::from(!is_awaited);
                continue;
            }
            match end_of(entry, rows, now) {
                CallEnd::Runs => others += 1,
                CallEnd::Gone => {
                    gone.push(entry.epoch);
                    dropped.extend((entry.progress == Progress::Ended).then(|| entry.dropped()));
                }
                CallEnd::Owed(owed) => {
                    entry.offer();
                    entry.hold(take.by, take.claimant, now);
                    result = Some(owed);
                }
            }
        }
        for epoch in gone {
            self.remove(epoch, rows);
        }
        TakenOwed { result, others, dropped }
    }

    /// Ends the delivery of a result. False if the attachment does not hold it.
    pub(super) fn end_delivery(&mut self, by: u64, epoch: u64, accepted: bool, rows: &mut dyn Rows) -> bool {
        let held = |entry: &&mut OwedEntry| entry.epoch == epoch && entry.taken.is_some_and(|(other, _)| other == by);
        let Some(entry) = self.0.iter_mut().find(held) else { return false };
        entry.offer();
        if accepted {
            self.remove(epoch, rows);
        }
        true
    }

    /// The calls whose results are owed, and those that may be completed from elsewhere.
    pub(super) fn list(&self, rows: &mut dyn Rows, now: EpochMs) -> Vec<OwedCall> {
        let owed = self.0.iter().filter(|entry| !entry.is_overdue(now));
        owed.filter_map(|entry| owed_call(entry, rows, now)).collect()
    }
}

/// What is kept of a call, with its result, or with what is answered of it while it runs.
fn row_and_response(epoch: u64, rows: &mut dyn Rows) -> Option<(Arc<OwedRow>, Arc<ToolResponse>)> {
    // All rows are read before the first is missed: a server fetches them together.
    let (row, response) = (rows.owed(epoch), rows.result(epoch));
    let row = row?;
    let running = || ToolResponse::from_stored_text(row.running.as_deref()?).map(Arc::new);
    let response = response.or_else(running)?;
    Some((row, response))
}

fn owed_call(entry: &OwedEntry, rows: &mut dyn Rows, now: EpochMs) -> Option<OwedCall> {
    let (row, response) = row_and_response(entry.epoch, rows)?;
    let record = Ledger::entry_of(&row.key, rows).filter(|record| record.epoch == entry.epoch);
    let record = record.as_deref();
    Some(OwedCall {
        epoch: entry.epoch,
        call_id: response.meta.call_id.clone(),
        claimed_at: record.map_or(now, |record| record.claimed_at),
        is_running: entry.progress != Progress::Ended && record.is_some_and(|record| record.is_running(now)),
        is_direct: entry.direct,
        is_left: record.is_some_and(|record| record.left),
        may_be_completed: entry.progress != Progress::Ended
            && record.is_some_and(|record| record.is_running(now) || (record.is_started() && !record.left)),
        effect: record.map_or(crate::definition::EffectClass::Write, |record| record.effect),
        key: row.key.clone(),
        secret: row.secret.clone(),
        response,
    })
}

/// How the call of an entry ended.
enum CallEnd {
    Runs,
    /// Its result has expired, or another call has taken its place.
    Gone,
    Owed(OwedResult),
}

fn end_of(entry: &OwedEntry, rows: &mut dyn Rows, now: EpochMs) -> CallEnd {
    let epoch = entry.epoch;
    let owed = |response, end| CallEnd::Owed(OwedResult { epoch, response, end });
    if entry.progress == Progress::Ended {
        return rows.result(epoch).map_or(CallEnd::Gone, |response| owed(response, OwedEnd::Ended));
    }
    let Some((row, response)) = row_and_response(epoch, rows) else { return CallEnd::Gone };
    let Some(record) = Ledger::entry_of(&row.key, rows).filter(|record| record.epoch == epoch) else {
        return CallEnd::Gone;
    };
    if record.is_running(now) {
        return CallEnd::Runs;
    }
    let (effect, key, fingerprint) = (record.effect, row.key.clone(), record.fingerprint.clone());
    owed(
        response,
        if record.left {
            OwedEnd::Overdue { claimed_at: record.claimed_at, effect, key, fingerprint }
        } else {
            OwedEnd::Lost { effect, key, fingerprint, args: row.args.clone() }
        },
    )
}
