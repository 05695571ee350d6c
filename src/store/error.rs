//! Why an operation of a store failed.

/// Why an operation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The session belongs to another principal, or was begun with another resume token or none. Which of them is not said.
    #[error("the session belongs to another principal, or has another resume token")]
    WrongPrincipal,
    /// The session has ended or does not exist.
    #[error("the session has ended")]
    SessionEnded,
    /// The store is unreachable or has failed.
    #[error("the session store failed: {0}")]
    Failed(String),
    /// The store can't be used now, which may pass. Reported by [`Store::check`] and [`Store::accept`] only.
    #[error("the session store failed: {0}")]
    Unreachable(String),
    /// The store has lost what it kept, or another one is in its place. It answers no call until the host accepts it.
    #[error("the session store failed: {0}")]
    LostData(String),
    /// Each session of the store has an open question or a running call, or leaves writes for which there is no room.
    /// No new session is created until one of them ends.
    #[error("the session store is full; try again")]
    Full,
    /// The store works, but not for this session: its document is unreadable, or other processes keep changing it.
    #[error("the session store failed: {0}")]
    SessionFailed(String),
}

impl StoreError {
    /// The failure as an operation reports it: whether it passes matters to a check only.
    pub(in crate::store) fn of_operation(self) -> Self {
        match self {
            Self::Unreachable(message) => Self::Failed(message),
            other => other,
        }
    }
}

/// The time after which a session that a full store refused may be tried again, in milliseconds: open questions and
/// running calls end within minutes.
pub const FULL_RETRY_AFTER_MS: u64 = 5000;
