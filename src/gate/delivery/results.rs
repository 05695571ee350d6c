//! The delivery of owed results: an attachment takes one, delivers it, and accepts it.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

use crate::admit::{self, Admission, CallBefore, MetBy, UncertainRecord, store_refusal};
use crate::call::CallId;
use crate::error::{ErrorType, ToolError};
use crate::gate::calls::caller::{Reader, reply_channel};
use crate::gate::reconcile::reconciling::Reconcile;
use crate::gate::run::external_completion::ExternalCompletion;
use crate::gate::run::running::HostCaller;
use crate::gate::sessions::attachment::Session;
use crate::observe::event::Event;
use crate::response::{Outcome, ToolResponse};
use crate::run::execution::{CallerNumber, CancellationEffect};
use crate::settle;
use crate::store::owed::{EndDelivery, LostClaim, OwedCall, OwedEnd, OwedResult, TakenOwed};
use crate::store::{StoreError, StoreRequests};

/// The pause between two looks at the store while results are owed that are not here.
const PAUSE_WITH_OTHERS: Duration = Duration::from_secs(1);
/// The pause between two looks at a store that other processes use.
const PAUSE_WITHOUT_OTHERS: Duration = Duration::from_secs(5);
/// A result that an attachment has taken.
#[derive(Debug, Clone)]
pub struct TakenResult {
    /// Names it for [`Session::end_delivery`].
    pub id: u64,
    /// The result.
    pub response: Arc<ToolResponse>,
}

/// A call that runs for the session, whose result will be delivered.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackgroundCall {
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// The tool.
    pub tool_id: Arc<str>,
    /// The turn in which it was made.
    pub turn: Option<u32>,
    /// When it began, epoch milliseconds.
    pub started_at: u64,
    /// Whether it runs; if not, its result waits for its delivery.
    pub running: bool,
}

impl BackgroundCall {
    fn new(call: &OwedCall) -> Self {
        let meta = &call.response.meta;
        Self {
            call_id: call.call_id.clone(),
            tool_id: Arc::clone(&meta.tool_id),
            turn: meta.turn,
            started_at: call.claimed_at,
            running: call.is_running,
        }
    }
}

impl Session {
    /// The next owed result. From the first request on, the attachment's background calls are answered early. Waits for
    /// one if `waits`; `None` if there is none, the wait was stopped, or the attachment was closed.
    ///
    /// # Errors
    /// If the store fails and this does not wait.
    pub async fn next_result(
        self: &Arc<Self>,
        number: CallerNumber,
        waits: bool,
    ) -> Result<Option<TakenResult>, ToolError> {
        self.attachment.delivery().begin_taking();
        let session_waits = self.open.result_waits.get_or_init(Box::default);
        let stopped = session_waits.begin(number);
        let (mut skips, mut reconciled) = (Vec::new(), Vec::new());
        loop {
            let is_over = self.attachment.inactive_reason().is_some() || self.gate.is_closing();
            if is_over || stopped.is_stopped() {
                return Ok(None);
            }
            // Created before the look, so that no later change is missed.
            let changed = session_waits.changed.notified();
            let pause = match self.take_next(&skips).await {
                Ok(TakenOwed { result: Some(owed), .. }) if !self.may_have(&owed.response) => {
                    skips.push(owed.epoch);
                    let _ = self.end_delivery(owed.epoch, false).await;
                    continue;
                }
                Ok(TakenOwed { result: Some(owed), .. }) if self.reconcile_unknown(&owed, &mut reconciled).await => {
                    // What is owed now is what was found out, here or by another process.
                    let _ = self.end_delivery(owed.epoch, false).await;
                    continue;
                }
                Ok(TakenOwed { result: Some(owed), .. }) => match self.resolve(owed).await {
                    Some(taken) => return Ok(Some(taken)),
                    None => continue,
                },
                Ok(TakenOwed { others, .. }) => self.pause(others),
                Err(StoreError::SessionEnded) => return Ok(None),
                Err(error) if !waits => return Err(store_refusal(&error)),
                Err(_) => Some(PAUSE_WITHOUT_OTHERS),
            };
            if !waits {
                return Ok(None);
            }
            tokio::select! {
                biased;
                () = stopped.stopped() => return Ok(None),
                () = changed => {}
                () = sleep_or_forever(pause) => {}
            }
        }
    }

    /// Stops a wait for the next result.
    pub fn stop_waiting(&self, number: CallerNumber) {
        if let Some(waits) = self.open.result_waits.get() {
            waits.stop(number);
        }
    }

    /// The time until the next look; `None` if only this process can change what is owed.
    fn pause(&self, others: usize) -> Option<Duration> {
        match (others, self.gate.parts.store.lease()) {
            (0, None) => None,
            (0, Some(_)) => Some(PAUSE_WITHOUT_OTHERS),
            _ => Some(PAUSE_WITH_OTHERS),
        }
    }

    /// Takes the next result, and holds it. One at a time: what is held is named when the next one is taken.
    async fn take_next(&self, skips: &[u64]) -> Result<TakenOwed, StoreError> {
        let delivery = self.attachment.delivery();
        let _turn = delivery.taking.lock().await;
        let taken = self.gate.take_owed(&self.attachment, true, skips).await?;
        if let Some(owed) = &taken.result {
            delivery.hold(owed.epoch, &owed.response);
        }
        Ok(taken)
    }

    /// Whether the attachment holds the roles that a result's tool needs.
    fn may_have(&self, response: &ToolResponse) -> bool {
        let tools = self.attachment.tools();
        tools
            .get(&response.meta.tool_id)
            .is_none_or(|tool| tool.definition.required_roles.iter().all(|role| self.attachment.roles.contains(role)))
    }

    /// Has the tool of a call whose process died, or which was not completed in time, find out what the call has done, unless it was
    /// asked already. False if it is not asked.
    async fn reconcile_unknown(self: &Arc<Self>, owed: &OwedResult, asked: &mut Vec<u64>) -> bool {
        let (OwedEnd::Lost { effect, key, fingerprint, .. } | OwedEnd::Overdue { effect, key, fingerprint, .. }) =
            &owed.end
        else {
            return false;
        };
        if effect.runs_again_when_lost() || asked.contains(&owed.epoch) {
            return false;
        }
        let tools = self.attachment.tools();
        let Some(tool) = tools.get(&owed.response.meta.tool_id).filter(|tool| tool.is_reconciled()) else {
            return false;
        };
        asked.push(owed.epoch);
        self.gate.renew_while_held(&self.attachment);
        let uncertain = UncertainRecord {
            tool: Arc::clone(tool),
            session: self.id().clone(),
            key: key.clone(),
            epoch: owed.epoch,
            fingerprint: fingerprint.clone(),
            args: None,
            met_by: MetBy::Delivery,
            reservation: None,
        };
        Reconcile::for_attachment(self).run(&uncertain).await;
        true
    }

    /// The result of a call that was taken; `None` if it runs again.
    async fn resolve(self: &Arc<Self>, owed: OwedResult) -> Option<TakenResult> {
        let OwedResult { epoch: id, response, end } = owed;
        self.gate.renew_while_held(&self.attachment);
        let tool_id = Arc::clone(&response.meta.tool_id);
        let error = match end {
            OwedEnd::Ended => return Some(TakenResult { id, response }),
            OwedEnd::Lost { effect, key, fingerprint, args: Some(args) } if effect.runs_again_when_lost() => {
                return self.run_again(id, &response, LostClaim { key, fingerprint, args }).await;
            }
            // Without its arguments it does not run again; a write may have been done.
            OwedEnd::Lost { effect, .. } if !effect.may_leave_effects() => {
                let message = format!("the process that ran `{tool_id}` has died; the call can be made again");
                ToolError::new(ErrorType::Transient, message).retryable_after(None)
            }
            OwedEnd::Lost { .. } => crate::admit::outcome_unknown(&tool_id),
            OwedEnd::Overdue { claimed_at, .. } => {
                let waited = self.gate.now().saturating_sub(claimed_at);
                match self.attachment.tools().get(&tool_id) {
                    Some(tool) => settle::timed_out(tool, tool.definition.timeout_ms.0.unwrap_or(waited)),
                    None => crate::admit::outcome_unknown(&tool_id),
                }
            }
        };
        let meta = crate::response::Meta { pending: false, ..response.meta.clone() };
        Some(TakenResult { id, response: Arc::new(ToolResponse { outcome: Outcome::from(error), meta }) })
    }

    /// Runs a call again whose process died. `None` if it runs: its result is owed under its new claim.
    async fn run_again(&self, id: u64, before: &ToolResponse, lost: LostClaim) -> Option<TakenResult> {
        let meta = &before.meta;
        let call_before = CallBefore {
            call_id: meta.call_id.as_ref(),
            tool_id: &meta.tool_id,
            tool_version: meta.tool_version.as_deref(),
            turn: meta.turn,
        };
        let (reply, answer) = reply_channel();
        let is_refused = {
            let _admission = self.open.live.admission.lock().await;
            self.open.running.stopped().await;
            let tools = self.attachment.tools();
            let context = self.admission_context(&tools, None);
            let result = admit::admit_again(&context, lost, call_before, Instant::now()).await;
            let is_refused = matches!(result.admission, Admission::Refuse(_) | Admission::StoreFailed(_));
            self.dispatch(result, HostCaller::default(), None, Reader::Host, reply).await;
            is_refused
        };
        if is_refused {
            return Some(TakenResult { id, response: answer.await });
        }
        self.attachment.delivery().release(id);
        None
    }

    /// Ends the delivery of a result: accepted, or to be offered again. False if another attachment has it now.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn end_delivery(&self, id: u64, accepted: bool) -> Result<bool, ToolError> {
        let (by, now) = (self.attachment.delivery().id, self.gate.now());
        let end = EndDelivery { session: self.id().clone(), by, epoch: id, accepted, now };
        let held = self.gate.parts.store.end_delivery(end).await;
        let held = match held {
            Err(StoreError::SessionEnded) => false,
            held => held.map_err(|error| store_refusal(&error))?,
        };
        let released = self.attachment.delivery().release(id);
        if !held {
            return Ok(false);
        }
        if !accepted {
            self.open.results_changed();
        } else if let Some(response) = released.and_then(|released| released.taken) {
            let call_id = response.meta.call_id.as_ref().map(CallId::as_str);
            let (tool_id, mode) = (&*response.meta.tool_id, &*self.attachment.mode.name);
            self.emit(&Event::ResultDelivered { tool_id, call_id, mode });
        }
        Ok(true)
    }

    /// The calls that run for the session, and those whose results wait for their delivery.
    ///
    /// # Errors
    /// If the session has ended or the store fails.
    pub async fn background_calls(&self) -> Result<Vec<BackgroundCall>, ToolError> {
        Ok(self.owed_calls().await?.iter().filter(|call| !call.is_direct).map(BackgroundCall::new).collect())
    }

    async fn owed_calls(&self) -> Result<Vec<OwedCall>, ToolError> {
        self.check_open()?;
        let owed = self.gate.parts.store.list_owed(self.id(), self.gate.now()).await;
        owed.map_err(|error| store_refusal(&error))
    }

    /// Cancels a call by the user's word, also one whose callers have been answered. The effect; `None` if no such call
    /// runs, or another process runs it.
    ///
    /// # Errors
    /// If the session has ended or the store fails.
    pub async fn cancel_background(
        &self,
        call_id: &str,
        reason: &str,
    ) -> Result<Option<CancellationEffect>, ToolError> {
        self.check_open()?;
        if let Some(effect) = self.open.running.cancel_with_effect(call_id, reason) {
            return Ok(Some(effect));
        }
        let owed = self.owed_calls().await?;
        let is_meant = |call: &&OwedCall| call.call_id.as_ref().is_some_and(|id| id.as_str() == call_id);
        let Some(call) = owed.iter().filter(|call| call.is_running && call.is_left).find(is_meant) else {
            return Ok(None);
        };
        if call.effect.may_leave_effects() {
            return Ok(Some(CancellationEffect::Unknown));
        }
        let error = cancelled(&call.response.meta.tool_id, reason);
        let meta = crate::response::Meta { pending: false, ..call.response.meta.clone() };
        let response = Arc::new(ToolResponse { outcome: Outcome::from(error), meta });
        let done = self.gate.settle_owed(self.id(), call, response).await?;
        Ok((done == ExternalCompletion::Completed).then_some(CancellationEffect::Aborted))
    }
}

/// CANCELLED for a read that no process runs.
fn cancelled(tool: &str, reason: &str) -> ToolError {
    let effect = CancellationEffect::Aborted.as_str();
    ToolError::new(ErrorType::Cancelled, format!("`{tool}` was cancelled: nothing was done"))
        .with_details(serde_json::json!({ "outcome": effect, "reason": reason }))
}

async fn sleep_or_forever(pause: Option<Duration>) {
    match pause {
        Some(pause) => tokio::time::sleep(pause).await,
        None => std::future::pending().await,
    }
}
