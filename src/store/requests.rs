//! The operations of a store by name, as their callers make them.

use std::sync::Arc;

use futures_util::FutureExt;

use super::grants::{Grant, GrantedCall, ListGrants, RevokeGrant};
use super::limits::{CallCount, CountCall};
use super::operation::{
    AliasRecord, Answer, BeginTurn, EndActive, EndSession, Operation, PinTools, ReadKey, Request, SaveState,
};
use super::outcome::{CallName, CallOutcome, ReadOutcome};
use super::owed::{Deferral, DeferralResult, EndDelivery, ListOwed, OwedCall, TakeOwed, TakenOwed};
use super::question_requests::{
    AskRequest, CloseQuestion, ExpiryReport, FindQuestion, FoundQuestion, ListPending, ReadGiven, ReadToken,
    ReportExpiry,
};
use super::reconcile::{BeginReconcile, EndReconcile, ReadRecord, ReconcileBegun, ReconcileEnded};
use crate::call::{CallId, SessionId};
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::session::key::{RecordKey, kept_id};
use crate::session::state::StateChange;
use crate::store::acts::Act;
use crate::store::api::Store;
use crate::store::attaching::{AttachRequest, AttachedSession, BegunTurn, TurnStarter};
use crate::store::claim::{CallLookup, CallLookupResult, Claim, ClaimResult, Renewal, Settlement};
use crate::store::error::StoreError;
use crate::store::question::{AskResult, Closing, GivenQuestion, Question, TokenState};
use crate::store::record::Record;

/// Stands for the answer to a request.
macro_rules! answer_of {
    ($answer:ty) => { impl Future<Output = Result<$answer, StoreError>> + Send };
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
        self.operate(Operation::Attach(attach)).map(|answer| match answer? {
            Answer::Attach(attached) => Ok(attached),
            _ => Err(other_answer()),
        })
    }
    /// Increments the session's turn, once per id. For the host, removes the message for the new turn from the state.
    /// `known` is the state revision that the caller has.
    fn begin_turn(
        &self,
        session: &SessionId,
        turn_id: Option<&str>,
        starter: TurnStarter,
        known: u64,
        now: EpochMs,
    ) -> answer_of!(BegunTurn) {
        // A page can send an id of any length, and the session keeps the last ones.
        let turn_id = turn_id.map(|id| kept_id(id).into_owned());
        self.request(BeginTurn { session: session.clone(), turn_id, starter, known, now })
    }
    /// Reads a record and the usage counters. Debits nothing.
    fn look_up(&self, lookup: CallLookup) -> answer_of!(CallLookupResult) {
        self.request(lookup)
    }
    /// Makes `named` an alias of the record of a call without id, once per record. `None` if there is no such record.
    fn alias_record(
        &self,
        session: &SessionId,
        unnamed: &RecordKey,
        named: &RecordKey,
    ) -> answer_of!(Option<Arc<Record>>) {
        self.request(AliasRecord { session: session.clone(), unnamed: unnamed.clone(), named: named.clone(), now: 0 })
    }
    /// Claims a call: the claim stage of admission.
    fn claim(&self, claim: Claim) -> answer_of!(ClaimResult) {
        self.request(claim)
    }
    /// Counts a call among its principal's, or gives the count back.
    fn count_call(&self, count: CountCall) -> answer_of!(CallCount) {
        self.request(count)
    }
    /// Settles a claim. False if the record no longer belongs to this claim.
    fn settle(&self, settlement: Settlement) -> answer_of!(bool) {
        self.request(settlement)
    }
    /// Extends a claim's lease. False if the record no longer belongs to this claim.
    fn renew(&self, renewal: Renewal) -> answer_of!(bool) {
        self.request(renewal)
    }
    /// Takes a step of a call out of its process.
    fn defer(&self, deferral: Deferral) -> answer_of!(DeferralResult) {
        self.request(deferral)
    }
    /// Takes the next owed result, and renews those that the attachment holds.
    fn take_owed(&self, take: TakeOwed) -> answer_of!(TakenOwed) {
        self.request(take)
    }
    /// Ends the delivery of a result. False if the attachment does not hold it.
    fn end_delivery(&self, end: EndDelivery) -> answer_of!(bool) {
        self.request(end)
    }
    /// The calls whose results are owed, and those that may be completed from elsewhere, oldest first.
    fn list_owed(&self, session: &SessionId, now: EpochMs) -> answer_of!(Vec<OwedCall>) {
        self.request(ListOwed { session: session.clone(), now })
    }
    /// Reads what became of a principal's call, also after its session's end. `None` if the session has no such record.
    fn read_record(&self, read: ReadRecord) -> answer_of!(Option<Arc<Record>>) {
        self.request(read)
    }
    /// Claims the reconcile of a call whose outcome is uncertain.
    fn begin_reconcile(&self, begin: BeginReconcile) -> answer_of!(ReconcileBegun) {
        self.request(begin)
    }
    /// Ends a reconcile. Changes nothing if it no longer belongs to its claim.
    fn end_reconcile(&self, end: EndReconcile) -> answer_of!(ReconcileEnded) {
        self.request(end)
    }
    /// Adds a question to the user, unless an equal question is pending, was confirmed in this turn or the previous one, or
    /// was denied repeatedly in this turn.
    fn ask(&self, session: &SessionId, question: Question, now: EpochMs) -> answer_of!(AskResult) {
        self.ask_about(session, question, None, now)
    }
    /// The same for a call whose act may have been done before: its question must say so.
    fn ask_about(
        &self,
        session: &SessionId,
        question: Question,
        act: Option<Act>,
        now: EpochMs,
    ) -> answer_of!(AskResult) {
        self.ask_unless_granted(session, question, act, None, now)
    }
    /// The same for a call that needs no question if a grant covers it.
    fn ask_unless_granted(
        &self,
        session: &SessionId,
        question: Question,
        act: Option<Act>,
        call: Option<Arc<GrantedCall>>,
        now: EpochMs,
    ) -> answer_of!(AskResult) {
        self.request(AskRequest {
            session: session.clone(),
            question: Box::new(question),
            act,
            call,
            only_known: false,
            now,
        })
    }
    /// What the same would answer. Where it would add the question, [`AskResult::New`], and nothing is added.
    fn ask_if_known(
        &self,
        session: &SessionId,
        question: Question,
        act: Option<Act>,
        call: Option<Arc<GrantedCall>>,
        now: EpochMs,
    ) -> answer_of!(AskResult) {
        self.request(AskRequest {
            session: session.clone(),
            question: Box::new(question),
            act,
            call,
            only_known: true,
            now,
        })
    }
    /// The grants, the oldest first.
    fn grants(&self, session: &SessionId, now: EpochMs) -> answer_of!(Vec<Grant>) {
        self.request(ListGrants { session: session.clone(), now })
    }
    /// Ends a grant before its time. `None` if it had ended.
    fn revoke_grant(&self, session: &SessionId, id: &str, now: EpochMs) -> answer_of!(Option<Grant>) {
        self.request(RevokeGrant { session: session.clone(), id: id.to_owned(), now })
    }
    /// The state of a token's question.
    fn token_state(&self, session: &SessionId, token: &str, now: EpochMs) -> answer_of!(TokenState) {
        self.request(ReadToken { session: session.clone(), token: token.to_owned(), now })
    }
    /// The questions that the calls with this id were given first, as of a turn: the latest call first.
    fn given_questions(
        &self,
        session: &SessionId,
        call_id: &CallId,
        turn: u32,
        now: EpochMs,
    ) -> answer_of!(Vec<GivenQuestion>) {
        self.request(ReadGiven { session: session.clone(), call_id: call_id.clone(), turn, now })
    }
    /// What became of a call. Only looks: it answers nothing, and changes nothing.
    fn outcome(&self, session: &SessionId, name: CallName, turn: u32, now: EpochMs) -> answer_of!(CallOutcome) {
        self.request(ReadOutcome { session: session.clone(), name, turn, now })
    }
    /// Closes a question without running it. `None` if it was not pending.
    fn close_question(
        &self,
        session: &SessionId,
        token: &str,
        closing: Closing,
        now: EpochMs,
    ) -> answer_of!(Option<Arc<Question>>) {
        self.request(CloseQuestion { session: session.clone(), token: token.to_owned(), closing, now })
    }
    /// The question that an id names, and whose session it is.
    fn find_question(&self, session: &SessionId, id: &str, now: EpochMs) -> answer_of!(FoundQuestion) {
        self.request(FindQuestion { session: session.clone(), id: id.to_owned(), now })
    }
    /// Notes that it was reported that a question has expired: only one caller is to report it.
    fn report_expiry(&self, session: &SessionId, id: &str, now: EpochMs) -> answer_of!(ExpiryReport) {
        self.request(ReportExpiry { session: session.clone(), id: id.to_owned(), now })
    }
    /// The pending questions, oldest first.
    fn pending_questions(&self, session: &SessionId, now: EpochMs) -> answer_of!(Vec<Arc<Question>>) {
        self.request(ListPending { session: session.clone(), now })
    }
    /// Saves the host's changes of the state; concurrent changes of other processes are kept.
    fn save_state(&self, session: &SessionId, changes: Vec<StateChange>) -> answer_of!(()) {
        self.request(SaveState { session: session.clone(), changes, now: 0 })
    }
    /// Pins a session to another tool set.
    fn pin_tools(&self, session: &SessionId, tools_version: Arc<str>) -> answer_of!(()) {
        self.request(PinTools { session: session.clone(), tools_version, now: 0 })
    }
    /// Ends a session: questions are deleted, records stay until the session is dropped. The questions that were pending.
    fn end(&self, session: &SessionId, changes: Vec<StateChange>) -> answer_of!(Vec<Arc<Question>>) {
        self.request(EndSession { session: session.clone(), changes, now: 0 })
    }
    /// Ends a session as it is now. False if it had ended.
    fn end_active(&self, session: &SessionId, now: EpochMs) -> answer_of!(bool) {
        self.request(EndActive { session: session.clone(), now })
    }
    /// The key of fingerprints that all processes of the store share; `None` if the store is private to this process.
    fn installation_key(&self) -> answer_of!(Option<HashKey>) {
        // The key is that of every session, also of one that does not exist.
        self.operate(Operation::ReadKey(ReadKey { session: "".into() })).map(|answer| match answer? {
            Answer::ReadKey(key) => Ok(key),
            _ => Err(other_answer()),
        })
    }
}

impl<S: Store + ?Sized> StoreRequests for S {
    fn operate(&self, operation: Operation) -> answer_of!(Answer) {
        self.perform(operation)
    }
}

/// The answer to a request that was made as one of all operations. Not an `async` block, which would hold the answer twice.
pub(super) fn by_operation<T>(answer: answer_of!(Answer), read: fn(Answer) -> Option<T>) -> answer_of!(T) {
    answer.map(move |answer| read(answer?).ok_or_else(other_answer))
}

fn other_answer() -> StoreError {
    StoreError::Failed("it answered another operation".to_owned())
}
