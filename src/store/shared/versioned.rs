//! Sessions on a server that have a version: read, changed here, and committed if no other process was first.
//!
//! The session as it was last seen here saves the read ([`super::recent`]), and the commit of a claim checks that the
//! call's record is new: a call takes two round trips, one to claim and one to settle.

use std::collections::BTreeSet;

use tokio::time::Instant;

use super::backend::BackendFailure;
use super::job::{JobContext, StoreJob, apply_all};
use super::recent::RecentSessions;
use super::rows::BufferedRows;
use super::versioned_session::VersionedSession;
use crate::call::SessionId;
use crate::json::HashKey;
use crate::session::key::hex;
use crate::store::error::StoreError;
use crate::store::row_names::RowKey;
use crate::store::rows::Row;

/// The clock for expiries and leases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeSource {
    /// The server's clock: the machines' clocks need not agree.
    Server,
    /// The callers' clock: for tests that move the time.
    Caller,
}

/// A server that keeps sessions with their versions.
pub(super) trait SessionServer {
    /// The sessions as this process last saw them.
    fn recent(&self) -> &RecentSessions;
    fn time_source(&self) -> TimeSource;
    /// The installation's key.
    async fn fingerprint_key(&self) -> Result<HashKey, BackendFailure>;
    /// Reads the document and some rows, all of one version.
    async fn read(&self, id: &SessionId, needed_rows: BTreeSet<RowKey>) -> Result<VersionedSession, BackendFailure>;
    /// Commits what the jobs changed, if the session still has the version that was read, and the rows that were assumed
    /// absent are. No try starts after `until`.
    async fn write(
        &self,
        id: &SessionId,
        session: VersionedSession,
        jobs: &mut [Box<StoreJob>],
        until: Instant,
    ) -> Result<(), BackendFailure>;
}

/// The reads that are made for one commit, each with the rows that the one before turned out to lack. Most need one or two; other
/// processes that change the session meanwhile can make it more.
const MAX_READS: usize = 8;

/// Runs the jobs of one session on the session as it was last seen here, or as it is read now, and commits. Jobs that change
/// nothing are answered from one read: rows of different versions would make an answer that was never true.
pub(super) async fn commit<S: SessionServer>(
    server: &S,
    jobs: &mut [Box<StoreJob>],
    until: Instant,
) -> Result<(), BackendFailure> {
    let Some(id) = jobs.first().map(|job| job.session().clone()) else { return Ok(()) };
    let is_look = jobs.iter().all(|job| job.operation().is_look());
    let mut needed_rows: BTreeSet<_> = jobs.iter().flat_map(|job| job.operation().needed_rows()).collect();
    let recent = server.recent().take(&id).filter(|_| !is_look);
    if let Some(mut session) = recent {
        assume_new_rows(jobs, &mut session.rows);
        match run_jobs(server, jobs, &mut session).await? {
            JobsRun::Changed => match server.write(&id, session, jobs, until).await {
                // It was out of date, or a row was not new: the jobs run again at once, on what is read now.
                Err(BackendFailure::Conflict) => {}
                done => return done,
            },
            JobsRun::Unchanged => {}
            JobsRun::LackRows(missing) => needed_rows.extend(missing),
        }
    }
    for _ in 0..MAX_READS {
        let mut session = server.read(&id, needed_rows.clone()).await?;
        match run_jobs(server, jobs, &mut session).await? {
            JobsRun::Changed => return server.write(&id, session, jobs, until).await,
            JobsRun::Unchanged => {
                if is_look {
                    server.recent().put(id, session);
                }
                return Ok(());
            }
            JobsRun::LackRows(missing) => needed_rows.extend(missing),
        }
    }
    Err(BackendFailure::Conflict)
}

/// Takes the rows of jobs that expect them new for absent.
fn assume_new_rows(jobs: &[Box<StoreJob>], rows: &mut BufferedRows) {
    for operation in jobs.iter().map(|job| job.operation()).filter(|operation| operation.expects_new_rows()) {
        operation.needed_rows().iter().for_each(|key| rows.assume_absent(key));
    }
}

/// The end of a run of jobs.
enum JobsRun {
    /// There is something to commit.
    Changed,
    Unchanged,
    /// They read rows that were not read with the session, so their results do not count.
    LackRows(BTreeSet<RowKey>),
}

async fn run_jobs<S: SessionServer>(
    server: &S,
    jobs: &mut [Box<StoreJob>],
    session: &mut VersionedSession,
) -> Result<JobsRun, BackendFailure> {
    let fingerprint_key = server.fingerprint_key().await?;
    let now = (server.time_source() == TimeSource::Server).then(|| session.now());
    let context = JobContext { now, fingerprint_key };
    let changed = apply_all(jobs.iter_mut(), &mut session.document, &mut session.rows, context);
    let missing = session.rows.missing();
    if !missing.is_empty() {
        return Ok(JobsRun::LackRows(missing.clone()));
    }
    let is_changed = changed || !session.rows.changes().is_empty();
    Ok(if is_changed { JobsRun::Changed } else { JobsRun::Unchanged })
}

/// Adds rows that were read, in the order of their keys; `None` if the server has none.
pub(super) fn add_rows(
    rows: &mut BufferedRows,
    keys: BTreeSet<RowKey>,
    texts: impl IntoIterator<Item = Option<String>>,
) -> Result<(), BackendFailure> {
    for (key, text) in keys.into_iter().zip(texts) {
        let row = parse_row(&key, text)?;
        rows.add_fetched(key, row);
    }
    Ok(())
}

pub(super) fn parse_row(key: &RowKey, text: Option<String>) -> Result<Option<Row>, BackendFailure> {
    text.map_or(Ok(None), |text| Row::from_text(key, &text)).map_err(|error| unreadable(&error))
}

pub(super) fn unreadable(error: &serde_json::Error) -> BackendFailure {
    BackendFailure::Permanent(StoreError::SessionFailed(format!("a stored session can't be read: {error}")))
}

/// Returns a random commit id, which becomes the session's next version.
pub(super) fn commit_id() -> Result<String, BackendFailure> {
    let mut bytes = [0_u8; 12];
    getrandom::fill(&mut bytes)
        .map_err(|error| BackendFailure::Permanent(StoreError::Failed(format!("no random bytes: {error}"))))?;
    Ok(hex(&bytes))
}

/// Parses the installation's fingerprint key. A key that is not 32 hex digits is refused: another key in its place
/// would make each stored call look like a call with other arguments.
pub(super) fn parse_fingerprint_key(text: &[u8]) -> Option<HashKey> {
    let text = std::str::from_utf8(text).ok()?;
    let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let bits = is_hex.then(|| u128::from_str_radix(text, 16).ok())??;
    Some(HashKey::new(bits.to_be_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_key_is_32_hex_digits() {
        let key = HashKey::new([0xab; 16]);
        let parsed = parse_fingerprint_key(hex(&key.to_bytes()).as_bytes()).unwrap();
        assert_eq!(parsed.to_bytes(), key.to_bytes());
        let long = "0".repeat(33);
        for unreadable in [&b""[..], b"nonsense", b"+0000000000000000000000000000001", long.as_bytes(), &[0xff; 32]] {
            assert!(parse_fingerprint_key(unreadable).is_none(), "{unreadable:?}");
        }
    }
}
