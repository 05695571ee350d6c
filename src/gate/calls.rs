//! One call, from its arrival to its one answer.

use std::sync::Arc;

use tokio::sync::oneshot::Receiver;
use tokio::time::Instant;

use super::call_facts::{self, ExecutionEnd};
use super::nested_calls::ParentAttempt;
use super::remote_join::RemoteJoin;
use super::responses::{add_warning, lost_call, refusal_of_admission};
use super::run_call::{self, RunningCall};
use super::running::ArrivingCall;
use super::session::Session;
use crate::admit::{self, Admission, AdmissionContext, AdmissionResult, AdmittedCall, CallHeader, RecordLocation};
use crate::call::RawCall;
use crate::error::{ErrorType, ToolError};
use crate::observe::event::Event;
use crate::registry::ToolSet;
use crate::response::ToolResponse;
use crate::run::concurrency::{SlotEntry, SlotOwner, SlotRequest};
use crate::run::execution::{CallerAnswer, CancellationEffect, CancelledCall, Execution};
use crate::session::cache::CachedResult;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::store::{CallLookup, Record, RecordState};

/// A call behind admission: answered, or waiting for its execution.
enum Dispatch {
    Answered(Arc<ToolResponse>),
    Waiting { answer: Receiver<CallerAnswer>, original_turn: Option<u32> },
}

impl Dispatch {
    fn answered(response: ToolResponse) -> Self {
        Self::Answered(Arc::new(response))
    }
}

impl Session {
    /// Takes a call through the gate. Always exactly one answer.
    pub async fn execute(&self, call: RawCall) -> Arc<ToolResponse> {
        self.execute_call(call, Instant::now(), None).await
    }

    /// Takes a call of the model's, or of a handler.
    pub(super) async fn execute_call(
        &self,
        call: RawCall,
        received: Instant,
        calling: Option<&ParentAttempt>,
    ) -> Arc<ToolResponse> {
        let arriving = self.open.running.arrive(call.id.clone());
        self.admit_arrived(arriving, call, received, calling).await
    }

    pub(super) async fn admit_arrived(
        &self,
        arriving: ArrivingCall<'_>,
        call: RawCall,
        received: Instant,
        calling: Option<&ParentAttempt>,
    ) -> Arc<ToolResponse> {
        let (header, counted, dispatched) = {
            // First in, first out; let go as soon as the handler has been started.
            let _admission = self.open.live.admission.lock().await;
            self.open.running.stopped().await;
            let tools = self.attachment.tools();
            if calling.is_some_and(|calling| !self.is_running(calling)) {
                return Arc::new(self.parent_ended(&call, received, calling));
            }
            if let Some(reason) = arriving.cancelled() {
                self.cancelled_while_queued(&tools, &call, received, reason)
            } else {
                let verdict = self.admit(&tools, calling, call, received).await;
                self.dispatch(verdict, arriving.end(), calling).await
            }
        };
        let response = self.await_answer(&header, dispatched).await;
        self.remember_outcome(&header, counted, response)
    }

    /// A call that was cancelled before its admission began: nothing is looked at, recorded or debited.
    fn cancelled_while_queued(
        &self,
        tools: &ToolSet,
        call: &RawCall,
        received: Instant,
        reason: String,
    ) -> (Arc<CallHeader>, Option<Fingerprint>, Dispatch) {
        let mut header = CallHeader::new(&self.admission_context(tools, None), call, received);
        header.tool = tools.get(&call.name).cloned();
        let response = self.cancelled_response(&header, &CancelledCall { reason, effect: CancellationEffect::Aborted });
        (Arc::new(header), None, Dispatch::answered(response))
    }

    /// A user's yes. Runs the call as it was shown, or says why not.
    pub async fn confirm(&self, token: &str) -> Arc<ToolResponse> {
        let received = Instant::now();
        let (header, dispatched) = {
            let _admission = self.open.live.admission.lock().await;
            let tools = self.attachment.tools();
            let mode = |name: &str| self.mode_that_asked(name);
            let verdict = admit::admit_confirmed(&self.admission_context(&tools, None), token, mode, received).await;
            self.dispatch_confirmed(verdict).await
        };
        self.await_answer(&header, dispatched).await
    }

    /// As [`confirm`](Self::confirm), of the question that this call asked: it runs as it was shown. A call that nobody was
    /// asked about does not run, and asks nothing.
    pub async fn approve(&self, call: RawCall) -> Arc<ToolResponse> {
        let received = Instant::now();
        let (header, dispatched) = {
            let _admission = self.open.live.admission.lock().await;
            let tools = self.attachment.tools();
            let mode = |name: &str| self.mode_that_asked(name);
            let verdict = admit::admit_approved(&self.admission_context(&tools, None), call, mode, received).await;
            self.dispatch_confirmed(verdict).await
        };
        self.await_answer(&header, dispatched).await
    }

    /// Asks what a call would ask, and runs nothing. `None` where it asks nothing.
    pub async fn ask(&self, call: RawCall) -> Option<Arc<ToolResponse>> {
        let received = Instant::now();
        let _admission = self.open.live.admission.lock().await;
        self.open.running.stopped().await;
        let tools = self.attachment.tools();
        let verdict = admit::ask(&self.admission_context(&tools, None), call, received).await?;
        let (header, counted, dispatched) = self.dispatch(verdict, None, None).await;
        let response = self.await_answer(&header, dispatched).await;
        Some(self.remember_outcome(&header, counted, response))
    }

    async fn dispatch_confirmed(&self, verdict: AdmissionResult) -> (Arc<CallHeader>, Dispatch) {
        match &verdict.admission {
            Admission::Run(call) => {
                self.emit(&Event::ConfirmationGranted { call: call_facts::call_facts(&call.header) });
            }
            Admission::Refuse(error) if is_closed_unanswered(error) => {
                self.emit(&Event::ConfirmationExpired { tool_id: &verdict.header.name });
            }
            _ => {}
        }
        let (header, _, dispatched) = self.dispatch(verdict, None, None).await;
        (header, dispatched)
    }

    pub(super) fn admission_context<'a>(
        &'a self,
        tools: &'a ToolSet,
        calling: Option<&'a ParentAttempt>,
    ) -> AdmissionContext<'a> {
        AdmissionContext {
            backpressure: if calling.is_some() { &self.open.slots_of_parents } else { &self.open.own_slots },
            parent: calling.map(|calling| &calling.parent),
            attachment: &self.attachment,
            tools,
            store: &*self.gate.parts.store,
            record_location: RecordLocation::Store,
            closing: self.gate.is_closing(),
            limits: self.gate.parts.limits.args,
            now: self.gate.now(),
        }
    }

    fn mode_that_asked(&self, name: &str) -> Arc<crate::session::policy::Mode> {
        if *self.attachment.mode.name == *name {
            return Arc::clone(&self.attachment.mode);
        }
        Arc::new(self.gate.mode(name))
    }

    /// Starts what runs, and finds what runs already. Done before the next call is admitted, so that an equal one finds
    /// this one.
    async fn dispatch(
        &self,
        verdict: AdmissionResult,
        cancelled: Option<String>,
        calling: Option<&ParentAttempt>,
    ) -> (Arc<CallHeader>, Option<Fingerprint>, Dispatch) {
        let AdmissionResult { header, mut counted, admission } = verdict;
        let dispatched = match admission {
            Admission::Run(call) => self.start_or_cancel(&header, call, cancelled, calling).await,
            Admission::Replay(record) => Dispatch::answered(self.replay(&header, &record)),
            Admission::Join(key, record) => match cancelled {
                Some(reason) => {
                    let left = if record.effect.may_leave_effects() {
                        CancellationEffect::Unknown
                    } else {
                        CancellationEffect::Continues
                    };
                    Dispatch::answered(self.cancelled_response(&header, &CancelledCall { reason, effect: left }))
                }
                None => Box::pin(self.join(&header, &key, &record)).await,
            },
            Admission::Ask(question, error) => {
                let event =
                    Event::ConfirmationRequested { call: call_facts::call_facts(&header), expires: question.expires };
                self.emit(&event);
                Dispatch::answered(refusal_of_admission(self, &header, error))
            }
            Admission::StoreFailed(error) => Dispatch::answered(self.refusal_response(&header, error)),
            Admission::Refuse(error) => {
                if error.kind == ErrorType::LoopDetected {
                    // What the guard refused is not one more outcome of the call.
                    counted = None;
                }
                Dispatch::answered(self.refusal_response(&header, error))
            }
        };
        (header, counted, dispatched)
    }

    async fn start_or_cancel(
        &self,
        header: &CallHeader,
        call: Box<AdmittedCall>,
        cancelled: Option<String>,
        calling: Option<&ParentAttempt>,
    ) -> Dispatch {
        let Some(reason) = cancelled else {
            return match self.cached_result(&call) {
                Some(kept) => Dispatch::Answered(Box::pin(self.answer_from_cache(kept, &call)).await),
                None => self.start(header, call, calling),
            };
        };
        // Cancelled while its arguments were read: the record goes, nothing has run.
        Box::pin(self.gate.record(&self.open, &call, None, Vec::new())).await;
        let cancelled = CancelledCall { reason, effect: CancellationEffect::Aborted };
        Dispatch::answered(self.cancelled_response(header, &cancelled))
    }

    fn start(&self, header: &CallHeader, call: Box<AdmittedCall>, calling: Option<&ParentAttempt>) -> Dispatch {
        let seat = if calling.is_some() { SlotOwner::Parent } else { SlotOwner::Call };
        let entry = self.open.concurrency.request(SlotRequest::for_tool(&call.tool, seat));
        let execution = Arc::new(match &entry {
            SlotEntry::Now(_) => Execution::running(call.tool.when_cancelled()),
            SlotEntry::Later(_) => Execution::waiting(call.tool.when_cancelled()),
        });
        let waiting = execution.join(header.call_id.clone());
        self.open.running.insert(call.key.clone(), Arc::clone(&execution));
        if let Some(calling) = calling {
            calling.register(&execution);
        }
        let (attachment, ears) = (self.attachment.id, self.listener_id);
        let driven = RunningCall { open: Arc::clone(&self.open), attachment, listener_id: ears, call, execution };
        (self.gate.parts.spawner)(Box::pin(run_call::run_call(Arc::clone(&self.gate), driven, entry)));
        match waiting {
            Some(answer) => Dispatch::Waiting { answer, original_turn: None },
            // A new execution has not answered yet.
            None => Dispatch::answered(self.refusal_response(header, lost_call())),
        }
    }

    /// A kept result of an equal call.
    fn cached_result(&self, call: &AdmittedCall) -> Option<CachedResult> {
        self.open.live.result_cache.lock().get(call.cache.as_ref()?, self.gate.now())
    }

    /// Answers an admitted call with a kept result: it is recorded and counted, only its handler does not run.
    async fn answer_from_cache(&self, kept: CachedResult, call: &AdmittedCall) -> Arc<ToolResponse> {
        if kept.truncated.is_some() {
            self.open.live.full_results.lock().copy_to(&kept.source_idempotency_key, Arc::clone(&call.idempotency_key));
        }
        let mut response = Arc::new(crate::settle::answer::from_cache(call, kept, self.gate.now()));
        let record = RecordState::Settled(Arc::clone(&response));
        if !self.gate.record(&self.open, call, Some(record), Vec::new()).await {
            add_warning(&mut response, "unrecorded".to_owned());
        }
        self.gate.emit_executed(Some(self.id().as_str()), call, &response, ExecutionEnd::Cached);
        response
    }

    async fn join(&self, header: &Arc<CallHeader>, key: &RecordKey, record: &Record) -> Dispatch {
        let joined = self.open.running.get(key).and_then(|execution| execution.join(header.call_id.clone()));
        if let Some(answer) = joined {
            return Dispatch::Waiting { answer, original_turn: Some(record.turn) };
        }
        // It answered between the look at its record and now: the record has the result.
        let look = CallLookup {
            session: &self.open.live.id,
            key,
            turn: header.turn,
            tool: &header.name,
            rate_limit: None,
            known_revision: self.open.live.state_revision(),
            now: self.gate.now(),
        };
        let record = self.gate.parts.store.look_up(look).await.ok().and_then(|seen| seen.record);
        match record {
            Some(record) if matches!(record.state, RecordState::Settled(_)) => {
                Dispatch::answered(self.replay(header, &record))
            }
            Some(record) if record.state == RecordState::Started && self.gate.parts.store.lease().is_some() => {
                self.join_remote(header, key, &record)
            }
            _ => Dispatch::answered(self.refusal_response(header, lost_call())),
        }
    }

    /// Waits for a call that another process runs.
    fn join_remote(&self, header: &Arc<CallHeader>, key: &RecordKey, record: &Record) -> Dispatch {
        let execution = Arc::new(Execution::running(record.effect.cancellation_policy(None)));
        // It ran for none of those who wait here, and goes on without them: the look-out is the first of its callers.
        drop(execution.join(None));
        let waiting = execution.join(header.call_id.clone());
        self.open.running.insert(key.clone(), Arc::clone(&execution));
        let (gate, open) = (Arc::clone(&self.gate), Arc::clone(&self.open));
        let follower = RemoteJoin { gate, open, header: Arc::clone(header), key: key.clone(), execution };
        (self.gate.parts.spawner)(Box::pin(follower.run()));
        match waiting {
            Some(answer) => Dispatch::Waiting { answer, original_turn: Some(record.turn) },
            None => Dispatch::answered(self.refusal_response(header, lost_call())),
        }
    }

    async fn await_answer(&self, header: &CallHeader, dispatched: Dispatch) -> Arc<ToolResponse> {
        let (answer, original_turn) = match dispatched {
            Dispatch::Answered(response) => return response,
            Dispatch::Waiting { answer, original_turn } => (answer, original_turn),
        };
        Arc::new(match answer.await {
            Ok(CallerAnswer::Settled { response, first }) => match original_turn {
                None => return response,
                // Who started it was cancelled: it ran for this call.
                Some(_) if first => crate::settle::answer::joined(header, &response, self.gate.now()),
                Some(turn) => self.replayed_response(header, &response, turn, 0),
            },
            Ok(CallerAnswer::Cancelled(cancelled)) => self.cancelled_response(header, &cancelled),
            Ok(CallerAnswer::Refused(error)) => self.refusal_response(header, ToolError::clone(&error)),
            Err(_) => self.refusal_response(header, lost_call()),
        })
    }
}

/// Whether a confirmation came for a question that had closed by itself: it waited too long, or its tool changed.
fn is_closed_unanswered(error: &ToolError) -> bool {
    #[derive(serde::Deserialize)]
    struct Closed {
        reason: String,
    }
    let details = || serde_json::from_str::<Closed>(error.details.as_ref()?.as_str()).ok();
    error.kind == ErrorType::ConfirmationExpired
        && details().is_some_and(|closed| matches!(&*closed.reason, "expired" | "version"))
}
