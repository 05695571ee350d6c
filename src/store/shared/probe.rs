//! The small write by which a store is asked whether it takes the writes of calls.
//!
//! It attaches to a session of the store's own, and so takes the way of every commit: the same script, statement or
//! transaction. The session has no rows, and its document never grows. No host's id leads to it, and no operator's
//! command shows or counts it.

use super::job::{Reply, StoreJob};
use crate::call::SessionId;
use crate::clock::{Clock, SystemClock};
use crate::session::state::SessionState;
use crate::store::attaching::AttachRequest;
use crate::store::operation::Operation;
use crate::store::owner::Owner;

/// The key of the store's own session. Ids that begin like it are stored under their hash, and no hash contains a `#`; a
/// key of Redis contains one only before a hash.
pub(super) const KEY: &str = "sha256:#probe";

/// The write. Its answer is read from the job itself.
pub(super) fn job() -> Box<StoreJob> {
    let attach = AttachRequest {
        session: SessionId::of_stored(KEY),
        owner: Owner::default(),
        state: SessionState::new("text"),
        tools_version: "".into(),
        resume_only: false,
        now: SystemClock.now(),
    };
    let (reply, _) = Reply::new(true);
    Box::new(StoreJob::new(Operation::Attach(attach), reply))
}

/// Whether a job is the write.
pub(super) fn is_probe(job: &StoreJob) -> bool {
    job.session().stored_key() == Some(KEY)
}

#[cfg(test)]
mod tests;
