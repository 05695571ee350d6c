//! One call, from its arrival to its answer.

use std::sync::Arc;

use tokio::sync::oneshot::Receiver;
use tokio::time::Instant;

use super::call_facts::{self, ExecutionEnd};
use super::nested_calls::ParentAttempt;
use super::remote_join::RemoteJoin;
use super::responses::{add_warning, lost_call, refusal_of_admission};
use super::run_call::{self, CallTask};
use super::running::ArrivingCall;
use super::running::RunningKey;
use super::session::Session;
use crate::admit::{self, Admission, AdmissionContext, AdmissionResult, AdmittedCall, CallHeader, RecordLocation};
use crate::call::RawCall;
use crate::error::{ErrorType, ToolError};
use crate::observe::event::Event;
use crate::registry::ToolSet;
use crate::response::ToolResponse;
use crate::run::concurrency::{SlotOwner, SlotRequest};
use crate::run::execution::{CallerAnswer, CancellationEffect, CancelledCall, Execution};
use crate::session::cache::CachedResult;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::store::{CallLookup, Record, RecordState};

/// A call after admission: answered, or waiting for its execution.
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
    /// Takes a call of the model through the gate. Returns exactly one answer, always.
    pub async fn execute(&self, call: RawCall) -> Arc<ToolResponse> {
        self.execute_call(call, Instant::now(), None).await
    }

    /// Takes a call of the model, or of the handler of `parent_attempt`.
    pub(super) async fn execute_call(
        &self,
        call: RawCall,
        received: Instant,
        parent_attempt: Option<&ParentAttempt>,
    ) -> Arc<ToolResponse> {
        let arriving = self.arrive(call.id.as_ref());
        self.admit_arrived(arriving, call, received, parent_attempt).await
    }

    pub(super) async fn admit_arrived(
        &self,
        arriving: ArrivingCall<'_>,
        call: RawCall,
        received: Instant,
        parent_attempt: Option<&ParentAttempt>,
    ) -> Arc<ToolResponse> {
        let (header, counted, dispatched) = {
            // First in, first out; released as soon as the handler has been started.
            let _admission = self.open.live.admission.lock().await;
            self.open.running.stopped().await;
            let tools = self.attachment.tools();
            if parent_attempt.is_some_and(|parent_attempt| !self.is_running(parent_attempt)) {
                return Arc::new(self.parent_ended(&call, received, parent_attempt));
            }
            let cancelled = self.cancelled_before_admission(&tools, &call, received, &arriving);
            if let Some((header, response)) = Box::pin(cancelled).await {
                (header, None, Dispatch::answered(response))
            } else {
                let result = self.admit(&tools, parent_attempt, call, received).await;
                self.dispatch(result, arriving.end(), parent_attempt).await
            }
        };
        let response = self.await_answer(&header, dispatched).await;
        let response = self.remember_outcome(&header, counted, response);
        if parent_attempt.is_none() {
            self.count_context(&header, &response);
        }
        response
    }

    /// Confirms a question for its user: runs the call as it was shown, or refuses it with the reason.
    pub async fn confirm(&self, token: &str) -> Arc<ToolResponse> {
        let received = Instant::now();
        let (header, dispatched) = {
            let _admission = self.open.live.admission.lock().await;
            self.open.running.stopped().await;
            let tools = self.attachment.tools();
            let mode = |name: &str| self.mode_of_question(name);
            let result = admit::admit_confirmed(&self.admission_context(&tools, None), token, mode, received).await;
            self.dispatch_confirmed(result).await
        };
        self.await_counted_answer(&header, dispatched).await
    }

    /// Confirms the question that this call asked, as [`confirm`](Self::confirm) does by token. A call without a
    /// pending question does not run, and asks none.
    pub async fn approve(&self, call: RawCall) -> Arc<ToolResponse> {
        let received = Instant::now();
        let (header, dispatched) = {
            let _admission = self.open.live.admission.lock().await;
            self.open.running.stopped().await;
            let tools = self.attachment.tools();
            let mode = |name: &str| self.mode_of_question(name);
            let result = admit::admit_approved(&self.admission_context(&tools, None), call, mode, received).await;
            self.dispatch_confirmed(result).await
        };
        self.await_counted_answer(&header, dispatched).await
    }

    /// The answer to a confirmed call, which the host gives to the model.
    async fn await_counted_answer(&self, header: &CallHeader, dispatched: Dispatch) -> Arc<ToolResponse> {
        let response = self.await_answer(header, dispatched).await;
        self.count_context(header, &response);
        response
    }

    /// Asks the question that the call would ask, and runs nothing. `None` if the call asks none.
    pub async fn ask(&self, call: RawCall) -> Option<Arc<ToolResponse>> {
        let received = Instant::now();
        let _admission = self.open.live.admission.lock().await;
        self.open.running.stopped().await;
        let tools = self.attachment.tools();
        let result = admit::ask(&self.admission_context(&tools, None), call, received).await?;
        let (header, counted, dispatched) = self.dispatch(result, None, None).await;
        let response = self.await_answer(&header, dispatched).await;
        Some(self.remember_outcome(&header, counted, response))
    }

    async fn dispatch_confirmed(&self, result: AdmissionResult) -> (Arc<CallHeader>, Dispatch) {
        match &result.admission {
            Admission::Run(call) => {
                self.emit(&Event::ConfirmationGranted { call: call_facts::call_facts(&call.header) });
            }
            Admission::Refuse(error) if is_closed_unanswered(error) => {
                self.emit(&Event::ConfirmationExpired { tool_id: &result.header.name });
            }
            _ => {}
        }
        let (header, _, dispatched) = self.dispatch(result, None, None).await;
        (header, dispatched)
    }

    pub(super) fn admission_context<'a>(
        &'a self,
        tools: &'a ToolSet,
        parent_attempt: Option<&'a ParentAttempt>,
    ) -> AdmissionContext<'a> {
        AdmissionContext {
            backpressure: if parent_attempt.is_some() {
                &self.open.parent_backpressure
            } else {
                &self.open.own_backpressure
            },
            parent: parent_attempt.map(|parent_attempt| &parent_attempt.parent),
            attachment: &self.attachment,
            tools,
            store: &*self.gate.parts.store,
            record_location: RecordLocation::Store,
            closing: self.gate.is_closing(),
            limits: self.gate.parts.limits.args,
            now: self.gate.now(),
        }
    }

    fn mode_of_question(&self, name: &str) -> Arc<crate::session::policy::Mode> {
        if *self.attachment.mode.name == *name {
            return Arc::clone(&self.attachment.mode);
        }
        Arc::new(self.gate.mode(name))
    }

    /// Starts an admitted call, or joins the running one. Happens before the next call is admitted, so that an equal
    /// call finds this one.
    async fn dispatch(
        &self,
        result: AdmissionResult,
        cancelled: Option<String>,
        parent_attempt: Option<&ParentAttempt>,
    ) -> (Arc<CallHeader>, Option<Fingerprint>, Dispatch) {
        let AdmissionResult { header, mut counted, admission } = result;
        let dispatched = match admission {
            Admission::Run(call) => self.start_or_cancel(&header, call, cancelled, parent_attempt).await,
            Admission::Replay(record) => Dispatch::answered(self.replay(&header, &record)),
            Admission::Join(location, key, record) => match cancelled {
                Some(reason) => {
                    let effect = if record.effect.may_leave_effects() {
                        CancellationEffect::Unknown
                    } else {
                        CancellationEffect::Continues
                    };
                    Dispatch::answered(self.cancelled_response(&header, &CancelledCall { reason, effect }))
                }
                None => Box::pin(self.join(&header, location, &key, &record)).await,
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
                    // A refusal by the loop guard is no outcome that the guard counts.
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
        parent_attempt: Option<&ParentAttempt>,
    ) -> Dispatch {
        let Some(reason) = cancelled else {
            return match self.cached_result(&call) {
                Some(cached) => Dispatch::Answered(Box::pin(self.answer_from_cache(cached, &call)).await),
                None => self.start(header, call, parent_attempt),
            };
        };
        // Cancelled while its arguments were parsed: nothing has run, and the record is deleted.
        Box::pin(self.gate.record(&self.open, &call, None, Vec::new())).await;
        let cancelled = CancelledCall { reason, effect: CancellationEffect::Aborted };
        Dispatch::answered(self.cancelled_response(header, &cancelled))
    }

    fn start(&self, header: &CallHeader, call: Box<AdmittedCall>, parent_attempt: Option<&ParentAttempt>) -> Dispatch {
        let owner = if parent_attempt.is_some() { SlotOwner::Parent } else { SlotOwner::Call };
        let entry = self.open.concurrency.request(SlotRequest::for_tool(&call.tool, owner));
        let begins_at_once = entry.begins_at_once(self.gate.parts.handlers.prepares(&call.args));
        let when_cancelled = call.tool.when_cancelled();
        let execution = Arc::new(if begins_at_once {
            Execution::running(when_cancelled)
        } else {
            Execution::waiting(when_cancelled)
        });
        let waiting = execution.join(header.call_id.clone());
        self.open.running.insert(RunningKey::of_call(&call), Arc::clone(&execution));
        if let Some(parent_attempt) = parent_attempt {
            parent_attempt.register(&execution);
        }
        let (attachment, listener_id) = (self.attachment.id, self.listener_id);
        let task = CallTask { open: Arc::clone(&self.open), attachment, listener_id, call, execution };
        (self.gate.parts.spawner)(Box::pin(run_call::run_call(Arc::clone(&self.gate), task, entry)));
        match waiting {
            Some(answer) => Dispatch::Waiting { answer, original_turn: None },
            // Does not happen: a new execution has not answered yet.
            None => Dispatch::answered(self.refusal_response(header, lost_call())),
        }
    }

    /// The cached result of an equal call.
    fn cached_result(&self, call: &AdmittedCall) -> Option<CachedResult> {
        self.open.live.result_cache.lock().get(call.cache.as_ref()?, self.gate.now())
    }

    /// Answers an admitted call from the cache: it is recorded and counted like any call, but its handler does not run.
    async fn answer_from_cache(&self, cached: CachedResult, call: &AdmittedCall) -> Arc<ToolResponse> {
        if cached.truncated.is_some() {
            self.open
                .live
                .full_results
                .lock()
                .copy_to(&cached.source_idempotency_key, Arc::clone(&call.idempotency_key));
        }
        let mut response = Arc::new(crate::settle::answer::from_cache(call, cached, self.gate.now()));
        let record = RecordState::Settled(Arc::clone(&response));
        if !self.gate.record(&self.open, call, Some(record), Vec::new()).await {
            add_warning(&mut response, "unrecorded".to_owned());
        }
        self.gate.emit_executed(Some(self.id().as_str()), call, &response, ExecutionEnd::Cached);
        response
    }

    async fn join(
        &self,
        header: &Arc<CallHeader>,
        location: RecordLocation,
        key: &RecordKey,
        record: &Record,
    ) -> Dispatch {
        let running = self.open.running.get(&RunningKey::of_record(location, key, record));
        let joined = running.and_then(|execution| execution.join(header.call_id.clone()));
        if let Some(answer) = joined {
            return Dispatch::Waiting { answer, original_turn: Some(record.turn) };
        }
        // The execution answered after its record was read: the record has the result now.
        let lookup = CallLookup {
            session: &self.open.live.id,
            key,
            turn: header.turn,
            tool: &header.name,
            rate_limit: None,
            known_revision: self.open.live.state_revision(),
            now: self.gate.now(),
        };
        let found = self.gate.store_at(location).look_up(lookup).await.ok().and_then(|seen| seen.record);
        // The record was deleted, and another call came with its key: that one's answer is not for this call.
        let found = found.filter(|found| found.fingerprint.matches(&record.fingerprint));
        match found {
            Some(record) if matches!(record.state, RecordState::Settled(_)) => {
                Dispatch::answered(self.replay(header, &record))
            }
            Some(record) if record.state == RecordState::Started && self.gate.store_at(location).lease().is_some() => {
                self.join_remote(header, key, &record)
            }
            _ => Dispatch::answered(self.refusal_response(header, lost_call())),
        }
    }

    /// Joins a call that another process runs.
    fn join_remote(&self, header: &Arc<CallHeader>, key: &RecordKey, record: &Record) -> Dispatch {
        let execution = Arc::new(Execution::running(record.effect.cancellation_policy(None)));
        // The call runs for none of the callers here: a dropped caller takes the first place, so that every other
        // caller's answer is a replay.
        drop(execution.join(None));
        let waiting = execution.join(header.call_id.clone());
        let running_key = RunningKey::of_record(RecordLocation::Store, key, record);
        self.open.running.insert(running_key.clone(), Arc::clone(&execution));
        let (gate, open) = (Arc::clone(&self.gate), Arc::clone(&self.open));
        let remote_join =
            RemoteJoin { gate, open, header: Arc::clone(header), key: key.clone(), running_key, execution };
        (self.gate.parts.spawner)(Box::pin(remote_join.run()));
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
                // The caller that started it was cancelled: it ran for this call.
                Some(_) if first => crate::settle::answer::joined(header, &response, self.gate.now()),
                Some(turn) => self.replayed_response(header, &response, turn, 0),
            },
            Ok(CallerAnswer::Cancelled(cancelled)) => self.cancelled_response(header, &cancelled),
            Ok(CallerAnswer::Refused(error)) => self.refusal_response(header, ToolError::clone(&error)),
            Err(_) => self.refusal_response(header, lost_call()),
        })
    }
}

/// Whether a confirmation came for a question that had closed unanswered: it expired, or its tool changed.
fn is_closed_unanswered(error: &ToolError) -> bool {
    #[derive(serde::Deserialize)]
    struct Closed {
        reason: String,
    }
    let details = || serde_json::from_str::<Closed>(error.details.as_ref()?.as_str()).ok();
    error.kind == ErrorType::ConfirmationExpired
        && details().is_some_and(|closed| matches!(&*closed.reason, "expired" | "version"))
}
