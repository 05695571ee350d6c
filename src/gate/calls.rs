//! One call, from its arrival to its one answer.

use std::sync::Arc;

use tokio::sync::oneshot::Receiver;
use tokio::time::Instant;

use super::drive::{self, Driven};
use super::facts::{self, How};
use super::follow::Follower;
use super::running::Arriving;
use super::session::Session;
use super::within::Calling;
use crate::admit::{self, Admission, AdmittedCall, Desk, Header, KeptIn, Verdict};
use crate::call::RawCall;
use crate::error::{ErrorType, ToolError};
use crate::observe::event::Event;
use crate::registry::ToolSet;
use crate::response::ToolResponse;
use crate::run::execution::{Answer, Cancelled, Execution, Left};
use crate::run::lanes::{Entry, Seat, Want};
use crate::session::cache::CachedResult;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::store::{CallLookup, Record, RecordState};

/// A call behind admission: answered, or waiting for its execution.
enum Dispatched {
    Answered(Arc<ToolResponse>),
    Waiting { answer: Receiver<Answer>, original_turn: Option<u32> },
}

impl Dispatched {
    fn answered(response: ToolResponse) -> Self {
        Self::Answered(Arc::new(response))
    }
}

impl Session {
    /// Takes a call through the gate. Always exactly one answer.
    pub async fn execute(&self, call: RawCall) -> Arc<ToolResponse> {
        self.take(call, Instant::now(), None).await
    }

    /// Takes a call of the model's, or of a handler.
    pub(super) async fn take(&self, call: RawCall, received: Instant, calling: Option<&Calling>) -> Arc<ToolResponse> {
        let arriving = self.open.running.arrive(call.id.clone());
        self.admit_arrived(arriving, call, received, calling).await
    }

    pub(super) async fn admit_arrived(
        &self,
        arriving: Arriving<'_>,
        call: RawCall,
        received: Instant,
        calling: Option<&Calling>,
    ) -> Arc<ToolResponse> {
        let (header, counted, dispatched) = {
            // First in, first out; let go as soon as the handler has been started.
            let _admission = self.open.live.admission.lock().await;
            self.open.running.stopped().await;
            let tools = self.attachment.tools();
            if calling.is_some_and(|calling| !self.goes_on(calling)) {
                return Arc::new(self.over(&call, received, calling));
            }
            if let Some(reason) = arriving.cancelled() {
                self.cancelled_in_line(&tools, &call, received, reason)
            } else {
                let verdict = self.admit(&tools, calling, call, received).await;
                self.dispatch(verdict, arriving.over(), calling).await
            }
        };
        let response = self.answered(&header, dispatched).await;
        self.remember(&header, counted, response)
    }

    /// A call that was cancelled before its admission began: nothing is looked at, recorded or debited.
    fn cancelled_in_line(
        &self,
        tools: &ToolSet,
        call: &RawCall,
        received: Instant,
        reason: String,
    ) -> (Arc<Header>, Option<Fingerprint>, Dispatched) {
        let mut header = Header::of(&self.desk(tools, None), call, received);
        header.tool = tools.get(&call.name).cloned();
        let response = self.cancelled(&header, &Cancelled { reason, left: Left::Aborted });
        (Arc::new(header), None, Dispatched::answered(response))
    }

    /// A user's yes. Runs the call as it was shown, or says why not.
    pub async fn confirm(&self, token: &str) -> Arc<ToolResponse> {
        let received = Instant::now();
        let (header, dispatched) = {
            let _admission = self.open.live.admission.lock().await;
            let tools = self.attachment.tools();
            let mode = |name: &str| self.mode_that_asked(name);
            let verdict = admit::admit_confirmed(&self.desk(&tools, None), token, mode, received).await;
            self.dispatch_confirmed(verdict).await
        };
        self.answered(&header, dispatched).await
    }

    /// As [`confirm`](Self::confirm), of the question that this call asked: it runs as it was shown. A call that nobody was
    /// asked about does not run, and asks nothing.
    pub async fn approve(&self, call: RawCall) -> Arc<ToolResponse> {
        let received = Instant::now();
        let (header, dispatched) = {
            let _admission = self.open.live.admission.lock().await;
            let tools = self.attachment.tools();
            let mode = |name: &str| self.mode_that_asked(name);
            let verdict = admit::admit_approved(&self.desk(&tools, None), call, mode, received).await;
            self.dispatch_confirmed(verdict).await
        };
        self.answered(&header, dispatched).await
    }

    /// Asks what a call would ask, and runs nothing. `None` where it asks nothing.
    pub async fn ask(&self, call: RawCall) -> Option<Arc<ToolResponse>> {
        let received = Instant::now();
        let _admission = self.open.live.admission.lock().await;
        self.open.running.stopped().await;
        let tools = self.attachment.tools();
        let verdict = admit::ask(&self.desk(&tools, None), call, received).await?;
        let (header, counted, dispatched) = self.dispatch(verdict, None, None).await;
        let response = self.answered(&header, dispatched).await;
        Some(self.remember(&header, counted, response))
    }

    async fn dispatch_confirmed(&self, verdict: Verdict) -> (Arc<Header>, Dispatched) {
        match &verdict.admission {
            Admission::Run(call) => {
                self.tell(&Event::ConfirmationGranted { call: facts::of(&call.header) });
            }
            Admission::Refuse(error) if closed_unanswered(error) => {
                self.tell(&Event::ConfirmationExpired { tool_id: &verdict.header.name });
            }
            _ => {}
        }
        let (header, _, dispatched) = self.dispatch(verdict, None, None).await;
        (header, dispatched)
    }

    pub(super) fn desk<'a>(&'a self, tools: &'a ToolSet, calling: Option<&'a Calling>) -> Desk<'a> {
        Desk {
            room: if calling.is_some() { &self.open.seats_of_parents } else { &self.open.own_seats },
            parent: calling.map(|calling| &calling.parent),
            attachment: &self.attachment,
            tools,
            store: &*self.gate.parts.store,
            kept_in: KeptIn::Store,
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
        verdict: Verdict,
        cancelled: Option<String>,
        calling: Option<&Calling>,
    ) -> (Arc<Header>, Option<Fingerprint>, Dispatched) {
        let Verdict { header, mut counted, admission } = verdict;
        let dispatched = match admission {
            Admission::Run(call) => self.start_or_cancel(&header, call, cancelled, calling).await,
            Admission::Replay(record) => Dispatched::answered(self.replay(&header, &record)),
            Admission::Join(key, record) => match cancelled {
                Some(reason) => {
                    let left = if record.effect.may_leave_effects() { Left::Unknown } else { Left::Continues };
                    Dispatched::answered(self.cancelled(&header, &Cancelled { reason, left }))
                }
                None => Box::pin(self.join(&header, &key, &record)).await,
            },
            Admission::Ask(question, error) => {
                let event = Event::ConfirmationRequested { call: facts::of(&header), expires: question.expires };
                self.tell(&event);
                Dispatched::answered(admit_refused(self, &header, error))
            }
            Admission::StoreFailed(error) => Dispatched::answered(self.refuse(&header, error)),
            Admission::Refuse(error) => {
                if error.kind == ErrorType::LoopDetected {
                    // What the guard refused is not one more outcome of the call.
                    counted = None;
                }
                Dispatched::answered(self.refuse(&header, error))
            }
        };
        (header, counted, dispatched)
    }

    async fn start_or_cancel(
        &self,
        header: &Header,
        call: Box<AdmittedCall>,
        cancelled: Option<String>,
        calling: Option<&Calling>,
    ) -> Dispatched {
        let Some(reason) = cancelled else {
            return match self.kept(&call) {
                Some(kept) => Dispatched::Answered(Box::pin(self.answer_with(kept, &call)).await),
                None => self.start(header, call, calling),
            };
        };
        // Cancelled while its arguments were read: the record goes, nothing has run.
        Box::pin(self.gate.record(&self.open, &call, None, Vec::new())).await;
        let cancelled = Cancelled { reason, left: Left::Aborted };
        Dispatched::answered(self.cancelled(header, &cancelled))
    }

    fn start(&self, header: &Header, call: Box<AdmittedCall>, calling: Option<&Calling>) -> Dispatched {
        let seat = if calling.is_some() { Seat::OfParent } else { Seat::Own };
        let entry = self.open.lanes.enter(Want::of(&call.tool, seat));
        let execution = Arc::new(match &entry {
            Entry::Now(_) => Execution::running(call.tool.when_cancelled()),
            Entry::Later(_) => Execution::waiting(call.tool.when_cancelled()),
        });
        let waiting = execution.join(header.call_id.clone());
        self.open.running.insert(call.key.clone(), Arc::clone(&execution));
        if let Some(calling) = calling {
            calling.made(&execution);
        }
        let (attachment, ears) = (self.attachment.id, self.ears);
        let driven = Driven { open: Arc::clone(&self.open), attachment, ears, call, execution };
        (self.gate.parts.spawner)(Box::pin(drive::drive(Arc::clone(&self.gate), driven, entry)));
        match waiting {
            Some(answer) => Dispatched::Waiting { answer, original_turn: None },
            // A new execution has not answered yet.
            None => Dispatched::answered(self.refuse(header, lost())),
        }
    }

    /// A kept result of an equal call.
    fn kept(&self, call: &AdmittedCall) -> Option<CachedResult> {
        self.open.live.result_cache.lock().get(call.cache.as_ref()?, self.gate.now())
    }

    /// Answers an admitted call with a kept result: it is recorded and counted, only its handler does not run.
    async fn answer_with(&self, kept: CachedResult, call: &AdmittedCall) -> Arc<ToolResponse> {
        if kept.truncated.is_some() {
            self.open.live.full_results.lock().copy_to(&kept.source_idempotency_key, Arc::clone(&call.idempotency_key));
        }
        let mut response = Arc::new(crate::settle::answer::kept(call, kept, self.gate.now()));
        let record = RecordState::Settled(Arc::clone(&response));
        if !self.gate.record(&self.open, call, Some(record), Vec::new()).await {
            warn(&mut response, "unrecorded".to_owned());
        }
        self.gate.tell_executed(Some(self.id().as_str()), call, &response, How::Cached);
        response
    }

    async fn join(&self, header: &Arc<Header>, key: &RecordKey, record: &Record) -> Dispatched {
        let joined = self.open.running.get(key).and_then(|execution| execution.join(header.call_id.clone()));
        if let Some(answer) = joined {
            return Dispatched::Waiting { answer, original_turn: Some(record.turn) };
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
                Dispatched::answered(self.replay(header, &record))
            }
            Some(record) if record.state == RecordState::Started && self.gate.parts.store.lease().is_some() => {
                self.join_elsewhere(header, key, &record)
            }
            _ => Dispatched::answered(self.refuse(header, lost())),
        }
    }

    /// Waits for a call that another process runs.
    fn join_elsewhere(&self, header: &Arc<Header>, key: &RecordKey, record: &Record) -> Dispatched {
        let execution = Arc::new(Execution::running(record.effect.cancellation_policy(None)));
        // It ran for none of those who wait here, and goes on without them: the look-out is the first of its callers.
        drop(execution.join(None));
        let waiting = execution.join(header.call_id.clone());
        self.open.running.insert(key.clone(), Arc::clone(&execution));
        let (gate, open) = (Arc::clone(&self.gate), Arc::clone(&self.open));
        let follower = Follower { gate, open, header: Arc::clone(header), key: key.clone(), execution };
        (self.gate.parts.spawner)(Box::pin(follower.follow()));
        match waiting {
            Some(answer) => Dispatched::Waiting { answer, original_turn: Some(record.turn) },
            None => Dispatched::answered(self.refuse(header, lost())),
        }
    }

    async fn answered(&self, header: &Header, dispatched: Dispatched) -> Arc<ToolResponse> {
        let (answer, original_turn) = match dispatched {
            Dispatched::Answered(response) => return response,
            Dispatched::Waiting { answer, original_turn } => (answer, original_turn),
        };
        Arc::new(match answer.await {
            Ok(Answer::Settled { response, first }) => match original_turn {
                None => return response,
                // Who started it was cancelled: it ran for this call.
                Some(_) if first => crate::settle::answer::taken_over(header, &response, self.gate.now()),
                Some(turn) => self.again(header, &response, turn, 0),
            },
            Ok(Answer::Cancelled(cancelled)) => self.cancelled(header, &cancelled),
            Ok(Answer::Refused(error)) => self.refuse(header, ToolError::clone(&error)),
            Err(_) => self.refuse(header, lost()),
        })
    }

    /// The loop guard hears of every call that it counts, refusals included.
    fn remember(
        &self,
        header: &Header,
        counted: Option<Fingerprint>,
        mut response: Arc<ToolResponse>,
    ) -> Arc<ToolResponse> {
        let Some(call) = counted else { return response };
        let repeated = self.open.live.loop_history.lock().remember(header.turn, call, &response.outcome);
        if let Some(times) = repeated {
            warn(&mut response, format!("this call has had the same outcome {times} times in this turn"));
            self.tell(&Event::LoopDetected { call: facts::of(header), refused: false });
        }
        response
    }

    fn replay(&self, header: &Header, record: &Record) -> ToolResponse {
        match &record.state {
            RecordState::Settled(first) => {
                let age_ms = self.gate.now().saturating_sub(record.claimed_at);
                self.again(header, first, record.turn, age_ms)
            }
            _ => self.refuse(header, lost()),
        }
    }

    fn again(&self, header: &Header, first: &ToolResponse, original_turn: u32, age_ms: u64) -> ToolResponse {
        self.tell(&Event::ToolReplayed { call: facts::of(header), original_turn, age_ms });
        crate::settle::answer::again(header, first, original_turn, self.gate.now())
    }

    pub(super) fn cancelled(&self, header: &Header, cancelled: &Cancelled) -> ToolResponse {
        self.tell(&Event::ToolCancelled {
            call: facts::of(header),
            reason: &cancelled.reason,
            outcome: cancelled.left.as_str(),
        });
        crate::settle::answer::cancelled(header, cancelled, self.gate.now())
    }

    fn refuse(&self, header: &Header, error: ToolError) -> ToolResponse {
        match error.kind {
            ErrorType::BudgetExceeded => self.tell(&Event::BudgetWarning { call: facts::of(header) }),
            ErrorType::LoopDetected => self.tell(&Event::LoopDetected { call: facts::of(header), refused: true }),
            _ => {}
        }
        admit_refused(self, header, error)
    }
}

fn admit_refused(session: &Session, header: &Header, error: ToolError) -> ToolResponse {
    session.tell(&Event::ToolRefused { call: facts::of(header), error_type: error.kind, message: &error.message });
    crate::settle::answer::refused(header, error, session.gate.now())
}

/// Adds a warning to an answer. What is recorded of it already stays as it is.
pub(super) fn warn(response: &mut Arc<ToolResponse>, warning: String) {
    Arc::make_mut(response).meta.warnings.push(warning);
}

/// Whether a confirmation came for a question that had closed by itself: it waited too long, or its tool changed.
fn closed_unanswered(error: &ToolError) -> bool {
    #[derive(serde::Deserialize)]
    struct Closed {
        reason: String,
    }
    let details = || serde_json::from_str::<Closed>(error.details.as_ref()?.as_str()).ok();
    error.kind == ErrorType::ConfirmationExpired
        && details().is_some_and(|closed| matches!(&*closed.reason, "expired" | "version"))
}

/// An execution that went away without an answer: its task was dropped, at the gate's end.
fn lost() -> ToolError {
    ToolError::new(ErrorType::Conflict, "this call was started and its outcome is not known; it is not run again")
        .with_details(serde_json::json!({ "outcome": "unknown" }))
        .with_side_effects()
}
