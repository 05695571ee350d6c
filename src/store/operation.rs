//! The operations of a session store: one list, for all stores.
//!
//! A request names what is asked; [`Request::apply`] does it, as a plain function on the session's document, its rows and
//! the time. What a store of several processes has to know of a request besides stands here too: the rows that it reads,
//! and what becomes of it if its caller does not wait for the answer.

use std::sync::Arc;

use super::document::{self, OperationOutput, OperationResult, SessionDocument};
use super::grants::{Grant, ListGrants, RevokeGrant};
use super::limits::{CallCount, CountCall, CountStep};
use super::outcome::{CallName, CallOutcome, ReadOutcome};
use super::overview;
use super::owed::{Deferral, DeferralResult, EndDelivery, ListOwed, OwedCall, TakeOwed, TakenOwed};
use super::question_requests::{
    AskRequest, CloseQuestion, ExpiryReport, FindQuestion, FoundQuestion, ListPending, ReadGiven, ReadToken,
    ReportExpiry,
};
use super::questions::given_row;
use super::reconcile::{BeginReconcile, EndReconcile, ReadRecord, ReconcileBegun, ReconcileEnded};
use super::rows::Rows;
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::session::key::RecordKey;
use crate::session::state::StateChange;
use crate::store::attaching::{AttachRequest, AttachedSession, BegunTurn, TurnStarter};
use crate::store::claim::{CallLookup, CallLookupResult, Claim, ClaimResult, Renewal, Settlement};
use crate::store::error::StoreError;
use crate::store::question::{AskResult, GivenQuestion, Question, TokenState};
use crate::store::record::Record;
use crate::store::row_names::{RowKey, question_rows};

/// What is asked of a session that is there, with the type of its answer.
pub(super) trait Request: Sized + Send {
    /// The answer.
    type Answer: Send;
    /// The session.
    fn session(&self) -> &SessionId;
    /// The caller's time; 0 if the request needs none.
    fn asked_at(&self) -> EpochMs;
    /// Does what is asked. `now` is the store's time.
    fn apply(self, document: &mut SessionDocument, rows: &mut dyn Rows, now: EpochMs) -> OperationResult<Self::Answer>;
    /// The operation.
    fn into_operation(self) -> Operation;
    /// The answer of this operation; `None` if it is the answer of another one.
    fn read(answer: Answer) -> Option<Self::Answer>;
}

/// Makes the lists of operations and answers. Each line is an operation: its request, its answer, and how it is done.
macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        $name:ident: $request:ty => $answer:ty = |$asked:pat_param, $document:ident, $rows:ident, $now:ident| $done:expr;
    )*) => {
        /// An operation on one session, atomic on its own.
        #[expect(clippy::large_enum_variant, reason = "most operations of a call are claims: a box would cost each of them")]
        #[derive(Debug, Clone)]
        pub enum Operation {
            /// Creates or resumes a session.
            Attach(AttachRequest),
            /// Reads the key of fingerprints that all processes of the store share; `None` if the store is private to this
            /// process.
            ReadKey(ReadKey),
            $($(#[$doc])* $name($request),)*
        }

        /// The answer to an operation.
        #[derive(Debug, Clone)]
        pub enum Answer {
            /// The session.
            Attach(AttachedSession),
            /// The key.
            ReadKey(Option<HashKey>),
            $($(#[$doc])* $name($answer),)*
        }

        impl Request for Operation {
            type Answer = Answer;

            fn session(&self) -> &SessionId {
                match self {
                    Self::Attach(request) => &request.session,
                    Self::ReadKey(request) => &request.session,
                    $(Self::$name(request) => &request.session,)*
                }
            }

            fn asked_at(&self) -> EpochMs {
                match self {
                    Self::Attach(request) => request.now,
                    Self::ReadKey(_) => 0,
                    $(Self::$name(request) => request.now,)*
                }
            }

            fn apply(self, document: &mut SessionDocument, rows: &mut dyn Rows, now: EpochMs) -> OperationResult<Answer> {
                match self {
                    // Both are done without a session.
                    Self::Attach(_) | Self::ReadKey(_) => Err(StoreError::SessionEnded),
                    $(Self::$name(request) => request.apply(document, rows, now).map(answer(Answer::$name)),)*
                }
            }

            fn into_operation(self) -> Operation {
                self
            }

            fn read(answer: Answer) -> Option<Answer> {
                Some(answer)
            }
        }

        $(impl Request for $request {
            type Answer = $answer;

            fn session(&self) -> &SessionId {
                &self.session
            }

            fn asked_at(&self) -> EpochMs {
                self.now
            }

            fn apply(self, $document: &mut SessionDocument, $rows: &mut dyn Rows, $now: EpochMs) -> OperationResult<$answer> {
                let $asked = self;
                $done
            }

            fn into_operation(self) -> Operation {
                Operation::$name(self)
            }

            fn read(answer: Answer) -> Option<$answer> {
                if let Answer::$name(answer) = answer { Some(answer) } else { None }
            }
        })*
    };
}

operations! {
    /// Begins a turn.
    BeginTurn: BeginTurn => BegunTurn = |BeginTurn { turn_id, starter, known, .. }, document, _rows, now|
        document.begin_turn(turn_id.as_deref(), starter, known, now);
    /// Reads a record and the usage counters.
    LookUp: CallLookup => CallLookupResult = |lookup, document, rows, now| document.look_up(&lookup, rows, now);
    /// Gives the record of a call without id a name.
    AliasRecord: AliasRecord => Option<Arc<Record>> = |alias, document, rows, _now|
        document.alias_record(&alias.unnamed, &alias.named, rows);
    /// Claims a call.
    Claim: Claim => ClaimResult = |claim, document, rows, now| document.claim(claim, rows, now);
    /// Counts a call among its principal's, or gives the count back.
    CountCall: CountCall => CallCount = |count, document, rows, now| document.count_call(&count, rows, now);
    /// Settles a claim. False if the record no longer belongs to this claim.
    Settle: Settlement => bool = |settlement, document, rows, now|
        document.settle(Settlement { now, ..settlement }, rows);
    /// Extends a claim's lease. False if the record no longer belongs to this claim.
    Renew: Renewal => bool = |renewal, document, rows, now| document.renew(&renewal, rows, now);
    /// Takes a step of a call out of its process.
    Defer: Deferral => DeferralResult = |deferral, document, rows, now| document.defer(&deferral, rows, now);
    /// Takes the next owed result.
    TakeOwed: TakeOwed => TakenOwed = |take, document, rows, now| document.take_owed(&take, rows, now);
    /// Ends the delivery of a result. False if the attachment does not hold it.
    EndDelivery: EndDelivery => bool = |end, document, rows, _now| document.end_delivery(&end, rows);
    /// Lists the calls whose results are owed.
    ListOwed: ListOwed => Vec<OwedCall> = |_, document, rows, now| document.list_owed(rows, now);
    /// Reads the record of a principal's call.
    ReadRecord: ReadRecord => Option<Arc<Record>> = |read, document, rows, now| document.read_record(&read, rows, now);
    /// Claims the reconcile of a call whose outcome is uncertain.
    BeginReconcile: BeginReconcile => ReconcileBegun = |begin, document, rows, now|
        document.begin_reconcile(&begin, rows, now);
    /// Ends a reconcile. Changes nothing if it no longer belongs to its claim.
    EndReconcile: EndReconcile => ReconcileEnded = |end, document, rows, now| document.end_reconcile(end, rows, now);
    /// Adds a question.
    Ask: AskRequest => AskResult = |ask, document, rows, now| document.ask(ask, rows, now);
    /// Reads the state of a token's question.
    ReadToken: ReadToken => TokenState = |read, document, rows, now| document.token_state(&read.token, rows, now);
    /// Reads the questions that the calls with an id were given first.
    ReadGiven: ReadGiven => Vec<GivenQuestion> = |read, document, rows, now| document.given_questions(&read, rows, now);
    /// Reads what became of a call.
    ReadOutcome: ReadOutcome => CallOutcome = |read, document, rows, now| document.read_outcome(&read, rows, now);
    /// Closes a question.
    CloseQuestion: CloseQuestion => Option<Arc<Question>> = |CloseQuestion { token, closing, .. }, document, rows, now|
        document.close_question(&token, closing, rows, now);
    /// Finds the question that an id names.
    FindQuestion: FindQuestion => FoundQuestion = |find, document, rows, now| document.find_question(&find.id, rows, now);
    /// Notes that it was reported that a question has expired.
    ReportExpiry: ReportExpiry => ExpiryReport = |report, document, rows, now|
        document.report_expiry(&report.id, rows, now);
    /// Lists the pending questions.
    ListPending: ListPending => Vec<Arc<Question>> = |_, document, rows, now| document.pending_questions(rows, now);
    /// Lists the grants.
    ListGrants: ListGrants => Vec<Grant> = |_, document, _rows, now| document.list_grants(now);
    /// Ends a grant. `None` if it had ended.
    RevokeGrant: RevokeGrant => Option<Grant> = |revoke, document, _rows, now| document.revoke_grant(&revoke.id, now);
    /// Saves changes of the state.
    SaveState: SaveState => () = |save, document, _rows, _now| document.save_state(save.changes);
    /// Pins a session to another tool set.
    PinTools: PinTools => () = |pin, document, _rows, _now| document.pin_tools(pin.tools_version);
    /// Ends a session. The questions that were pending.
    End: EndSession => Vec<Arc<Question>> = |end, document, rows, now| document.end(end.changes, rows, now);
    /// Ends a session as it is now. False if it had ended.
    EndActive: EndActive => bool = |end, document, rows, _now| overview::end_active(document, rows, end.now);
}

/// A request to begin a turn, once per id.
#[derive(Debug, Clone)]
pub struct BeginTurn {
    pub(super) session: SessionId,
    pub(super) turn_id: Option<String>,
    pub(super) starter: TurnStarter,
    /// The state revision that the caller has.
    pub(super) known: u64,
    pub(super) now: EpochMs,
}

/// A request to make `named` an alias of the record of a call without id.
#[derive(Debug, Clone)]
pub struct AliasRecord {
    pub(super) session: SessionId,
    pub(super) unnamed: RecordKey,
    pub(super) named: RecordKey,
    pub(super) now: EpochMs,
}

/// A request to save changes of the state.
#[derive(Debug, Clone)]
pub struct SaveState {
    pub(super) session: SessionId,
    pub(super) changes: Vec<StateChange>,
    pub(super) now: EpochMs,
}

/// A request to pin a session to another tool set.
#[derive(Debug, Clone)]
pub struct PinTools {
    pub(super) session: SessionId,
    pub(super) tools_version: Arc<str>,
    pub(super) now: EpochMs,
}

/// A request to end a session, with the changes that end it.
#[derive(Debug, Clone)]
pub struct EndSession {
    pub(super) session: SessionId,
    pub(super) changes: Vec<StateChange>,
    pub(super) now: EpochMs,
}

/// A request to end a session from outside of the processes that use it.
#[derive(Debug, Clone)]
pub struct EndActive {
    pub(super) session: SessionId,
    pub(super) now: EpochMs,
}

/// A request for the key of fingerprints.
#[derive(Debug, Clone)]
pub struct ReadKey {
    /// Any id: the session need not exist.
    pub(super) session: SessionId,
}

impl Operation {
    /// The rows that the operation will read: a server fetches them with the document.
    pub(super) fn needed_rows(&self) -> Vec<RowKey> {
        let calls = |keys: &[&RecordKey]| keys.iter().map(|&key| RowKey::Call(key.clone())).collect();
        match self {
            Self::Settle(Settlement { key, .. })
            | Self::Renew(Renewal { key, .. })
            | Self::Defer(Deferral { key, .. })
            | Self::ReadRecord(ReadRecord { key, .. })
            | Self::BeginReconcile(BeginReconcile { key, .. })
            | Self::EndReconcile(EndReconcile { key, .. }) => calls(&[key]),
            Self::LookUp(CallLookup { key, act, .. }) | Self::Claim(Claim { key, act, .. }) => {
                let act = act.iter().map(|act| RowKey::Act(act.name.0.clone()));
                std::iter::once(RowKey::Call(key.clone())).chain(act).collect()
            }
            Self::CountCall(count) => count.rows(),
            Self::Ask(AskRequest { act: Some(act), .. }) => vec![RowKey::Act(act.name.0.clone())],
            Self::AliasRecord(AliasRecord { unnamed, named, .. }) => calls(&[unnamed, named]),
            Self::ReadToken(ReadToken { token, .. }) | Self::CloseQuestion(CloseQuestion { token, .. }) => {
                question_rows(token).into()
            }
            Self::ReadOutcome(ReadOutcome { name: CallName::Token(token), .. }) => question_rows(token).into(),
            Self::ReadOutcome(ReadOutcome { name: CallName::Call(id), .. })
            | Self::ReadGiven(ReadGiven { call_id: id, .. }) => vec![given_row(id)],
            _ => Vec::new(),
        }
    }

    /// Whether the rows that the operation will read are most likely absent, so that a server need not be asked for them.
    pub(super) const fn expects_new_rows(&self) -> bool {
        matches!(self, Self::Claim(_))
    }

    /// Whether the operation usually changes nothing, so that it needs no lock against other writers.
    pub(super) const fn is_look(&self) -> bool {
        matches!(
            self,
            Self::LookUp(_)
                | Self::ReadKey(_)
                | Self::ListOwed(_)
                | Self::ReadRecord(_)
                | Self::ReadOutcome(_)
                | Self::CountCall(CountCall { step: CountStep::Look, .. })
        )
    }

    /// Whether the operation is done even if its caller no longer waits: a call's outcome is recorded, and what it has not
    /// used is given back.
    pub(super) const fn outlives_its_caller(&self) -> bool {
        matches!(self, Self::Settle(_) | Self::CountCall(CountCall { step: CountStep::GiveBack { .. }, .. }))
    }

    /// Whether the operation is tried even if the store has failed repeatedly: it is about a call that has run, or runs.
    pub(super) const fn is_always_tried(&self) -> bool {
        matches!(self, Self::Settle(_) | Self::Renew(_))
    }

    /// Whether the operation is revoked if too few replicas have it: a claim of a write.
    pub(super) const fn needs_replicas(&self) -> bool {
        matches!(self, Self::Claim(claim) if claim.effect.may_leave_effects())
    }

    /// The operation that undoes this one, if its caller does not learn of the answer: a claim is released, and a count given
    /// back, since nothing has run.
    pub(super) fn undoing(&self, answer: &Answer) -> Option<Self> {
        if let (Self::CountCall(count), Answer::CountCall(counted)) = (self, answer) {
            let step = CountStep::GiveBack { at: counted.at };
            return count.is_counted(counted).then(|| Self::CountCall(CountCall { step, ..count.clone() }));
        }
        let (Self::Claim(Claim { session, key, .. }), Answer::Claim(ClaimResult::Granted { epoch, .. })) =
            (self, answer)
        else {
            return None;
        };
        let (session, key) = (session.clone(), key.clone());
        Some(Self::Settle(Settlement {
            session,
            key,
            epoch: *epoch,
            state: None,
            is_heard: false,
            owed: None,
            changes: Vec::new(),
            now: 0,
        }))
    }

    /// Does the operation, on the session in the slot. `now` is the store's time.
    pub(super) fn apply_in(
        self,
        slot: &mut Option<SessionDocument>,
        rows: &mut dyn Rows,
        fingerprint_key: HashKey,
        now: EpochMs,
    ) -> OperationResult<Answer> {
        match self {
            Self::Attach(attach) => {
                document::attach(slot, attach, rows, fingerprint_key, now).map(answer(Answer::Attach))
            }
            Self::ReadKey(_) => Ok(OperationOutput { answer: Answer::ReadKey(Some(fingerprint_key)), changed: false }),
            other => other.apply(slot.as_mut().ok_or(StoreError::SessionEnded)?, rows, now),
        }
    }
}

/// The output of an operation, with its answer as one of all answers.
fn answer<T>(name: impl FnOnce(T) -> Answer) -> impl FnOnce(OperationOutput<T>) -> OperationOutput<Answer> {
    |OperationOutput { answer, changed }| OperationOutput { answer: name(answer), changed }
}
