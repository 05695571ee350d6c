//! Reconciling one record: its tool finds out what the call has done. One reconcile of a record runs at a time, in all processes on the
//! store; it has a deadline of its own, and whatever goes wrong leaves the record as it is.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::admit::{self, CallHeader, Reservation, UncertainRecord};
use crate::call::ReconcileOutcome;
use crate::clock::to_iso8601;
use crate::error::{ErrorType, ToolError};
use crate::gate::Gate;
use crate::gate::calls::call_facts::call_facts;
use crate::gate::reconcile::reconcile_answer::{self, ReconcileAnswer};
use crate::gate::run::aside::AsideStopped;
use crate::gate::run::attempts::to_whole_ms;
use crate::gate::sessions::attachment::Session;
use crate::observe::event::Event;
use crate::registry::CompiledTool;
use crate::response::{Meta, ToolResponse};
use crate::run::{HandlerOutcome, Invocation, Started};
use crate::session::key::idempotency_key;
use crate::session::policy::Mode;
use crate::settle::NormalizedOutcome;
use crate::store::reconcile::{
    BeginReconcile, CallOrigin, EndReconcile, ReconcileBegun, ReconcileEnded, ReconcileFound, ReconcileGrant,
};
use crate::store::{Claimant, RecordState, StoreRequests};

/// The longest time of a reconcile: a call waits for it. A tool with a shorter timeout has that.
const MAX_TIMEOUT: Duration = Duration::from_secs(10);
/// How much longer its claim is held: the store is asked within that time.
const HOLD_MARGIN: Duration = Duration::from_secs(5);
/// The time after a reconcile that found nothing out in which no other one of the record runs.
const PAUSE: Duration = Duration::from_secs(10);
/// The interval of looks at a record that another caller reconciles.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// Who has a record reconciled.
pub(in crate::gate) struct Reconcile<'a> {
    pub(in crate::gate) gate: &'a Gate,
    /// The attachment whose services the tool gets; 0 for the registry's.
    pub(in crate::gate) attachment: u64,
    pub(in crate::gate) mode: Arc<Mode>,
    pub(in crate::gate) registry_version: Arc<str>,
    /// Whether to wait for a reconcile of the record that runs elsewhere.
    pub(in crate::gate) waits: bool,
}

impl<'a> Reconcile<'a> {
    /// For a call of an attachment.
    pub(in crate::gate) fn for_attachment(session: &'a Session) -> Self {
        Self {
            gate: &session.gate,
            attachment: session.attachment.id,
            mode: Arc::clone(&session.attachment.mode),
            registry_version: session.tools_version(),
            waits: true,
        }
    }

    /// Finds out what the call of a record has done, and records it. `None` if there was nothing to find out, or not now.
    pub(in crate::gate) async fn run(&self, uncertain: &UncertainRecord) -> Option<ReconcileOutcome> {
        let timeout = timeout_of(&uncertain.tool);
        let _running = self.gate.asides.begin();
        let grant = self.begin(uncertain, timeout).await?;
        let args = grant.kept.as_ref().and_then(|kept| kept.args.clone()).or_else(|| uncertain.args.clone())?;
        let answered = self.ask(uncertain, &grant, args, timeout).await;
        let (answer, problem) = match answered {
            Ok(answer) => (answer, None),
            Err(problem) => (ReconcileAnswer::Unknown, Some(problem)),
        };
        let (outcome, problem) = self.end(uncertain, &grant, answer, problem).await;
        if let Some(problem) = &problem {
            let tool = &*uncertain.tool.id;
            tracing::warn!(tool, problem, "a call's outcome stays unknown: its reconcile gave no answer");
        }
        self.emit(uncertain, &grant, outcome, problem.as_deref());
        Some(outcome)
    }

    /// Claims the reconcile; waits, if it is to, while another one of the record runs.
    async fn begin(&self, uncertain: &UncertainRecord, timeout: Duration) -> Option<Box<ReconcileGrant>> {
        let hold = timeout + HOLD_MARGIN;
        let begin = BeginReconcile {
            session: uncertain.session.clone(),
            key: uncertain.key.clone(),
            epoch: uncertain.epoch,
            has_args: uncertain.args.is_some(),
            hold_ms: to_whole_ms(hold),
            claimant: self.gate.parts.store.lease().and_then(|_| Claimant::this_process()),
            now: 0,
        };
        let until = Instant::now() + hold;
        loop {
            let answer =
                self.gate.parts.store.begin_reconcile(BeginReconcile { now: self.gate.now(), ..begin.clone() });
            match answer.await {
                Ok(ReconcileBegun::Granted(grant)) => return Some(grant),
                Ok(ReconcileBegun::Running) if self.waits && Instant::now() < until && !self.gate.is_closing() => {
                    tokio::time::sleep(LOOK_INTERVAL).await;
                }
                Ok(_) => return None,
                Err(error) => {
                    tracing::warn!(%error, "a call of unknown outcome could not be reconciled");
                    return None;
                }
            }
        }
    }

    /// Asks the tool. An error says why its answer is of no use.
    async fn ask(
        &self,
        uncertain: &UncertainRecord,
        grant: &ReconcileGrant,
        args: Arc<str>,
        timeout: Duration,
    ) -> Result<ReconcileAnswer, String> {
        let gate = self.gate;
        let invocation = Invocation {
            id: gate.next_id(),
            tool: Arc::clone(&uncertain.tool),
            attachment: self.attachment,
            args,
            call_id: grant.record.call_id.clone(),
            mode: Arc::clone(&self.mode.name),
            attempt: 1,
            idempotency_key: key_of(uncertain, grant),
            deadline: Some(gate.now().saturating_add(to_whole_ms(timeout))),
            clamped: Vec::new(),
            starts: Started::Reconcile(grant.record.claimed_at),
        };
        match gate.asides.run(&gate.parts.handlers, invocation, timeout, std::future::pending()).await {
            Ok(outcome) => self.read(uncertain, outcome),
            Err(AsideStopped::Timeout) => Err(format!("it did not answer within {} ms", timeout.as_millis())),
            Err(AsideStopped::Closing | AsideStopped::Cancelled) => Err("the registry was closed".to_owned()),
        }
    }

    fn read(&self, uncertain: &UncertainRecord, outcome: HandlerOutcome) -> Result<ReconcileAnswer, String> {
        reconcile_answer::read(&uncertain.tool, &self.mode, self.gate.parts.limits.max_result_bytes, outcome)
    }

    /// Records what was found out. Returns what came of it, with the reason if that is nothing.
    async fn end(
        &self,
        uncertain: &UncertainRecord,
        grant: &ReconcileGrant,
        answer: ReconcileAnswer,
        problem: Option<String>,
    ) -> (ReconcileOutcome, Option<String>) {
        let (outcome, found) = match answer {
            ReconcileAnswer::Happened(result) => {
                (ReconcileOutcome::Happened, self.happened(uncertain, grant, result.map(|result| *result)))
            }
            ReconcileAnswer::NotHappened => (ReconcileOutcome::NotHappened, self.not_happened(uncertain, grant)),
            ReconcileAnswer::Unknown => (ReconcileOutcome::Unknown, ReconcileFound::Unknown),
        };
        let act = match &found {
            ReconcileFound::Happened { state, .. } => Some(Some(state.clone())),
            ReconcileFound::NotHappened { .. } => Some(None),
            ReconcileFound::Unknown => None,
        };
        let end = EndReconcile {
            session: uncertain.session.clone(),
            key: grant.key.clone(),
            epoch: grant.record.epoch,
            number: grant.number,
            found,
            pause_ms: to_whole_ms(PAUSE),
            now: self.gate.now(),
        };
        let nothing = |why: &str| (ReconcileOutcome::Unknown, Some(why.to_owned()));
        match self.gate.parts.store.end_reconcile(end).await {
            Ok(ReconcileEnded::Recorded) => {
                if let Some((act, reservation)) = act.zip(reservation_of(uncertain, grant)) {
                    reservation.settle(&self.gate.parts.store, act, self.gate.now()).await;
                }
                if let Some(open) = self.gate.sessions.peek(&uncertain.session) {
                    open.results_changed();
                }
                (outcome, problem)
            }
            Ok(ReconcileEnded::MayStillRun) => nothing("it has not happened yet, and its handler may still run"),
            Ok(ReconcileEnded::Lost) => nothing("the call ended meanwhile, or was reconciled by another process"),
            Err(error) => nothing(&error.to_string()),
        }
    }

    fn happened(
        &self,
        uncertain: &UncertainRecord,
        grant: &ReconcileGrant,
        result: Option<NormalizedOutcome>,
    ) -> ReconcileFound {
        let Some(NormalizedOutcome { outcome, truncated, warnings, .. }) = result else {
            let ran_as = key_of(uncertain, grant);
            let owed = self.response(uncertain, grant, admit::forgotten(&uncertain.tool.id, true, Some(&ran_as)));
            return ReconcileFound::Happened { state: RecordState::Forgotten { ok: true }, owed };
        };
        let meta = Meta { truncated, warnings, ..self.meta(uncertain, grant, ReconcileOutcome::Happened) };
        let response = Arc::new(ToolResponse { outcome, meta });
        ReconcileFound::Happened { state: RecordState::Settled(Arc::clone(&response)), owed: response }
    }

    fn not_happened(&self, uncertain: &UncertainRecord, grant: &ReconcileGrant) -> ReconcileFound {
        let message = format!("this call of `{}` has not happened; it can be made again", uncertain.tool.id);
        let error = ToolError::new(ErrorType::Transient, message).retryable_after(None);
        let mut owed = self.response(uncertain, grant, error);
        Arc::make_mut(&mut owed).meta.reconciled = Some(ReconcileOutcome::NotHappened);
        ReconcileFound::NotHappened { owed }
    }

    fn response(&self, uncertain: &UncertainRecord, grant: &ReconcileGrant, error: ToolError) -> Arc<ToolResponse> {
        let meta = self.meta(uncertain, grant, ReconcileOutcome::Happened);
        Arc::new(ToolResponse { outcome: error.into(), meta })
    }

    /// The meta of the call's result, as it is recorded.
    fn meta(&self, uncertain: &UncertainRecord, grant: &ReconcileGrant, outcome: ReconcileOutcome) -> Meta {
        let now = self.gate.now();
        #[expect(clippy::cast_precision_loss, reason = "exact for 285,000 years")]
        let duration = now.saturating_sub(grant.record.claimed_at) as f64;
        let CallOrigin { repaired, edited, defaulted, clamped, grant: granted } =
            grant.kept.as_ref().map(|kept| kept.origin.clone()).unwrap_or_default();
        Meta {
            duration,
            timestamp: to_iso8601(now),
            idempotency_key: Some(key_of(uncertain, grant)),
            repaired,
            edited,
            defaulted,
            clamped,
            grant: granted,
            reconciled: Some(outcome),
            ..self.header(uncertain, grant).meta(now)
        }
    }

    /// The call of the record.
    fn header(&self, uncertain: &UncertainRecord, grant: &ReconcileGrant) -> CallHeader {
        CallHeader {
            name: Arc::clone(&uncertain.tool.id),
            call_id: grant.record.call_id.clone(),
            tool: Some(Arc::clone(&uncertain.tool)),
            registry_version: Arc::clone(&self.registry_version),
            mode: Arc::clone(&self.mode),
            turn: grant.record.turn,
            parent: None,
            waits: false,
            repaired: Vec::new(),
            edited: Vec::new(),
            defaulted: Vec::new(),
            grant: None,
            duplicate_of: None,
            reconciled: None,
            received: Instant::now(),
        }
    }

    fn emit(
        &self,
        uncertain: &UncertainRecord,
        grant: &ReconcileGrant,
        outcome: ReconcileOutcome,
        problem: Option<&str>,
    ) {
        let header = self.header(uncertain, grant);
        let age_ms = self.gate.now().saturating_sub(grant.record.claimed_at);
        let (call, met_by) = (call_facts(&header), uncertain.met_by.as_str());
        let event = Event::Reconciled { call, outcome: outcome.as_str(), met_by, problem, age_ms };
        self.gate.emit(Some(uncertain.session.as_str()), &event);
    }
}

/// The idempotency key of the record's call.
fn key_of(uncertain: &UncertainRecord, grant: &ReconcileGrant) -> Arc<str> {
    idempotency_key(&uncertain.session, &uncertain.tool.id, &grant.key)
}

/// The reservation of the record's call among the acts of its principal: as it was met, or as it was when the call was claimed.
fn reservation_of(uncertain: &UncertainRecord, grant: &ReconcileGrant) -> Option<Reservation> {
    uncertain.reservation.clone().or_else(|| Reservation::of_call(grant.kept.as_deref()?))
}

/// The time that a tool has to find out: its timeout, and never more than a call waits for.
fn timeout_of(tool: &CompiledTool) -> Duration {
    tool.definition.timeout_ms.0.map_or(MAX_TIMEOUT, |ms| Duration::from_millis(ms).min(MAX_TIMEOUT))
}
