//! The operations of a session store: one list, for all stores.
//!
//! A request names what is asked; [`Operation::apply`] does it, as a plain function on the session's document, its rows and
//! the time. What a store of several processes has to know of a request besides stands here too: the rows that it reads,
//! and what becomes of it if its caller does not wait for the answer.

use std::sync::Arc;

use super::document::{self, OperationOutput, OperationResult, SessionDocument};
use super::grants::{Grant, ListGrants, RevokeGrant};
use super::owed::{Deferral, DeferralResult, EndDelivery, ListOwed, OwedCall, TakeOwed, TakenOwed};
use super::question_requests::{
    AskRequest, CloseQuestion, ExpiryReport, FindQuestion, FoundQuestion, ListPending, ReadToken, ReportExpiry,
};
use super::questions::question_rows;
use super::reconcile::{BeginReconcile, EndReconcile, ReadRecord, ReconcileBegun, ReconcileEnded};
use super::rows::{RowKey, Rows};
use super::{
    AskResult, AttachRequest, AttachedSession, BegunTurn, CallLookup, CallLookupResult, Claim, ClaimResult, Question,
    Record, Renewal, Settlement, StoreError, TokenState, TurnStarter, overview,
};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::session::key::RecordKey;
use crate::session::state::StateChange;

/// A request to a store, with the type of its answer.
pub trait Request: Sized + Send {
    /// The answer.
    type Answer: Send;
    /// The operation.
    fn into_operation(self) -> Operation;
    /// The answer of this operation; `None` if it is the answer of another one.
    fn read(answer: Answer) -> Option<Self::Answer>;
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident: $request:ty => $answer:ty,)*) => {
        /// An operation on one session, atomic on its own.
        #[derive(Debug, Clone)]
        pub enum Operation {
            $($(#[$doc])* $name($request),)*
        }

        /// The answer to an operation.
        #[derive(Debug, Clone)]
        pub enum Answer {
            $($(#[$doc])* $name($answer),)*
        }

        $(impl Request for $request {
            type Answer = $answer;

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
    /// Creates or resumes a session.
    Attach: AttachRequest => AttachedSession,
    /// Begins a turn.
    BeginTurn: BeginTurn => BegunTurn,
    /// Reads a record and the usage counters.
    LookUp: CallLookup => CallLookupResult,
    /// Gives the record of a call without id a name.
    AliasRecord: AliasRecord => Option<Arc<Record>>,
    /// Claims a call.
    Claim: Claim => ClaimResult,
    /// Settles a claim. False if the record no longer belongs to this claim.
    Settle: Settlement => bool,
    /// Extends a claim's lease. False if the record no longer belongs to this claim.
    Renew: Renewal => bool,
    /// Takes a step of a call out of its process.
    Defer: Deferral => DeferralResult,
    /// Takes the next owed result.
    TakeOwed: TakeOwed => TakenOwed,
    /// Ends the delivery of a result. False if the attachment does not hold it.
    EndDelivery: EndDelivery => bool,
    /// Lists the calls whose results are owed.
    ListOwed: ListOwed => Vec<OwedCall>,
    /// Reads the record of a principal's call.
    ReadRecord: ReadRecord => Option<Arc<Record>>,
    /// Claims the reconcile of a call whose outcome is uncertain.
    BeginReconcile: BeginReconcile => ReconcileBegun,
    /// Ends a reconcile. Changes nothing if it no longer belongs to its claim.
    EndReconcile: EndReconcile => ReconcileEnded,
    /// Adds a question.
    Ask: AskRequest => AskResult,
    /// Reads the state of a token's question.
    ReadToken: ReadToken => TokenState,
    /// Closes a question.
    CloseQuestion: CloseQuestion => Option<Arc<Question>>,
    /// Finds the question that an id names.
    FindQuestion: FindQuestion => FoundQuestion,
    /// Notes that it was reported that a question has expired.
    ReportExpiry: ReportExpiry => ExpiryReport,
    /// Lists the pending questions.
    ListPending: ListPending => Vec<Arc<Question>>,
    /// Lists the grants.
    ListGrants: ListGrants => Vec<Grant>,
    /// Ends a grant. `None` if it had ended.
    RevokeGrant: RevokeGrant => Option<Grant>,
    /// Saves changes of the state.
    SaveState: SaveState => (),
    /// Pins a session to another tool set.
    PinTools: PinTools => (),
    /// Ends a session.
    End: EndSession => (),
    /// Ends a session as it is now. False if it had ended.
    EndActive: EndActive => bool,
    /// Reads the key of fingerprints that all processes of the store share; `None` if the store is private to this process.
    ReadKey: ReadKey => Option<HashKey>,
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
}

/// A request to save changes of the state.
#[derive(Debug, Clone)]
pub struct SaveState {
    pub(super) session: SessionId,
    pub(super) changes: Vec<StateChange>,
}

/// A request to pin a session to another tool set.
#[derive(Debug, Clone)]
pub struct PinTools {
    pub(super) session: SessionId,
    pub(super) tools_version: Arc<str>,
}

/// A request to end a session, with the changes that end it.
#[derive(Debug, Clone)]
pub struct EndSession {
    pub(super) session: SessionId,
    pub(super) changes: Vec<StateChange>,
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
    /// The session.
    #[must_use]
    pub const fn session(&self) -> &SessionId {
        match self {
            Self::Attach(AttachRequest { session, .. })
            | Self::BeginTurn(BeginTurn { session, .. })
            | Self::LookUp(CallLookup { session, .. })
            | Self::AliasRecord(AliasRecord { session, .. })
            | Self::Claim(Claim { session, .. })
            | Self::Settle(Settlement { session, .. })
            | Self::Renew(Renewal { session, .. })
            | Self::Defer(Deferral { session, .. })
            | Self::TakeOwed(TakeOwed { session, .. })
            | Self::EndDelivery(EndDelivery { session, .. })
            | Self::ListOwed(ListOwed { session, .. })
            | Self::ReadRecord(ReadRecord { session, .. })
            | Self::BeginReconcile(BeginReconcile { session, .. })
            | Self::EndReconcile(EndReconcile { session, .. })
            | Self::Ask(AskRequest { session, .. })
            | Self::ReadToken(ReadToken { session, .. })
            | Self::CloseQuestion(CloseQuestion { session, .. })
            | Self::FindQuestion(FindQuestion { session, .. })
            | Self::ReportExpiry(ReportExpiry { session, .. })
            | Self::ListPending(ListPending { session, .. })
            | Self::ListGrants(ListGrants { session, .. })
            | Self::RevokeGrant(RevokeGrant { session, .. })
            | Self::SaveState(SaveState { session, .. })
            | Self::PinTools(PinTools { session, .. })
            | Self::End(EndSession { session, .. })
            | Self::EndActive(EndActive { session, .. })
            | Self::ReadKey(ReadKey { session }) => session,
        }
    }

    /// The caller's time; 0 if the operation needs none.
    pub(super) const fn asked_at(&self) -> EpochMs {
        match self {
            Self::Attach(AttachRequest { now, .. })
            | Self::BeginTurn(BeginTurn { now, .. })
            | Self::LookUp(CallLookup { now, .. })
            | Self::Claim(Claim { now, .. })
            | Self::Settle(Settlement { now, .. })
            | Self::Renew(Renewal { now, .. })
            | Self::Defer(Deferral { now, .. })
            | Self::TakeOwed(TakeOwed { now, .. })
            | Self::EndDelivery(EndDelivery { now, .. })
            | Self::ListOwed(ListOwed { now, .. })
            | Self::ReadRecord(ReadRecord { now, .. })
            | Self::BeginReconcile(BeginReconcile { now, .. })
            | Self::EndReconcile(EndReconcile { now, .. })
            | Self::Ask(AskRequest { now, .. })
            | Self::ReadToken(ReadToken { now, .. })
            | Self::CloseQuestion(CloseQuestion { now, .. })
            | Self::FindQuestion(FindQuestion { now, .. })
            | Self::ReportExpiry(ReportExpiry { now, .. })
            | Self::ListPending(ListPending { now, .. })
            | Self::ListGrants(ListGrants { now, .. })
            | Self::RevokeGrant(RevokeGrant { now, .. })
            | Self::EndActive(EndActive { now, .. }) => *now,
            Self::AliasRecord(_) | Self::SaveState(_) | Self::PinTools(_) | Self::End(_) | Self::ReadKey(_) => 0,
        }
    }

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
            Self::Ask(AskRequest { act: Some(act), .. }) => vec![RowKey::Act(act.name.0.clone())],
            Self::AliasRecord(AliasRecord { unnamed, named, .. }) => calls(&[unnamed, named]),
            Self::ReadToken(ReadToken { token, .. }) | Self::CloseQuestion(CloseQuestion { token, .. }) => {
                question_rows(token).into()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the rows that the operation will read are most likely absent, so that a server need not be asked for them.
    pub(super) const fn expects_new_rows(&self) -> bool {
        matches!(self, Self::Claim(_))
    }

    /// Whether the operation usually changes nothing, so that it needs no lock against other writers.
    pub(super) const fn is_look(&self) -> bool {
        matches!(self, Self::LookUp(_) | Self::ReadKey(_) | Self::ListOwed(_) | Self::ReadRecord(_))
    }

    /// Whether the operation is done even if its caller no longer waits: a call's outcome is recorded.
    pub(super) const fn outlives_its_caller(&self) -> bool {
        matches!(self, Self::Settle(_))
    }

    /// Whether the operation is tried even if the store has failed repeatedly: it is about a call that has run, or runs.
    pub(super) const fn is_always_tried(&self) -> bool {
        matches!(self, Self::Settle(_) | Self::Renew(_))
    }

    /// Whether the operation is revoked if too few replicas have it: a claim of a write.
    pub(super) const fn needs_replicas(&self) -> bool {
        matches!(self, Self::Claim(claim) if claim.effect.may_leave_effects())
    }

    /// The operation that undoes this one, if its caller does not learn of the answer: a claim is released, since nothing
    /// has run.
    pub(super) fn undoing(&self, answer: &Answer) -> Option<Self> {
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
    pub(super) fn apply(
        self,
        slot: &mut Option<SessionDocument>,
        rows: &mut dyn Rows,
        fingerprint_key: HashKey,
        now: EpochMs,
    ) -> OperationResult<Answer> {
        match self {
            Self::Attach(attach) => document::attach(slot, attach, fingerprint_key, now).map(answer(Answer::Attach)),
            Self::ReadKey(_) => Ok(OperationOutput { answer: Answer::ReadKey(Some(fingerprint_key)), changed: false }),
            other => other.apply_to(slot.as_mut().ok_or(StoreError::SessionEnded)?, rows, now),
        }
    }

    fn apply_to(self, document: &mut SessionDocument, rows: &mut dyn Rows, now: EpochMs) -> OperationResult<Answer> {
        match self {
            // Both are done without the session's document.
            Self::Attach(_) | Self::ReadKey(_) => Err(StoreError::SessionEnded),
            Self::BeginTurn(BeginTurn { turn_id, starter, known, .. }) => {
                document.begin_turn(turn_id.as_deref(), starter, known, now).map(answer(Answer::BeginTurn))
            }
            Self::LookUp(lookup) => document.look_up(&lookup, rows, now).map(answer(Answer::LookUp)),
            Self::AliasRecord(AliasRecord { unnamed, named, .. }) => {
                document.alias_record(&unnamed, &named, rows).map(answer(Answer::AliasRecord))
            }
            Self::Claim(claim) => document.claim(claim, rows, now).map(answer(Answer::Claim)),
            Self::Settle(settlement) => document.settle(settlement, rows).map(answer(Answer::Settle)),
            Self::Renew(renewal) => document.renew(&renewal, rows, now).map(answer(Answer::Renew)),
            Self::Defer(deferral) => document.defer(&deferral, rows, now).map(answer(Answer::Defer)),
            Self::TakeOwed(take) => document.take_owed(&take, rows, now).map(answer(Answer::TakeOwed)),
            Self::EndDelivery(end) => document.end_delivery(&end, rows).map(answer(Answer::EndDelivery)),
            Self::ListOwed(_) => document.list_owed(rows, now).map(answer(Answer::ListOwed)),
            Self::ReadRecord(read) => document.read_record(&read, rows, now).map(answer(Answer::ReadRecord)),
            Self::BeginReconcile(begin) => {
                document.begin_reconcile(&begin, rows, now).map(answer(Answer::BeginReconcile))
            }
            Self::EndReconcile(end) => document.end_reconcile(end, rows, now).map(answer(Answer::EndReconcile)),
            Self::Ask(ask) => document.ask(ask, rows, now).map(answer(Answer::Ask)),
            Self::ReadToken(ReadToken { token, .. }) => {
                document.token_state(&token, rows, now).map(answer(Answer::ReadToken))
            }
            Self::CloseQuestion(CloseQuestion { token, closing, .. }) => {
                document.close_question(&token, closing, rows, now).map(answer(Answer::CloseQuestion))
            }
            Self::FindQuestion(FindQuestion { id, .. }) => {
                document.find_question(&id, rows, now).map(answer(Answer::FindQuestion))
            }
            Self::ReportExpiry(ReportExpiry { id, .. }) => {
                document.report_expiry(&id, rows, now).map(answer(Answer::ReportExpiry))
            }
            Self::ListPending(_) => document.pending_questions(rows, now).map(answer(Answer::ListPending)),
            Self::ListGrants(_) => document.list_grants(now).map(answer(Answer::ListGrants)),
            Self::RevokeGrant(RevokeGrant { id, .. }) => {
                document.revoke_grant(&id, now).map(answer(Answer::RevokeGrant))
            }
            Self::SaveState(SaveState { changes, .. }) => document.save_state(changes).map(answer(Answer::SaveState)),
            Self::PinTools(PinTools { tools_version, .. }) => {
                document.pin_tools(tools_version).map(answer(Answer::PinTools))
            }
            Self::End(EndSession { changes, .. }) => document.end(changes, rows).map(answer(Answer::End)),
            Self::EndActive(EndActive { now: asked_at, .. }) => {
                let changes = overview::ending(document, asked_at);
                let is_ended = !changes.is_empty();
                document.end(changes, rows)?;
                Ok(OperationOutput { answer: Answer::EndActive(is_ended), changed: is_ended })
            }
        }
    }
}

/// The output of an operation, with its answer as one of all answers.
fn answer<T>(name: impl FnOnce(T) -> Answer) -> impl FnOnce(OperationOutput<T>) -> OperationOutput<Answer> {
    |OperationOutput { answer, changed }| OperationOutput { answer: name(answer), changed }
}
