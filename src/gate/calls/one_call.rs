//! One call, from its arrival to its answer.

use std::pin::pin;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::time::Instant;

use crate::admit::{
    self, Admission, AdmissionContext, AdmissionResult, AdmittedCall, Asked, CallHeader, Reconciling, RecordLocation,
    SchemaCheck,
};
use crate::call::RawCall;
use crate::error::ErrorType;
use crate::gate::calls::call_facts::{self, ExecutionEnd};
use crate::gate::calls::caller::{Reader, ResponseSink, WaitingCaller, reply_channel};
use crate::gate::calls::readmission::{CameBefore, LeftCall};
use crate::gate::calls::responses::{add_warning, refusal_of_admission};
use crate::gate::nested::nested_calls::ParentAttempt;
use crate::gate::run::aside::CLOSING;
use crate::gate::run::deferring;
use crate::gate::run::run_call::{self, CallTask};
use crate::gate::run::running::{ArrivingCall, HostCaller, RunningKey};
use crate::gate::run::settling::EndOfCall;
use crate::gate::sessions::attachment::Session;
use crate::observe::event::Event;
use crate::observe::listener::ConfirmationChange;
use crate::observe::question_facts::AnswerFacts;
use crate::registry::{MayLeave, ToolSet};
use crate::response::ToolResponse;
use crate::run::concurrency::{SlotOwner, SlotRequest};
use crate::run::execution::{CancellationEffect, Execution};
use crate::session::cache::CachedResult;
use crate::session::fingerprint::Fingerprint;
use crate::store::RecordState;

impl Session {
    /// Takes a call of the model through the gate. Returns exactly one answer, always.
    pub async fn execute(self: &Arc<Self>, call: RawCall) -> Arc<ToolResponse> {
        let (reply, answer) = reply_channel();
        self.execute_then(call, HostCaller::default(), reply);
        answer.await
    }

    /// Takes a call of the model through the gate. `reply` gets exactly one answer, always.
    ///
    /// A call that has to wait for nothing needs no task: on a store that never waits, the call is admitted, and its
    /// handler started or its answer given, before this returns. A large text is read by a worker, and a call that comes
    /// while another one is being admitted stays behind it.
    pub fn execute_then(self: &Arc<Self>, call: RawCall, caller: HostCaller, reply: ResponseSink) {
        let received = Instant::now();
        let Some(admission) = self.admission_without_waiting(&call) else {
            let session = Arc::clone(self);
            (self.gate.parts.spawner)(Box::pin(async move {
                let arriving = session.arrive(call.id.as_ref(), caller);
                session.admit_in_order(arriving, call, received, None, reply).await;
            }));
            return;
        };
        let arriving = self.arrive(call.id.as_ref(), caller);
        // Nothing in it waits, so one poll takes it to its end. Pinned, and not moved: it is large.
        let done = pin!(self.take_call(arriving, call, received, None, reply)).now_or_never();
        drop(admission);
        match done {
            Some(None) => {}
            Some(Some(left)) => {
                let session = Arc::clone(self);
                (self.gate.parts.spawner)(Box::pin(async move { session.admit_after(*left, None).await }));
            }
            None => tracing::error!("an admission waited on a store that never waits; its call is lost"),
        }
    }

    /// The right to admit a call, if its admission waits for nothing.
    fn admission_without_waiting(&self, call: &RawCall) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        if !self.gate.parts.store.never_waits() || !admit::is_read_at_once(call) {
            return None;
        }
        // Fair: a call that waits for its admission gets the lock before this one.
        let admission = self.open.live.admission.try_lock().ok()?;
        (!self.open.running.has_stopping()).then_some(admission)
    }

    /// Takes a call of the model, or of the handler of `parent_attempt`.
    pub(in crate::gate) async fn execute_call(
        &self,
        call: RawCall,
        received: Instant,
        parent_attempt: Option<&ParentAttempt>,
    ) -> Arc<ToolResponse> {
        let arriving = self.arrive(call.id.as_ref(), HostCaller::default());
        self.admit_arrived(arriving, call, received, parent_attempt).await
    }

    pub(in crate::gate) async fn admit_arrived(
        &self,
        arriving: ArrivingCall<'_>,
        call: RawCall,
        received: Instant,
        parent_attempt: Option<&ParentAttempt>,
    ) -> Arc<ToolResponse> {
        let (reply, answer) = reply_channel();
        self.admit_in_order(arriving, call, received, parent_attempt, reply).await;
        answer.await
    }

    /// Admits a call after those that came before: first in, first out.
    async fn admit_in_order(
        &self,
        arriving: ArrivingCall<'_>,
        call: RawCall,
        received: Instant,
        parent_attempt: Option<&ParentAttempt>,
        reply: ResponseSink,
    ) {
        let left = {
            // Released as soon as the handler has been started.
            let _admission = self.open.live.admission.lock().await;
            self.open.running.stopped().await;
            self.take_call(arriving, call, received, parent_attempt, reply).await
        };
        if let Some(left) = left {
            Box::pin(self.admit_after(*left, parent_attempt)).await;
        }
    }

    /// Admits a call, and starts or answers it. Returns a call that leaves its admission.
    async fn take_call(
        &self,
        arriving: ArrivingCall<'_>,
        call: RawCall,
        received: Instant,
        parent_attempt: Option<&ParentAttempt>,
        reply: ResponseSink,
    ) -> Option<Box<LeftCall>> {
        if parent_attempt.is_some_and(|parent_attempt| !self.is_running(parent_attempt)) {
            reply(Arc::new(self.parent_ended(&call, received, parent_attempt)));
            return None;
        }
        let reply = if parent_attempt.is_none() {
            self.enter_turn_of(call.message.as_ref(), received).await;
            self.timed_reply(reply)
        } else {
            reply
        };
        // After a turn has begun: it may have brought the set of a reload.
        let tools = self.attachment.tools();
        let reader = if parent_attempt.is_none() { Reader::Model } else { Reader::Host };
        // Boxed, so that this rare case does not enlarge the future of every call.
        if let Some(reason) = arriving.cancel_reason()
            && let Some((header, response)) =
                Box::pin(self.cancelled_before_admission(&tools, &call, received, reason)).await
        {
            self.caller(header, None, reader, reply).respond(Arc::new(response));
            return None;
        }
        let mut may = tools.may_leave(&call.name);
        // A call that meets a record would be counted twice among its parent's calls.
        may.reconciles &= parent_attempt.is_none();
        let copy = (may != MayLeave::default()).then(|| Box::new(call.clone()));
        let came_before = CameBefore::nothing(may);
        let result = self.admit(&tools, parent_attempt, call, received, &came_before).await;
        let (result, arriving, reply) = match copy {
            None => (result, arriving, reply),
            Some(call) => match LeftCall::new(result, (*call, received), came_before, arriving, reply) {
                Ok(left) => return Some(Box::new(left)),
                Err(on) => on,
            },
        };
        self.dispatch(result, arriving.end(), parent_attempt, reader, reply).await;
        None
    }

    /// Asks the question that the call would ask, and runs nothing. `None` if the call asks none.
    pub async fn ask(&self, call: RawCall) -> Option<Arc<ToolResponse>> {
        let received = Instant::now();
        let (reply, answer) = reply_channel();
        let mut checked = None;
        let mut reply = Some(reply);
        while let Some(mut to) = reply.take() {
            let unchecked = {
                let _admission = self.open.live.admission.lock().await;
                self.open.running.stopped().await;
                if checked.is_none() {
                    self.enter_turn_of(call.message.as_ref(), received).await;
                    to = self.timed_reply(to);
                }
                let tools = self.attachment.tools();
                let mut context = self.admission_context(&tools, None);
                context.schema_check = checked.as_ref().map_or(SchemaCheck::First, SchemaCheck::Done);
                let mut result = admit::ask(&context, call.clone(), received).await?;
                match result.admission {
                    Admission::Check(unchecked) => unchecked,
                    admission => {
                        result.admission = admission;
                        self.dispatch(result, HostCaller::default(), None, Reader::Host, to).await;
                        break;
                    }
                }
            };
            reply = Some(to);
            checked = Some(self.check_by_schema(unchecked, None, None).await);
        }
        Some(answer.await)
    }

    pub(in crate::gate) fn caller(
        &self,
        header: Arc<CallHeader>,
        counted: Option<Fingerprint>,
        reader: Reader,
        reply: ResponseSink,
    ) -> WaitingCaller {
        let (gate, open) = (Arc::clone(&self.gate), Arc::clone(&self.open));
        WaitingCaller { gate, open, header, counted, reader, number: None, is_confirmed: false, reply: Some(reply) }
    }

    pub(in crate::gate) fn admission_context<'a>(
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
            store: &self.gate.parts.store,
            record_location: RecordLocation::Store,
            closing: self.gate.is_closing(),
            limits: self.gate.parts.limits.args,
            repair: self.gate.parts.repair,
            reconciling: Reconciling::Never,
            owed_result_ms: self.gate.parts.limits.owed_result_ms,
            schema_check: SchemaCheck::Never,
            now: self.gate.now(),
        }
    }

    /// Starts an admitted call, or joins the running one, or answers. Happens before the next call is admitted, so that
    /// an equal call finds this one.
    pub(in crate::gate) async fn dispatch(
        &self,
        result: AdmissionResult,
        HostCaller { number, cancelled }: HostCaller,
        parent_attempt: Option<&ParentAttempt>,
        reader: Reader,
        reply: ResponseSink,
    ) {
        let AdmissionResult { header, mut counted, admission } = result;
        if matches!(&admission, Admission::Refuse(error) if error.kind == ErrorType::LoopDetected) {
            // A refusal by the loop guard is no outcome that the guard counts.
            counted = None;
        }
        // What is still being admitted when the gate closes does not run: its handler would start after the closing.
        let cancelled = cancelled.or_else(|| self.gate.is_closing().then(|| CLOSING.to_owned()));
        if let Some(done) = header.duplicate_of {
            self.emit(&call_facts::duplicate_found(&header, &admission, done, self.gate.now()));
        }
        if let Admission::Run(call) = &admission {
            self.emit_grant_used(call);
        }
        let mut caller = self.caller(header, counted, reader, reply);
        caller.number = number;
        match (admission, cancelled) {
            (Admission::Run(call), None) => self.start_or_answer(caller, call, parent_attempt).await,
            (Admission::Run(call), Some(reason)) => {
                // Cancelled while its arguments were parsed: nothing has run, and the record is deleted.
                Box::pin(self.gate.record(&self.open, &call, EndOfCall::default())).await;
                caller.cancel(reason, CancellationEffect::Aborted);
            }
            (Admission::Replay(_, record), _) => {
                let response = self.answers().replay(&caller.header, &record);
                caller.respond(Arc::new(response));
            }
            (Admission::Join(_, _, record), Some(reason)) => {
                let leaves_effects = record.effect.may_leave_effects();
                let effect = if leaves_effects { CancellationEffect::Unknown } else { CancellationEffect::Continues };
                caller.cancel(reason, effect);
            }
            (Admission::Join(location, key, record), None) => {
                Box::pin(self.join(caller, location, &key, &record)).await;
            }
            (Admission::Ask(question, asked, error), _) => {
                let (call, expires) = (call_facts::call_facts(&caller.header), question.expires);
                let shown = &self.gate.shown_facts(self.id(), &question);
                self.emit(&Event::ConfirmationRequested { call, expires, shown });
                if asked == Asked::Now {
                    self.notify(ConfirmationChange::Requested, &question, AnswerFacts::default(), None);
                }
                let response = refusal_of_admission(self.answers(), &caller.header, error);
                caller.respond(Arc::new(response));
            }
            (Admission::Counted(question, _), _) => caller.refuse(admit::needs_more(&question)),
            // It has come first, or nothing waits for it.
            (Admission::Reconcile(uncertain), _) => caller.refuse(admit::outcome_unknown(&uncertain.tool.id)),
            (Admission::Check(unchecked), _) => caller.refuse(admit::not_checked(&unchecked.tool.id)),
            (Admission::StoreFailed(error) | Admission::Refuse(error), _) => caller.refuse(error),
        }
    }

    async fn start_or_answer(
        &self,
        caller: WaitingCaller,
        call: Box<AdmittedCall>,
        parent_attempt: Option<&ParentAttempt>,
    ) {
        match self.cached_result(&call) {
            Some(cached) => {
                let response = Box::pin(self.answer_from_cache(cached, &call)).await;
                caller.respond(response);
            }
            None => self.start(caller, call, parent_attempt),
        }
    }

    fn start(&self, caller: WaitingCaller, call: Box<AdmittedCall>, parent_attempt: Option<&ParentAttempt>) {
        let owner = if parent_attempt.is_some() { SlotOwner::Parent } else { SlotOwner::Call };
        let entry = self.open.concurrency.request(SlotRequest::for_tool(&call.tool, owner));
        let when_cancelled = call.tool.when_cancelled();
        let execution = Arc::new(if entry.begins_at_once() {
            Execution::running(when_cancelled)
        } else {
            Execution::waiting(when_cancelled)
        });
        // A new execution has not answered yet, so the caller joins it.
        let _ = execution.join(caller.header.call_id.clone(), caller.number, caller.into_receiver(None));
        self.open.running.insert(RunningKey::of_call(&call), Arc::clone(&execution));
        if let Some(parent_attempt) = parent_attempt {
            parent_attempt.register(&execution);
        }
        let (attachment, listener_id) = (self.attachment.id, self.listener_id);
        let lease = self.gate.hold_claim(self.id(), &call);
        let is_delivered = deferring::is_delivered(self, &call);
        let holder = call.is_held.then(|| Arc::clone(&self.attachment));
        if let Some(holder) = &holder {
            holder.delivery().hold_direct(call.epoch, call.header.call_id.clone());
            self.gate.renew_while_held(holder);
        }
        let open = Arc::clone(&self.open);
        let task = CallTask { open, attachment, listener_id, call, execution, is_delivered, holder, lease };
        (self.gate.parts.spawner)(Box::pin(run_call::run_call(Arc::clone(&self.gate), task, entry)));
    }

    /// The cached result of an equal call.
    fn cached_result(&self, call: &AdmittedCall) -> Option<CachedResult> {
        self.open.live.result_cache.lock().get(call.cache.as_ref()?, self.gate.now())
    }

    /// Answers an admitted call from the cache: it is recorded and counted like any call, but its handler does not run.
    async fn answer_from_cache(&self, cached: CachedResult, call: &AdmittedCall) -> Arc<ToolResponse> {
        if cached.truncated.is_some() {
            let full = self.gate.full_results.find(&cached.source_idempotency_key).map(|full| full.data);
            self.gate.keep_full_result(&self.open, call, full);
        }
        let mut response = Arc::new(crate::settle::answer::from_cache(call, cached, self.gate.now()));
        let record = RecordState::Settled(Arc::clone(&response));
        let end = EndOfCall { state: Some(record), is_heard: true, ..EndOfCall::default() };
        if !self.gate.record(&self.open, call, end).await {
            add_warning(&mut response, "unrecorded".to_owned());
        }
        self.gate.emit_executed(self.id(), call, &response, ExecutionEnd::Cached);
        response
    }
}
