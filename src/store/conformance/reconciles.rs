//! Reconciles: one at a time for each record, by a claim of its own that ends with its time or its process.

use std::process::{Command, Stdio};

use super::*;
use crate::json::KeyedHash;
use crate::response::Edited;
use crate::session::state::ChangeAuthor;
use crate::store::reconcile::{
    BeginReconcile, CallOrigin, EndReconcile, KeptCall, ReadRecord, ReconcileBegun, ReconcileEnded, ReconcileFound,
    ReconcileGrant, RecordPlace, UncertainCall, UncertainPage,
};
use crate::store::{Act, ActName};

const LEASE: u64 = 30_000;
const HOLD: u64 = 15_000;
const PAUSE: u64 = 10_000;
/// When the claim of the call is lost.
const LOST: EpochMs = T + LEASE;

fn kept(id: &SessionId) -> Arc<KeptCall> {
    let (session, args) = (id.as_str().into(), Some("{\"a\":1}".into()));
    Arc::new(KeptCall { session, args, origin: CallOrigin::default(), counterpart: None })
}

/// The claim of a write whose process does not renew it.
async fn lost(store: &AnyStore, id: &SessionId, call: &str) -> u64 {
    granted(store, Claim { lease_ms: Some(LEASE), kept: Some(kept(id)), ..claim_of(id, call) }).await
}

async fn begin(store: &AnyStore, id: &SessionId, call: &str, epoch: u64, now: EpochMs) -> ReconcileBegun {
    let (session, key) = (id.clone(), key(call));
    let begin = BeginReconcile { session, key, epoch, has_args: false, hold_ms: HOLD, claimant: None, now };
    store.begin_reconcile(begin).await.unwrap()
}

fn args_of(grant: &ReconcileGrant) -> Option<&str> {
    grant.kept.as_ref()?.args.as_deref()
}

async fn begun(store: &AnyStore, id: &SessionId, call: &str, epoch: u64, now: EpochMs) -> ReconcileGrant {
    match begin(store, id, call, epoch, now).await {
        ReconcileBegun::Granted(grant) => *grant,
        other => panic!("not granted: {other:?}"),
    }
}

fn happened(name: &str) -> ReconcileFound {
    let RecordState::Settled(answer) = answered(name) else { panic!("answered") };
    ReconcileFound::Happened { state: RecordState::Settled(Arc::clone(&answer)), owed: answer }
}

fn not_happened() -> ReconcileFound {
    let RecordState::Settled(owed) = answered("not happened") else { panic!("answered") };
    ReconcileFound::NotHappened { owed }
}

async fn end(
    store: &AnyStore,
    id: &SessionId,
    grant: &ReconcileGrant,
    found: ReconcileFound,
    now: EpochMs,
) -> ReconcileEnded {
    let (session, key) = (id.clone(), grant.key.clone());
    let (epoch, number) = (grant.record.epoch, grant.number);
    store.end_reconcile(EndReconcile { session, key, epoch, number, found, pause_ms: PAUSE, now }).await.unwrap()
}

async fn state(store: &AnyStore, id: &SessionId, call: &str, now: EpochMs) -> Option<RecordState> {
    seen(store, id, &key(call), 1, now).await.record.map(|record| record.state.clone())
}

pub(super) async fn settles_what_has_happened(store: &AnyStore) {
    let id = session(store, "reconcile-happened").await;
    let epoch = lost(store, &id, "call-1").await;
    assert!(matches!(begin(store, &id, "call-1", epoch, LOST - 1).await, ReconcileBegun::Certain), "it runs");
    assert!(matches!(begin(store, &id, "call-1", epoch + 1, LOST).await, ReconcileBegun::Certain), "another epoch");
    assert!(matches!(begin(store, &id, "call-2", epoch, LOST).await, ReconcileBegun::Certain), "no record");
    let grant = begun(store, &id, "call-1", epoch, LOST).await;
    assert_eq!((args_of(&grant), grant.record.claimed_at), (Some("{\"a\":1}"), T));
    assert_eq!(end(store, &id, &grant, happened("found"), LOST).await, ReconcileEnded::Recorded);
    assert_eq!(state(store, &id, "call-1", LOST).await, Some(answered("found")));
    assert!(matches!(begin(store, &id, "call-1", epoch, LOST).await, ReconcileBegun::Certain));
    assert!(!settle(store, &id, "call-1", epoch, Some(answered("late"))).await, "the first end counts");
}

pub(super) async fn frees_what_has_not_happened(store: &AnyStore) {
    let id = session(store, "reconcile-free").await;
    let epoch = lost(store, &id, "call-1").await;
    let grant = begun(store, &id, "call-1", epoch, LOST).await;
    assert_eq!(end(store, &id, &grant, not_happened(), LOST).await, ReconcileEnded::Recorded);
    assert_eq!(state(store, &id, "call-1", LOST).await, None);
    let again = granted(store, Claim { now: LOST, ..claim_of(&id, "call-1") }).await;
    assert!(again > epoch, "under a new epoch");
    assert!(!settle(store, &id, "call-1", epoch, Some(answered("late"))).await, "the lost process settles nothing");
    assert_eq!(end(store, &id, &grant, happened("late"), LOST).await, ReconcileEnded::Lost);
    assert_eq!(state(store, &id, "call-1", LOST).await, Some(RecordState::Started));
}

pub(super) async fn runs_one_at_a_time(store: &AnyStore) {
    let id = session(store, "reconcile-once").await;
    let epoch = lost(store, &id, "call-1").await;
    let many = futures_util::future::join_all((0..8).map(|_| begin(store, &id, "call-1", epoch, LOST))).await;
    let granted = many.iter().filter(|begun| matches!(begun, ReconcileBegun::Granted(_))).count();
    let running = many.iter().filter(|begun| matches!(begun, ReconcileBegun::Running)).count();
    assert_eq!((granted, running), (1, 7), "{many:?}");
}

pub(super) async fn is_fenced_once_its_claim_is_lost(store: &AnyStore) {
    let id = session(store, "reconcile-fenced").await;
    let epoch = lost(store, &id, "call-1").await;
    let dead = begun(store, &id, "call-1", epoch, LOST).await;
    let second = begun(store, &id, "call-1", epoch, LOST + HOLD).await;
    assert!(second.number > dead.number);
    assert_eq!(end(store, &id, &dead, not_happened(), LOST + HOLD).await, ReconcileEnded::Lost, "it comes late");
    assert_eq!(state(store, &id, "call-1", LOST + HOLD).await, Some(RecordState::Unknown));
    assert_eq!(end(store, &id, &second, happened("found"), LOST + HOLD).await, ReconcileEnded::Recorded);
    let Some(claimant) = Claimant::dead_process() else { return };
    let epoch = lost(store, &id, "call-2").await;
    let killed = BeginReconcile {
        session: id.clone(),
        key: key("call-2"),
        epoch,
        has_args: false,
        hold_ms: HOLD,
        claimant: Some(claimant),
        now: LOST,
    };
    assert!(matches!(store.begin_reconcile(killed).await.unwrap(), ReconcileBegun::Granted(_)));
    begun(store, &id, "call-2", epoch, LOST).await;
}

pub(super) async fn pauses_where_nothing_was_found(store: &AnyStore) {
    let id = session(store, "reconcile-pause").await;
    let epoch = lost(store, &id, "call-1").await;
    let grant = begun(store, &id, "call-1", epoch, LOST).await;
    assert_eq!(end(store, &id, &grant, ReconcileFound::Unknown, LOST).await, ReconcileEnded::Recorded);
    assert_eq!(state(store, &id, "call-1", LOST).await, Some(RecordState::Unknown));
    assert!(matches!(begin(store, &id, "call-1", epoch, LOST + PAUSE - 1).await, ReconcileBegun::Paused));
    begun(store, &id, "call-1", epoch, LOST + PAUSE).await;
}

pub(super) async fn frees_nothing_that_may_still_run(store: &AnyStore) {
    let id = session(store, "reconcile-running").await;
    let epoch = lost(store, &id, "call-1").await;
    assert!(settle(store, &id, "call-1", epoch, Some(RecordState::Unknown)).await, "it timed out");
    let grant = begun(store, &id, "call-1", epoch, T + 1).await;
    assert_eq!(end(store, &id, &grant, not_happened(), T + 1).await, ReconcileEnded::MayStillRun);
    assert_eq!(state(store, &id, "call-1", T + 1).await, Some(RecordState::Unknown));
    let grant = begun(store, &id, "call-1", epoch, T + 1 + PAUSE).await;
    assert_eq!(end(store, &id, &grant, happened("found"), T + 1 + PAUSE).await, ReconcileEnded::Recorded);
}

/// A process that was stopped renews no claim, and goes on when it is continued.
pub(super) async fn frees_nothing_while_its_process_is_there(store: &AnyStore) {
    let Ok(mut process) = Command::new("cat").stdin(Stdio::piped()).spawn() else { return };
    let id = session(store, "reconcile-stopped").await;
    let claimant = Claimant::of_child(&process);
    let claim = Claim { lease_ms: Some(LEASE), kept: Some(kept(&id)), claimant, ..claim_of(&id, "call-1") };
    let epoch = granted(store, claim).await;
    let grant = begun(store, &id, "call-1", epoch, LOST).await;
    let ended = end(store, &id, &grant, not_happened(), LOST).await;
    process.kill().unwrap();
    process.wait().unwrap();
    let may_run = if claimant.is_some() { ReconcileEnded::MayStillRun } else { ReconcileEnded::Recorded };
    assert_eq!(ended, may_run);
    if claimant.is_some() {
        let grant = begun(store, &id, "call-1", epoch, LOST + PAUSE).await;
        assert_eq!(end(store, &id, &grant, not_happened(), LOST + PAUSE).await, ReconcileEnded::Recorded);
    }
    assert_eq!(state(store, &id, "call-1", LOST + PAUSE).await, None);
}

pub(super) async fn is_about_failures_with_effects(store: &AnyStore) {
    let id = session(store, "reconcile-failed").await;
    for (call, found, then) in
        [("call-1", happened("found"), Some(answered("found"))), ("call-2", not_happened(), None)]
    {
        let epoch = lost(store, &id, call).await;
        assert!(settle(store, &id, call, epoch, Some(duplicates::failed(true))).await);
        let grant = begun(store, &id, call, epoch, T).await;
        assert_eq!(end(store, &id, &grant, found, T).await, ReconcileEnded::Recorded);
        assert_eq!(state(store, &id, call, T).await, then);
    }
    let epoch = lost(store, &id, "call-3").await;
    assert!(settle(store, &id, "call-3", epoch, Some(duplicates::failed(false))).await);
    assert!(matches!(begin(store, &id, "call-3", epoch, T).await, ReconcileBegun::Certain), "it did nothing");
}

pub(super) async fn needs_arguments(store: &AnyStore) {
    let id = session(store, "reconcile-args").await;
    let epoch = granted(store, Claim { lease_ms: Some(LEASE), ..claim_of(&id, "call-1") }).await;
    assert!(matches!(begin(store, &id, "call-1", epoch, LOST).await, ReconcileBegun::NoArgs));
    let (session, key) = (id.clone(), key("call-1"));
    let with = BeginReconcile { session, key, epoch, has_args: true, hold_ms: HOLD, claimant: None, now: LOST };
    match store.begin_reconcile(with).await.unwrap() {
        ReconcileBegun::Granted(grant) => assert_eq!(args_of(&grant), None),
        other => panic!("not granted: {other:?}"),
    }
}

/// The caller has the arguments of the model.
pub(super) async fn needs_the_arguments_that_ran(store: &AnyStore) {
    let id = session(store, "reconcile-edited").await;
    let edited = vec![Edited { path: "/a".to_owned(), value: None }];
    let origin = CallOrigin { edited, ..CallOrigin::default() };
    let kept = Arc::new(KeptCall { args: None, origin, ..KeptCall::clone(&kept(&id)) });
    let claim = Claim { lease_ms: Some(LEASE), kept: Some(kept), ..claim_of(&id, "call-1") };
    let epoch = granted(store, claim).await;
    let (session, key) = (id.clone(), key("call-1"));
    let with = BeginReconcile { session, key, epoch, has_args: true, hold_ms: HOLD, claimant: None, now: LOST };
    assert!(matches!(store.begin_reconcile(with).await.unwrap(), ReconcileBegun::NoArgs));
    assert_eq!(listed(store, &[&id], T).await, [], "nor can the host have it looked up");
}

/// The uncertain calls of some sessions, by the parts of the search.
async fn listed(store: &AnyStore, of: &[&SessionId], begun_by: EpochMs) -> Vec<UncertainCall> {
    let (mut calls, mut cursor) = (Vec::new(), None);
    loop {
        let page = store.list_uncertain(UncertainPage { begun_by, cursor }).await.unwrap();
        calls.extend(page.calls.into_iter().filter(|call| of.contains(&&call.session)));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    calls.sort_by(|a, b| (&a.session, &a.key).cmp(&(&b.session, &b.key)));
    // A server may find a session twice.
    calls.dedup();
    calls
}

pub(super) async fn is_found_by_the_host(store: &AnyStore) {
    let (one, long) = (session(store, "reconcile-list").await, session(store, &"reconcile-}".repeat(100)).await);
    let epoch = lost(store, &one, "call-1").await;
    let settled = lost(store, &one, "call-2").await;
    assert!(settle(store, &one, "call-2", settled, Some(answered("done"))).await);
    granted(store, Claim { lease_ms: Some(LEASE), ..claim_of(&one, "call-3") }).await;
    let failed = lost(store, &one, "call-4").await;
    assert!(settle(store, &one, "call-4", failed, Some(duplicates::failed(true))).await);
    let other = lost(store, &long, "call-1").await;
    let found = listed(store, &[&one, &long], T).await;
    let names: Vec<_> = found.iter().map(|call| (call.session.clone(), call.key.clone(), call.epoch)).collect();
    let expected = [
        (one.clone(), key("call-1"), epoch),
        (one.clone(), key("call-4"), failed),
        (long.clone(), key("call-1"), other),
    ];
    assert_eq!(names, expected);
    assert_eq!(listed(store, &[&one, &long], T - 1).await, [], "they were begun later");
    let grant = begun(store, &long, "call-1", other, LOST).await;
    assert_eq!(end(store, &long, &grant, happened("found"), LOST).await, ReconcileEnded::Recorded);
    assert_eq!(listed(store, &[&long], T).await, []);
}

/// A call's record is found by its principal's acts, also after the end of its session.
pub(super) async fn is_read_by_its_principal_alone(store: &AnyStore) {
    let id = id("reconcile-read");
    attach(store, &id, Some("ann"), T).await.unwrap();
    let read = async |principal: &str, call: &str, now: EpochMs| {
        let read = ReadRecord { session: id.clone(), key: key(call), principal: principal.into(), now };
        let found = store.read_record(read).await;
        found.map(|record| record.map(|record| (record.epoch, record.state.clone())))
    };
    let epoch = lost(store, &id, "call-1").await;
    assert_eq!(read("ann", "call-1", LOST - 1).await, Ok(Some((epoch, RecordState::Started))));
    assert_eq!(read("ann", "call-1", LOST).await, Ok(Some((epoch, RecordState::Unknown))), "its lease has ended");
    assert_eq!(read("ann", "call-2", T).await, Ok(None));
    assert_eq!(read("bob", "call-1", T).await, Ok(None), "of another principal");
    let mut state = SessionState::new("text");
    state.end(ChangeAuthor { by: "host", call_id: None, at: T });
    store.end(&id, state.changes_since(0)).await.unwrap();
    // In memory a session that has ended is kept while its calls run, which end with the store.
    assert_eq!(read("ann", "call-1", LOST).await, Ok(Some((epoch, RecordState::Unknown))), "after its end");
    let nowhere = SessionId::from("conformance-reconcile-nowhere");
    let read = ReadRecord { session: nowhere, key: key("a"), principal: "ann".into(), now: T };
    assert!(matches!(store.read_record(read).await, Err(StoreError::SessionEnded)));
}

/// An act says where its call is as long as its outcome is not certain.
pub(super) async fn leads_from_an_act_to_its_call(store: &AnyStore) {
    let id = session(store, "reconcile-act").await;
    let name = ActName::from(KeyedHash::from_text(HashKey::new([7; 16]), "pay"));
    let act = Act { name, window_ms: 120_000, turn: None, within: None, known: 0, owner: None };
    let place = RecordPlace { session: "another".into(), key: key("call-9"), epoch: 0 };
    let kept = Some(Arc::new(KeptCall { counterpart: Some(place.clone()), args: None, ..KeptCall::clone(&kept(&id)) }));
    let claim = |call: &str| Claim { act: Some(act.clone()), kept: kept.clone(), ..claim_of(&id, call) };
    let epoch = granted(store, claim("call-1")).await;
    let place_of_act = async || match store.claim(claim("call-2")).await.unwrap() {
        ClaimResult::Duplicate(done) => done.kept.as_ref().and_then(|kept| kept.counterpart.clone()),
        other => panic!("no duplicate: {other:?}"),
    };
    assert_eq!(place_of_act().await, Some(place.clone()));
    assert!(settle(store, &id, "call-1", epoch, Some(RecordState::Unknown)).await);
    assert_eq!(place_of_act().await, Some(place));
    assert_eq!(listed(store, &[&id], T).await, [], "it is no call that the host has looked up");
    assert!(settle(store, &id, "call-1", epoch, Some(answered("done"))).await);
    assert_eq!(place_of_act().await, None);
}
