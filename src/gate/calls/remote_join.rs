//! Joining a call that runs in another process: equal calls in this process wait for its record.
//!
//! One [`RemoteJoin`] polls a record for all its callers. It is listed among the running calls, and joined and
//! cancelled like an execution of this process.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::admit::{self, CallHeader, MetBy, UncertainRecord};
use crate::error::{ErrorType, ToolError};
use crate::gate::Gate;
use crate::gate::calls::responses::lost_call;
use crate::gate::reconcile::reconciling::Reconcile;
use crate::gate::run::running::RunningKey;
use crate::gate::sessions::open_session::OpenSession;
use crate::run::execution::Execution;
use crate::session::key::RecordKey;
use crate::store::{CallLookup, Record, RecordState, StoreError, StoreRequests};

/// The pause before the first look-up.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
/// The longest pause between two look-ups.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

pub(in crate::gate) struct RemoteJoin {
    pub(in crate::gate) gate: Arc<Gate>,
    pub(in crate::gate) open: Arc<OpenSession>,
    pub(in crate::gate) header: Arc<CallHeader>,
    /// The attachment of the caller that began to wait.
    pub(in crate::gate) attachment: u64,
    pub(in crate::gate) key: RecordKey,
    pub(in crate::gate) running_key: RunningKey,
    pub(in crate::gate) execution: Arc<Execution>,
    /// The refusal if the claim is lost without an outcome, where it says more than that the process is gone.
    pub(in crate::gate) if_lost: Option<ToolError>,
}

impl RemoteJoin {
    /// Polls the record until it has an outcome, or is lost with the store's data. It always has one in the end: a claim that
    /// is not renewed expires.
    pub(in crate::gate) async fn run(self) {
        let (mut pause, mut answered) = (FIRST_PAUSE, Instant::now());
        let lease = self.gate.parts.store.lease().unwrap_or_default();
        let mut may_reconcile = self.if_lost.is_none();
        loop {
            tokio::select! {
                biased;
                reason = self.execution.aborted() => return self.finish(|execution| execution.close(&reason)),
                () = tokio::time::sleep(pause) => {}
            }
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
            let record = self.look_up().await;
            if let (true, Ok(Some(record))) = (may_reconcile, &record)
                && let Some(uncertain) = self.uncertain(record)
            {
                // What comes of it stands in the record.
                may_reconcile = false;
                Box::pin(self.reconcile().run(&uncertain)).await;
                continue;
            }
            let refusal = match record.map(|record| record.map(|record| (record.state.clone(), record))) {
                Ok(Some((RecordState::Started, _))) => {
                    answered = Instant::now();
                    continue;
                }
                Ok(Some((RecordState::Settled(response), _))) => {
                    return self.finish(|execution| execution.publish(&response));
                }
                Ok(Some((RecordState::Unknown, _)) | None) if self.if_lost.is_some() => {
                    self.if_lost.clone().unwrap_or_else(lost_call)
                }
                Ok(Some((RecordState::Unknown, _))) => admit::outcome_unknown(&self.header.name),
                Ok(Some((RecordState::Forgotten { ok }, record))) => {
                    let tool = self.header.tool.as_ref().map_or(&self.header.name, |tool| &tool.id);
                    let ran_as = admit::ran_as(&self.open.live.id, tool, (&self.key, &record));
                    admit::forgotten(&self.header.name, ok, ran_as.as_deref())
                }
                Ok(None) => record_deleted(&self.header.name),
                Err(StoreError::Failed(_) | StoreError::SessionFailed(_)) if answered.elapsed() < lease => continue,
                Err(error) => admit::store_refusal(&error),
            };
            return self.finish(|execution| execution.refuse(&refusal));
        }
    }

    /// The record, if its process has gone and its tool can find out what became of it.
    fn uncertain(&self, record: &Record) -> Option<UncertainRecord> {
        let tool = self.header.tool.as_ref().filter(|tool| tool.is_reconciled())?;
        (record.state == RecordState::Unknown).then(|| UncertainRecord {
            tool: Arc::clone(tool),
            session: self.open.live.id.clone(),
            key: self.key.clone(),
            epoch: record.epoch,
            fingerprint: record.fingerprint.clone(),
            args: None,
            met_by: MetBy::Replay,
            reservation: None,
        })
    }

    fn reconcile(&self) -> Reconcile<'_> {
        Reconcile {
            gate: &self.gate,
            attachment: self.attachment,
            mode: Arc::clone(&self.header.mode),
            registry_version: Arc::clone(&self.header.registry_version),
            waits: true,
        }
    }

    async fn look_up(&self) -> Result<Option<Arc<Record>>, StoreError> {
        let lookup = CallLookup {
            session: self.open.live.id.clone(),
            key: self.key.clone(),
            turn: self.header.turn,
            limits: Vec::new(),
            known_revision: self.open.live.state_revision(),
            act: None,
            content: None,
            now: self.gate.now(),
        };
        let seen = self.gate.parts.store.look_up(lookup).await?;
        self.open.live.update_from_store(seen.state);
        // A record of other arguments is of a later call: the joined one was deleted.
        Ok(seen.record.filter(|record| self.running_key.is_of(record)))
    }

    fn finish(&self, answer: impl FnOnce(&Execution)) {
        self.open.running.remove_if_same(&self.running_key, &self.execution);
        answer(&self.execution);
    }
}

/// TRANSIENT for a record that was deleted: the call failed and may be retried, or its process is gone and its effects
/// may be repeated.
pub(in crate::gate) fn record_deleted(tool: &str) -> ToolError {
    let message = format!("the same call of `{tool}` ended in another process without an answer; try again");
    ToolError::new(ErrorType::Transient, message).retryable_after(None)
}
