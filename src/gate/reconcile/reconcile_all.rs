//! The host's search for records of uncertain outcome, and their reconciles.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::StreamExt;
use serde::Serialize;

use crate::admit::{MetBy, UncertainRecord, store_refusal};
use crate::call::{CallId, ReconcileOutcome, SessionId};
use crate::clock::EpochMs;
use crate::error::ToolError;
use crate::gate::Gate;
use crate::gate::reconcile::reconciling::Reconcile;
use crate::registry::ToolSet;
use crate::session::key::idempotency_key;
use crate::store::reconcile::{UncertainCall, UncertainPage};

/// The reconciles that run at once.
const AT_ONCE: usize = 4;

/// A call whose outcome was to be found out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReconciledCall {
    /// The session.
    pub session_id: SessionId,
    /// The tool.
    pub tool_id: Arc<str>,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// When it was begun, epoch milliseconds.
    pub started_at: EpochMs,
    /// The key that its handler got.
    pub idempotency_key: Arc<str>,
    /// What was found out.
    pub outcome: ReconcileOutcome,
}

/// What a search has come to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReconcileReport {
    /// The calls that are known to have happened now.
    pub happened: usize,
    /// The calls that are known not to have happened now.
    pub not_happened: usize,
    /// The calls whose outcome stays unknown.
    pub unknown: usize,
    /// All of them.
    pub calls: Vec<ReconciledCall>,
    /// Whether the search ended at its limit.
    pub more: bool,
}

impl ReconcileReport {
    fn add(&mut self, call: ReconciledCall) {
        *match call.outcome {
            ReconcileOutcome::Happened => &mut self.happened,
            ReconcileOutcome::NotHappened => &mut self.not_happened,
            ReconcileOutcome::Unknown => &mut self.unknown,
        } += 1;
        self.calls.push(call);
    }
}

impl Gate {
    /// Reconciles the calls of uncertain outcome that were begun `older_than_ms` ago or before, at most `limit`, in all sessions on
    /// the store. `services` are those of the host.
    ///
    /// # Errors
    /// If the store fails before anything is found.
    pub async fn reconcile(
        &self,
        older_than_ms: u64,
        limit: usize,
        services: &BTreeSet<String>,
    ) -> Result<ReconcileReport, ToolError> {
        let begun_by = self.now().saturating_sub(older_than_ms);
        let (mut report, mut cursor) = (ReconcileReport::default(), None);
        while !self.is_closing() {
            let page = match self.parts.store.list_uncertain(UncertainPage { begun_by, cursor }).await {
                Ok(page) => page,
                Err(error) if report.calls.is_empty() => return Err(store_refusal(&error)),
                Err(error) => {
                    tracing::warn!(%error, "a search for calls of unknown outcome ended early");
                    report.more = true;
                    break;
                }
            };
            let mut waiting = page.calls;
            // The newest first: the oldest is taken from the end.
            waiting
                .sort_unstable_by(|a, b| (b.claimed_at, &b.session, &b.key).cmp(&(a.claimed_at, &a.session, &a.key)));
            while !waiting.is_empty() {
                let left = limit.saturating_sub(report.calls.len());
                if left == 0 {
                    report.more = true;
                    return Ok(report);
                }
                let taken = waiting.split_off(waiting.len().saturating_sub(left.min(AT_ONCE)));
                let found = futures_util::stream::iter(taken.into_iter().rev())
                    .map(|call| self.reconcile_found(call, services))
                    .buffered(AT_ONCE)
                    .collect::<Vec<_>>();
                found.await.into_iter().flatten().for_each(|call| report.add(call));
            }
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        Ok(report)
    }

    /// Reconciles a call that was found. `None` if it is certain, it is too early, or its tool is not here.
    async fn reconcile_found(&self, call: UncertainCall, services: &BTreeSet<String>) -> Option<ReconciledCall> {
        let tools = self.tools_of_session(&call.session);
        let tool =
            tools.get(call.fingerprint.tool()).filter(|tool| tool.is_reconciled() && tool.is_offered(services))?;
        let uncertain = UncertainRecord {
            tool: Arc::clone(tool),
            session: call.session.clone(),
            key: call.key.clone(),
            epoch: call.epoch,
            fingerprint: call.fingerprint.clone(),
            args: None,
            met_by: MetBy::Host,
            reservation: None,
        };
        let reconcile = Reconcile {
            gate: self,
            attachment: 0,
            mode: Arc::new(self.mode("text")),
            registry_version: Arc::clone(&tools.version),
            waits: false,
        };
        let outcome = reconcile.run(&uncertain).await?;
        Some(ReconciledCall {
            session_id: call.session.clone(),
            tool_id: Arc::clone(&tool.id),
            call_id: call.call_id.clone(),
            started_at: call.claimed_at,
            idempotency_key: idempotency_key(&call.session, &tool.id, &call.key),
            outcome,
        })
    }

    /// The tools of a session: those that it has here, or those of new ones.
    pub(in crate::gate) fn tools_of_session(&self, session: &SessionId) -> Arc<ToolSet> {
        let open = self.sessions.peek(session);
        open.map_or_else(|| self.tools(), |open| Arc::clone(&open.live.tools.read()))
    }
}
