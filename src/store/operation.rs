//! The operations of a session store: one list, for all stores.
//!
//! A line gives an operation's name, the method by which callers ask for it, its answer, and how it is done: as a plain
//! function on the session's document, its rows and the time.

use std::sync::Arc;

use futures_util::FutureExt;

use super::document::{self, OperationOutput, OperationResult, SessionDocument};
use super::grants::Grant;
use super::limits::{CallCount, CountCall};
use super::outcome::{CallName, CallOutcome};
use super::overview;
use super::owed::{Deferral, DeferralResult, EndDelivery, OwedCall, TakeOwed, TakenOwed};
use super::question_requests::{AskRequest, ExpiryReport, FoundQuestion};
use super::reconcile::{BeginReconcile, EndReconcile, ReadRecord, ReconcileBegun, ReconcileEnded};
use super::rows::Rows;
use crate::call::{CallId, SessionId};
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::session::key::RecordKey;
use crate::session::state::StateChange;
use crate::store::attaching::{AttachRequest, AttachedSession, BegunTurn, TurnStarter};
use crate::store::claim::{CallLookup, CallLookupResult, Claim, ClaimResult, Renewal, Settlement};
use crate::store::error::StoreError;
use crate::store::question::{AskResult, Closing, GivenQuestion, Question, TokenState};
use crate::store::record::Record;

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

/// Stands for the answer to a request.
macro_rules! answer_of {
    ($answer:ty) => { impl Future<Output = Result<$answer, StoreError>> + Send };
}

/// Makes the method by which an operation is asked for. It takes the request, or the parts that it is made of.
macro_rules! method {
    ($(#[$doc:meta])* $method:ident($request:ident) -> $answer:ty) => {
        $(#[$doc])*
        fn $method(&self, request: $request) -> answer_of!($answer) {
            self.request(request)
        }
    };
    (
        $(#[$doc:meta])*
        $method:ident(
            $request:ident { $(&$lent:ident: $lent_type:ty,)* $($own:ident: $own_type:ty),* } $(, $now:ident)?
        ) -> $answer:ty
    ) => {
        $(#[$doc])*
        fn $method(
            &self,
            session: &SessionId,
            $($lent: &$lent_type,)*
            $($own: $own_type,)*
            $($now: EpochMs,)?
        ) -> answer_of!($answer) {
            self.request($request {
                session: session.clone(),
                $($lent: $lent.to_owned(),)*
                $($own,)*
                now: asked_at!($($now)?),
            })
        }
    };
}

/// The time of a request, which may need none.
macro_rules! asked_at {
    () => {
        0
    };
    ($now:ident) => {
        $now
    };
}

/// Makes the lists of operations and answers, the methods of [`StoreRequests`], and types of requests.
///
/// A line is `Name: method(Request) -> Answer = how it is done;`. The type of the request stands elsewhere, or the line gives
/// its parts: `Name: method(Request { &lent: str, own: u32 }, now) -> ...`. The method takes these parts, after the session. A
/// part that it takes by reference comes first, with a comma behind it. `now` is there if the request has a time.
macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        $name:ident: $method:ident(
            $request:ident $({ $(&$lent:ident: $lent_type:ty,)* $($own:ident: $own_type:ty),* })? $(, $time:ident)?
        ) -> $answer:ty = |$asked:pat_param, $document:ident, $rows:ident, $now:ident| $done:expr;
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

        /// What is asked of a store.
        #[expect(private_bounds, private_interfaces, reason = "the requests are those of the list: no other room makes one")]
        pub trait StoreRequests {
            /// Does an operation.
            fn operate(&self, operation: Operation) -> answer_of!(Answer);

            /// Does what is asked, and returns the answer.
            fn request<R: Request>(&self, request: R) -> answer_of!(R::Answer) {
                by_operation(self.operate(request.into_operation()), R::read)
            }

            /// Creates or resumes a session.
            fn attach(&self, attach: AttachRequest) -> answer_of!(AttachedSession) {
                by_operation(self.operate(Operation::Attach(attach)), |answer| match answer {
                    Answer::Attach(attached) => Some(attached),
                    _ => None,
                })
            }

            /// The key of fingerprints that all processes of the store share; `None` if the store is private to this process.
            fn installation_key(&self) -> answer_of!(Option<HashKey>) {
                // The key is that of every session, also of one that does not exist.
                by_operation(self.operate(Operation::ReadKey(ReadKey { session: "".into() })), |answer| match answer {
                    Answer::ReadKey(key) => Some(key),
                    _ => None,
                })
            }

            $(method! {
                $(#[$doc])*
                $method($request $({ $(&$lent: $lent_type,)* $($own: $own_type),* })? $(, $time)?) -> $answer
            })*
        }

        $($(
            #[doc = concat!("A request of [`StoreRequests::", stringify!($method), "`].")]
            #[derive(Debug, Clone)]
            pub struct $request {
                pub(super) session: SessionId,
                $(pub(super) $lent: <$lent_type as ToOwned>::Owned,)*
                $(pub(super) $own: $own_type,)*
                pub(super) now: EpochMs,
            }
        )?)*

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
    /// Increments the session's turn, once per id. For the host, removes the message for the new turn from the state.
    /// `known` is the state revision that the caller has.
    BeginTurn: begin_turn(BeginTurn { turn_id: Option<String>, starter: TurnStarter, known: u64 }, now) -> BegunTurn =
        |begin, document, _rows, now| document.begin_turn(begin.turn_id.as_deref(), begin.starter, begin.known, now);
    /// Reads a record and the usage counters. Debits nothing.
    LookUp: look_up(CallLookup) -> CallLookupResult =
        |lookup, document, rows, now| document.look_up(&lookup, rows, now);
    /// Makes `named` an alias of the record of a call without id, once per record. `None` if there is no such record.
    AliasRecord: alias_record(AliasRecord { &unnamed: RecordKey, &named: RecordKey, }) -> Option<Arc<Record>> =
        |alias, document, rows, _now| document.alias_record(&alias.unnamed, &alias.named, rows);
    /// Claims a call: the claim stage of admission.
    Claim: claim(Claim) -> ClaimResult = |claim, document, rows, now| document.claim(claim, rows, now);
    /// Counts a call among its principal's, or gives the count back.
    CountCall: count_call(CountCall) -> CallCount = |count, document, rows, now| document.count_call(&count, rows, now);
    /// Settles a claim. False if the record no longer belongs to this claim.
    Settle: settle(Settlement) -> bool =
        |settlement, document, rows, now| document.settle(Settlement { now, ..settlement }, rows);
    /// Extends a claim's lease. False if the record no longer belongs to this claim.
    Renew: renew(Renewal) -> bool = |renewal, document, rows, now| document.renew(&renewal, rows, now);
    /// Takes a step of a call out of its process.
    Defer: defer(Deferral) -> DeferralResult = |deferral, document, rows, now| document.defer(&deferral, rows, now);
    /// Takes the next owed result, and renews those that the attachment holds.
    TakeOwed: take_owed(TakeOwed) -> TakenOwed = |take, document, rows, now| document.take_owed(&take, rows, now);
    /// Ends the delivery of a result. False if the attachment does not hold it.
    EndDelivery: end_delivery(EndDelivery) -> bool = |end, document, rows, _now| document.end_delivery(&end, rows);
    /// The calls whose results are owed, and those that may be completed from elsewhere, oldest first.
    ListOwed: list_owed(ListOwed {}, now) -> Vec<OwedCall> = |_, document, rows, now| document.list_owed(rows, now);
    /// Reads what became of a principal's call, also after its session's end. `None` if the session has no such record.
    ReadRecord: read_record(ReadRecord) -> Option<Arc<Record>> =
        |read, document, rows, now| document.read_record(&read, rows, now);
    /// Claims the reconcile of a call whose outcome is uncertain.
    BeginReconcile: begin_reconcile(BeginReconcile) -> ReconcileBegun =
        |begin, document, rows, now| document.begin_reconcile(&begin, rows, now);
    /// Ends a reconcile. Changes nothing if it no longer belongs to its claim.
    EndReconcile: end_reconcile(EndReconcile) -> ReconcileEnded =
        |end, document, rows, now| document.end_reconcile(end, rows, now);
    /// Adds a question to the user, unless an equal question is pending, was confirmed in this turn or the previous one, or
    /// was denied repeatedly in this turn.
    Ask: ask(AskRequest) -> AskResult = |ask, document, rows, now| document.ask(ask, rows, now);
    /// The state of a token's question.
    ReadToken: token_state(ReadToken { &token: str, }, now) -> TokenState =
        |read, document, rows, now| document.token_state(&read.token, rows, now);
    /// The questions that the calls with this id were given first, as of a turn: the latest call first.
    ReadGiven: given_questions(ReadGiven { &call_id: CallId, turn: u32 }, now) -> Vec<GivenQuestion> =
        |read, document, rows, now| document.given_questions(&read.call_id, read.turn, rows, now);
    /// What became of a call. Only looks: it answers nothing, and changes nothing. `turn` is the attachment's: an id can be
    /// another call's in each turn.
    ReadOutcome: outcome(ReadOutcome { name: CallName, turn: u32 }, now) -> CallOutcome =
        |read, document, rows, now| document.read_outcome(&read.name, read.turn, rows, now);
    /// Closes a question without running it. `None` if it was not pending.
    CloseQuestion: close_question(CloseQuestion { &token: str, closing: Closing }, now) -> Option<Arc<Question>> =
        |close, document, rows, now| document.close_question(&close.token, close.closing, rows, now);
    /// The question that an id names, and whose session it is.
    FindQuestion: find_question(FindQuestion { &id: str, }, now) -> FoundQuestion =
        |find, document, rows, now| document.find_question(&find.id, rows, now);
    /// Notes that it was reported that a question has expired: only one caller is to report it.
    ReportExpiry: report_expiry(ReportExpiry { &id: str, }, now) -> ExpiryReport =
        |report, document, rows, now| document.report_expiry(&report.id, rows, now);
    /// The pending questions, oldest first.
    ListPending: pending_questions(ListPending {}, now) -> Vec<Arc<Question>> =
        |_, document, rows, now| document.pending_questions(rows, now);
    /// The grants, the oldest first.
    ListGrants: grants(ListGrants {}, now) -> Vec<Grant> = |_, document, _rows, now| document.list_grants(now);
    /// Ends a grant before its time. `None` if it had ended.
    RevokeGrant: revoke_grant(RevokeGrant { &id: str, }, now) -> Option<Grant> =
        |revoke, document, _rows, now| document.revoke_grant(&revoke.id, now);
    /// Saves the host's changes of the state; concurrent changes of other processes are kept.
    SaveState: save_state(SaveState { changes: Vec<StateChange> }) -> () =
        |save, document, _rows, _now| document.save_state(save.changes);
    /// Pins a session to another tool set.
    PinTools: pin_tools(PinTools { tools_version: Arc<str> }) -> () =
        |pin, document, _rows, _now| document.pin_tools(pin.tools_version);
    /// Ends a session: questions are deleted, records stay until the session is dropped. The questions that were pending.
    End: end(EndSession { changes: Vec<StateChange> }) -> Vec<Arc<Question>> =
        |end, document, rows, now| document.end(end.changes, rows, now);
    /// Ends a session as it is now. False if it had ended.
    EndActive: end_active(EndActive {}, now) -> bool =
        |end, document, rows, _now| overview::end_active(document, rows, end.now);
}

/// A request for the key of fingerprints.
#[derive(Debug, Clone)]
pub struct ReadKey {
    /// Any id: the session need not exist.
    pub(super) session: SessionId,
}

/// The answer to a request that was made as one of all operations. Not an `async` block, which would hold the answer twice.
pub(super) fn by_operation<T>(answer: answer_of!(Answer), read: fn(Answer) -> Option<T>) -> answer_of!(T) {
    let other = || StoreError::Failed("it answered another operation".to_owned());
    answer.map(move |answer| read(answer?).ok_or_else(other))
}

impl Operation {
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
