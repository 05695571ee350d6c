//! What admission decides about a call.

use std::sync::Arc;

use crate::admit::call::{AdmittedCall, CallHeader};
use crate::admit::context::RecordLocation;
use crate::admit::deferred::{UncertainRecord, UncheckedCall};
use crate::error::{ErrorType, ToolError};
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::store::{Question, Record, StoreError};

/// The decision of admission.
#[derive(Debug)]
pub enum Admission {
    /// The call runs.
    Run(Box<AdmittedCall>),
    /// The call was answered before, by the record under this key.
    Replay(RecordKey, Arc<Record>),
    /// The call is running already, by the record at this location.
    Join(RecordLocation, RecordKey, Arc<Record>),
    /// The call meets a record whose outcome is uncertain: that is to be found out first. Only where the context allows it.
    Reconcile(Box<UncertainRecord>),
    /// The code of the tool's schema is to run before its user is asked. Only where the context allows it.
    Check(Box<UncheckedCall>),
    /// A user is asked.
    Ask(Arc<Question>, Asked, ToolError),
    /// An approver has confirmed, now or before, and the question needs more of them.
    Counted(Arc<Question>, Counted),
    /// The call does not run.
    Refuse(ToolError),
    /// The call does not run, because the store failed.
    StoreFailed(ToolError),
}

/// Whether the question of a call is a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// It was asked now.
    Now,
    /// An equal one was pending.
    Before,
}

/// Whether an approver's confirmation is a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// It counts now.
    Now,
    /// The approver had confirmed before.
    Before,
}

/// The result of admission.
#[derive(Debug)]
pub struct AdmissionResult {
    /// The facts about the call.
    pub header: Arc<CallHeader>,
    /// The fingerprint that the loop guard counts; `None` for a replay by provider id, which counts nowhere.
    pub counted: Option<Fingerprint>,
    /// The decision.
    pub admission: Admission,
}

/// The result of a stage: go on with `T`, or stop.
pub(in crate::admit) type StageResult<T> = Result<T, Admission>;

impl From<ToolError> for Admission {
    fn from(error: ToolError) -> Self {
        Self::Refuse(error)
    }
}

impl From<StoreError> for Admission {
    fn from(error: StoreError) -> Self {
        let refusal = store_refusal(&error);
        match error {
            StoreError::Failed(_)
            | StoreError::Unreachable(_)
            | StoreError::SessionFailed(_)
            | StoreError::LostData(_) => Self::StoreFailed(refusal),
            StoreError::SessionEnded | StoreError::WrongPrincipal | StoreError::Full => Self::Refuse(refusal),
        }
    }
}

/// The refusal of a call that has not run because the store failed.
#[must_use]
pub fn store_refusal(error: &StoreError) -> ToolError {
    match error {
        StoreError::SessionEnded => ToolError::new(ErrorType::SessionInactive, error.to_string()),
        StoreError::WrongPrincipal => ToolError::new(ErrorType::Auth, error.to_string()),
        StoreError::Full => ToolError::new(ErrorType::Transient, error.to_string())
            .retryable_after(Some(crate::store::FULL_RETRY_AFTER_MS)),
        StoreError::Failed(_) | StoreError::Unreachable(_) | StoreError::SessionFailed(_) | StoreError::LostData(_) => {
            tracing::warn!(%error, "a call was refused");
            ToolError::new(ErrorType::Transient, "the session store does not answer; try again").retryable_after(None)
        }
    }
}
