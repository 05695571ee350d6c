//! What a store of several processes has to know of an operation: the rows that it reads, and what becomes of it if its caller
//! does not wait for the answer.

use crate::session::key::RecordKey;
use crate::store::claim::{CallLookup, Claim, ClaimResult, Renewal, Settlement};
use crate::store::limits::{CountCall, CountStep};
use crate::store::operation::{AliasRecord, Answer, CloseQuestion, Operation, ReadGiven, ReadOutcome, ReadToken};
use crate::store::outcome::CallName;
use crate::store::owed::Deferral;
use crate::store::question_requests::AskRequest;
use crate::store::questions::given_row;
use crate::store::reconcile::{BeginReconcile, EndReconcile, ReadRecord};
use crate::store::row_names::{RowKey, question_rows};

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
}
