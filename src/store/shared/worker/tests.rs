//! The loop, on a backend that records its batches and fails or waits on demand.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::future::join_all;
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::*;
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::store::attaching::{AttachedSession, TurnStarter};
use crate::store::conformance::attach_request;
use crate::store::document::SessionDocument;
use crate::store::owed::owed_ms;
use crate::store::reconcile::{UncertainCalls, UncertainPage};
use crate::store::rows::MemoryRows;
use crate::store::shared::breaker::{FAILURE_THRESHOLD, OPEN_DURATION};
use crate::store::shared::job::JobContext;
use crate::store::{Idle, Store, StoreRequests, Swept};

/// What the tests see of a backend.
#[derive(Clone)]
struct Controls {
    /// A commit takes one permit; there are more than enough unless a test holds them.
    permits: Arc<Semaphore>,
    failures: Arc<Mutex<VecDeque<BackendFailure>>>,
    /// The session and the size of each batch, in the order of their starts.
    batches: Arc<Mutex<Vec<(SessionId, usize)>>>,
    closed: Arc<Mutex<bool>>,
}

struct TestBackend {
    controls: Controls,
    sessions: RefCell<HashMap<SessionId, Option<SessionDocument>>>,
}

impl Backend for TestBackend {
    type Group = SessionId;

    fn group(&self, session: &SessionId) -> SessionId {
        session.clone()
    }

    async fn commit(&self, jobs: &mut [Box<StoreJob>], _until: Instant) -> Result<(), BackendFailure> {
        let session = jobs[0].session().clone();
        assert!(session.as_str() != "panic", "as the test demands");
        self.controls.batches.lock().push((session.clone(), jobs.len()));
        if session.as_str() != "free" {
            self.controls.permits.acquire().await.unwrap().forget();
        }
        if let Some(failure) = self.controls.failures.lock().pop_front() {
            return Err(failure);
        }
        let mut sessions = self.sessions.borrow_mut();
        let context = JobContext { now: None, fingerprint_key: HashKey::new([1; 16]) };
        for job in jobs {
            job.apply(sessions.entry(session.clone()).or_default(), &mut MemoryRows::default(), context);
        }
        Ok(())
    }

    async fn sweep(&self, _idle: Idle, in_use: &[SessionId]) -> Result<Swept, StoreError> {
        Ok(Swept { sessions: in_use.to_vec(), results: Vec::new() })
    }

    async fn list_uncertain(&self, _: UncertainPage) -> Result<UncertainCalls, StoreError> {
        Ok(UncertainCalls::default())
    }

    async fn oldest_owed_ms(&self, now: EpochMs) -> Result<Option<u64>, StoreError> {
        let sessions = self.sessions.borrow();
        Ok(owed_ms(sessions.values().flatten().filter_map(SessionDocument::owed_since).min(), now))
    }

    fn close(&self) {
        *self.controls.closed.lock() = true;
    }
}

fn open(permits: usize) -> (SharedStore, Controls) {
    let controls = Controls {
        permits: Arc::new(Semaphore::new(permits)),
        failures: Arc::default(),
        batches: Arc::default(),
        closed: Arc::default(),
    };
    let backend = TestBackend { controls: controls.clone(), sessions: RefCell::default() };
    let options = SharedOptions { operation_timeout: Duration::from_secs(2), ..SharedOptions::default() };
    (start(backend, options).unwrap(), controls)
}

/// Sends the request at once, not when first polled: what is sent after it is queued after it.
fn attach<'a>(
    store: &'a SharedStore,
    session: &str,
) -> impl Future<Output = Result<AttachedSession, StoreError>> + use<'a> {
    store.attach(attach_request(&session.into(), None, 1))
}

async fn batches_started(controls: &Controls, number: usize) {
    while controls.batches.lock().len() < number {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

fn failed(text: &str) -> StoreError {
    StoreError::Failed(text.to_owned())
}

#[tokio::test]
async fn jobs_that_wait_are_committed_together_up_to_the_limit() {
    let (store, controls) = open(0);
    let (all, ()) = tokio::join!(join_all((0..600).map(|_| attach(&store, "a"))), async {
        batches_started(&controls, 1).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        controls.permits.add_permits(100);
    });
    assert_eq!(all.iter().filter(|done| done.as_ref().is_ok_and(|session| session.created)).count(), 1);
    let sizes: Vec<usize> = controls.batches.lock().iter().map(|(_, size)| *size).collect();
    assert_eq!(sizes.iter().sum::<usize>(), 600);
    assert!(sizes.iter().all(|size| *size <= MAX_JOBS_PER_COMMIT) && sizes.len() <= 4, "{sizes:?}");
}

#[tokio::test]
async fn groups_do_not_wait_for_each_other() {
    let (store, controls) = open(0);
    let held = attach(&store, "held");
    let (held, ()) = tokio::join!(held, async {
        attach(&store, "free").await.unwrap();
        controls.permits.add_permits(1);
    });
    held.unwrap();
}

#[tokio::test]
async fn transient_failures_and_conflicts_are_tried_again() {
    let (store, controls) = open(100);
    let failures = [BackendFailure::Transient(failed("busy")), BackendFailure::Conflict];
    controls.failures.lock().extend(failures);
    assert!(attach(&store, "a").await.unwrap().created);
    assert_eq!(controls.batches.lock().len(), 3);
}

#[tokio::test]
async fn a_permanent_failure_is_returned_at_once() {
    let (store, controls) = open(100);
    controls.failures.lock().push_back(BackendFailure::Permanent(failed("refused")));
    assert_eq!(attach(&store, "a").await.unwrap_err(), failed("refused"));
    assert_eq!(controls.batches.lock().len(), 1);
}

#[tokio::test]
async fn lasting_conflicts_are_given_up_before_the_callers_timeout() {
    let (store, controls) = open(10_000);
    controls.failures.lock().extend((0..10_000).map(|_| BackendFailure::Conflict));
    let error = attach(&store, "a").await.unwrap_err();
    assert!(matches!(&error, StoreError::SessionFailed(text) if text.contains("kept changing")), "{error:?}");
}

#[tokio::test]
async fn a_job_that_nobody_waits_for_is_not_started() {
    let (store, controls) = open(0);
    let id = "a".into();
    let (first, ()) = tokio::join!(attach(&store, "a"), async {
        batches_started(&controls, 1).await;
        drop(store.begin_turn(&id, None, TurnStarter::Host, 0, 1));
        controls.permits.add_permits(100);
    });
    first.unwrap();
    assert_eq!(
        store.begin_turn(&id, None, TurnStarter::Host, 0, 1).await.unwrap().number,
        1,
        "the dropped one did not count"
    );
}

#[tokio::test]
async fn closing_waits_for_the_queued_jobs() {
    let (store, controls) = open(0);
    let (attached, closed, ()) = tokio::join!(attach(&store, "a"), store.close(), async {
        batches_started(&controls, 1).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!*controls.closed.lock());
        controls.permits.add_permits(100);
    });
    attached.unwrap();
    closed.unwrap();
    assert!(*controls.closed.lock());
}

#[tokio::test]
async fn a_check_makes_a_write_once_and_tells_a_lasting_failure_from_one_that_may_pass() {
    let (store, controls) = open(100);
    assert_eq!(store.check().await, Ok(()));
    controls.failures.lock().push_back(BackendFailure::Transient(failed("busy")));
    assert_eq!(store.check().await.unwrap_err(), StoreError::Unreachable("busy".to_owned()));
    controls.failures.lock().push_back(BackendFailure::Permanent(failed("refused")));
    assert_eq!(store.check().await.unwrap_err(), failed("refused"));
    controls.failures.lock().push_back(BackendFailure::Conflict);
    assert_eq!(store.check().await, Ok(()), "another process has written");
    let own = SessionId::of_stored(probe::KEY);
    assert_eq!(*controls.batches.lock(), vec![(own.clone(), 1); 4]);
    assert!(SessionId::from(probe::KEY) != own, "no host names it");
}

#[tokio::test]
async fn checks_of_an_unreachable_store_keep_operations_from_waiting_for_it() {
    let (store, controls) = open(100);
    for _ in 0..FAILURE_THRESHOLD {
        controls.failures.lock().push_back(BackendFailure::Transient(failed("gone")));
        store.check().await.unwrap_err();
    }
    assert_eq!(attach(&store, "a").await.unwrap_err(), failed("gone"));
    store.check().await.unwrap();
    attach(&store, "a").await.unwrap();
}

#[tokio::test]
async fn a_sweep_does_not_wait_for_commits() {
    let (store, _controls) = open(0);
    let (held, used) = ("held".into(), ["used".into()]);
    let request = store.begin_turn(&held, None, TurnStarter::Host, 0, 1);
    assert_eq!(store.sweep(Idle { since: 0, now: 0 }, &used).await.unwrap().sessions, used);
    drop(request);
}

#[tokio::test]
async fn a_panic_of_the_backend_is_a_failure_at_once() {
    let (store, _controls) = open(100);
    for _ in 0..2 {
        let error = attach(&store, "panic").await.unwrap_err();
        assert!(matches!(&error, StoreError::Failed(text) if text.contains("thread has ended")), "{error:?}");
    }
}

#[tokio::test]
async fn a_probe_is_not_tried_again() {
    let (store, controls) = open(100);
    controls.failures.lock().extend((0..FAILURE_THRESHOLD).map(|_| BackendFailure::Permanent(failed("it is gone"))));
    for _ in 0..FAILURE_THRESHOLD {
        assert_eq!(attach(&store, "a").await.err(), Some(failed("it is gone")));
    }
    controls.failures.lock().push_back(BackendFailure::Transient(failed("it is still gone")));
    // The worker's thread has a clock of its own, so the breaker's time passes in earnest.
    tokio::time::sleep(OPEN_DURATION).await;
    assert_eq!(attach(&store, "a").await.err(), Some(failed("it is still gone")));
    let threshold = usize::try_from(FAILURE_THRESHOLD).unwrap();
    assert_eq!(controls.batches.lock().len(), threshold + 1);
}
