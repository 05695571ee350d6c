//! Records: settled by their claim's epoch, evicted by age and use.

use serde_json::json;

use super::*;
use crate::session::state::ChangeAuthor;
use crate::store::StoreRequests;

const HOST: ChangeAuthor<'static> = ChangeAuthor { by: "host", call_id: None, at: T };

pub(super) async fn settles_by_epoch(store: &AnyStore) {
    let id = session(store, "epoch").await;
    let epoch = granted(store, claim_of(&id, "call-1")).await;
    assert!(!settle(store, &id, "call-1", epoch + 1, Some(answered("stale"))).await);
    assert!(!settle(store, &id, "call-2", epoch, Some(answered("other"))).await);
    assert!(settle(store, &id, "call-1", epoch, Some(answered("call-1"))).await);
    assert_eq!(record(store, &id, "call-1").await.unwrap().state, answered("call-1"), "as it was, meta and all");
    assert!(!settle(store, &id, "call-1", epoch, Some(answered("late"))).await, "it has settled");
    assert_eq!(record(store, &id, "call-1").await.unwrap().state, answered("call-1"));
    let ClaimResult::Existing(_) = store.claim(claim_of(&id, "call-1")).await.unwrap() else { panic!("it has run") };
}

pub(super) async fn goes_where_it_left_nothing(store: &AnyStore) {
    let id = session(store, "nothing").await;
    let first = granted(store, claim_of(&id, "call-1")).await;
    assert!(settle(store, &id, "call-1", first, None).await);
    assert_eq!(record(store, &id, "call-1").await, None);
    let second = granted(store, claim_of(&id, "call-1")).await;
    assert!(second > first, "an epoch is never used again");
    assert!(!settle(store, &id, "call-1", first, Some(answered("stale"))).await);
    assert!(!settle(store, &id, "call-1", first, None).await);
    assert_eq!(record(store, &id, "call-1").await.unwrap().epoch, second);
    assert_eq!(seen(store, &id, &key("x"), 1, T).await.total_calls, 2, "both have run");
}

pub(super) async fn settles_an_unknown_one_late(store: &AnyStore) {
    let id = session(store, "unknown").await;
    let epoch = granted(store, claim_of(&id, "call-1")).await;
    assert!(settle(store, &id, "call-1", epoch, Some(RecordState::Unknown)).await);
    assert_eq!(record(store, &id, "call-1").await.unwrap().state, RecordState::Unknown);
    let ClaimResult::Existing(_) = store.claim(claim_of(&id, "call-1")).await.unwrap() else {
        panic!("it may have run")
    };
    assert!(settle(store, &id, "call-1", epoch, Some(answered("late"))).await);
    assert_eq!(record(store, &id, "call-1").await.unwrap().state, answered("late"));
}

pub(super) async fn takes_the_state_with_it(store: &AnyStore) {
    let id = session(store, "with-state").await;
    let epoch = granted(store, claim_of(&id, "call-1")).await;
    let mut state = SessionState::new("text");
    state.set("theme", json!("dark"), HOST).unwrap();
    let with_state = |epoch| Settlement {
        changes: state.changes_since(0),
        ..settlement(&id, "call-1", epoch, Some(answered("call-1")))
    };
    assert!(!store.settle(with_state(epoch + 1)).await.unwrap());
    assert_eq!(attach(store, &id, None, T).await.unwrap().state, SessionState::new("text"), "neither or both");
    assert!(store.settle(with_state(epoch)).await.unwrap());
    assert_eq!(attach(store, &id, None, T).await.unwrap().state, state);
}

pub(super) async fn settles_after_the_end(store: &AnyStore) {
    let id = session(store, "after-end").await;
    let epoch = granted(store, claim_of(&id, "call-1")).await;
    let mut state = SessionState::new("text");
    state.end(HOST);
    store.end(&id, state.changes_since(0)).await.unwrap();
    let mut revived = settlement(&id, "call-1", epoch, Some(answered("call-1")));
    let mut other = SessionState::new("text");
    other.set("isActive", json!(true), HOST).unwrap_err();
    other.set("theme", json!("dark"), HOST).unwrap();
    revived.changes = other.changes_since(0);
    assert!(store.settle(revived).await.unwrap(), "what had started is recorded");
    assert_eq!(attach(store, &id, None, T).await.unwrap_err(), StoreError::SessionEnded, "and the session stays ended");
}

pub(super) async fn has_one_alias(store: &AnyStore) {
    let id = session(store, "alias").await;
    let (unnamed, first, second) = (without_id(&id, "unnamed", 1).key, key("first"), key("second"));
    assert_eq!(store.alias_record(&id, &unnamed, &first).await.unwrap(), None, "nothing to take");
    let epoch = granted(store, without_id(&id, "unnamed", 1)).await;
    granted(store, claim_of(&id, "named")).await;
    assert_eq!(store.alias_record(&id, &key("named"), &first).await.unwrap(), None, "it has an id of its own");
    let alias = store.alias_record(&id, &unnamed, &first).await.unwrap().unwrap();
    assert_eq!(alias.epoch, epoch);
    assert_eq!(store.alias_record(&id, &unnamed, &second).await.unwrap(), None, "it has its alias");
    assert_eq!(record(store, &id, "first").await.unwrap().epoch, epoch, "under both keys from now on");
    let settled = settlement(&id, "", epoch, Some(answered("unnamed")));
    assert!(store.settle(Settlement { key: unnamed, ..settled }).await.unwrap());
    assert_eq!(record(store, &id, "first").await.unwrap().state, answered("unnamed"));
    let ClaimResult::Existing(_) = store.claim(claim_of(&id, "first")).await.unwrap() else { panic!("it has run") };
}

pub(super) async fn goes_least_recently_used_first(store: &AnyStore) {
    let id = session(store, "eviction").await;
    done(store, &id, "write", EffectClass::Write).await;
    done(store, &id, "read", EffectClass::Read).await;
    done(store, &id, "used", EffectClass::Write).await;
    for n in 0..97 {
        done(store, &id, &format!("filler-{n}"), EffectClass::Read).await;
    }
    for name in ["write", "read", "used"] {
        assert_eq!(record(store, &id, name).await.unwrap().state, answered(name), "a hundred are kept");
    }
    // The three were read just now, `used` last: the fillers are evicted first, then the two others.
    for n in 0..99 {
        done(store, &id, &format!("newer-{n}"), EffectClass::Read).await;
    }
    assert_eq!(record(store, &id, "used").await.unwrap().state, answered("used"));
    assert_eq!(record(store, &id, "read").await, None, "a read can be made again");
    assert_eq!(record(store, &id, "write").await.unwrap().state, RecordState::Forgotten { ok: true });
    let ClaimResult::Existing(_) = store.claim(claim_of(&id, "write")).await.unwrap() else { panic!("it has run") };
}

pub(super) async fn keeps_no_long_ids(store: &AnyStore) {
    let id = session(store, "long-ids").await;
    let long = "x".repeat(100_000);
    done(store, &id, &long, EffectClass::Write).await;
    let record = record(store, &id, &long).await.unwrap();
    let RecordState::Settled(answer) = &record.state else { panic!("it has run") };
    for kept in [&record.call_id, &answer.meta.call_id] {
        assert!(kept.as_ref().is_some_and(|id| id.as_str().len() < 100));
    }
    let ClaimResult::Existing(_) = store.claim(claim_of(&id, &long)).await.unwrap() else { panic!("it has run") };
    let other = format!("{long}y");
    granted(store, claim_of(&id, &other)).await;
}

pub(super) async fn keeps_what_is_open(store: &AnyStore) {
    let id = session(store, "open").await;
    granted(store, claim_of(&id, "started")).await;
    let epoch = granted(store, claim_of(&id, "unknown")).await;
    assert!(settle(store, &id, "unknown", epoch, Some(RecordState::Unknown)).await);
    for n in 0..150 {
        done(store, &id, &format!("filler-{n}"), EffectClass::Read).await;
    }
    for now in [T, T + 2 * DAY] {
        let started = seen(store, &id, &key("started"), 1, now).await.record.unwrap();
        assert_eq!(started.state, RecordState::Started);
        let unknown = seen(store, &id, &key("unknown"), 1, now).await.record.unwrap();
        assert_eq!(unknown.state, RecordState::Unknown);
    }
}

pub(super) async fn is_kept_for_a_day(store: &AnyStore) {
    let id = session(store, "day").await;
    done(store, &id, "call-1", EffectClass::Write).await;
    assert!(seen(store, &id, &key("call-1"), 1, T + DAY - 1).await.record.is_some());
    assert_eq!(seen(store, &id, &key("call-1"), 1, T + DAY).await.record, None);
    granted(store, Claim { now: T + DAY, ..claim_of(&id, "call-1") }).await;
}

const LEASE: u64 = 30_000;

/// A claim that is lost if it is not renewed in time.
fn leased(id: &SessionId, effect: EffectClass) -> Claim {
    Claim { lease_ms: Some(LEASE), effect, ..claim_of(id, "call-1") }
}

async fn at(store: &AnyStore, id: &SessionId, now: EpochMs) -> Option<RecordState> {
    seen(store, id, &key("call-1"), 1, now).await.record.map(|record| record.state.clone())
}

pub(super) async fn is_unknown_once_its_claim_is_lost(store: &AnyStore) {
    let id = session(store, "lost-write").await;
    granted(store, leased(&id, EffectClass::Write)).await;
    assert_eq!(at(store, &id, T + LEASE - 1).await, Some(RecordState::Started));
    assert_eq!(at(store, &id, T + LEASE).await, Some(RecordState::Unknown));
    let again = Claim { now: T + LEASE, ..leased(&id, EffectClass::Write) };
    let ClaimResult::Existing(record) = store.claim(again).await.unwrap() else { panic!("it may have run") };
    assert_eq!(record.state, RecordState::Unknown);
    assert_eq!(at(store, &id, T + 7 * DAY).await, Some(RecordState::Unknown), "it is never forgotten");
}

pub(super) async fn runs_again_once_its_claim_is_lost(store: &AnyStore) {
    for (name, effect) in [("lost-read", EffectClass::Read), ("lost-upsert", EffectClass::IdempotentWrite)] {
        let id = session(store, name).await;
        let first = granted(store, leased(&id, effect)).await;
        let again = |now| Claim { now, ..leased(&id, effect) };
        assert!(matches!(store.claim(again(T + LEASE - 1)).await.unwrap(), ClaimResult::Existing(_)));
        assert_eq!(at(store, &id, T + LEASE).await, None);
        let second = granted(store, again(T + LEASE)).await;
        assert!(second > first);
        assert!(!settle(store, &id, "call-1", first, Some(answered("late"))).await, "it is another's now");
        assert!(settle(store, &id, "call-1", second, Some(answered("again"))).await);
    }
}

pub(super) async fn is_held_by_renewing(store: &AnyStore) {
    let id = session(store, "renewed").await;
    let epoch = granted(store, leased(&id, EffectClass::Read)).await;
    let renew =
        |epoch, now| store.renew(Renewal { session: id.clone(), key: key("call-1"), epoch, lease_ms: LEASE, now });
    assert!(!renew(epoch + 1, T + 20_000).await.unwrap());
    assert!(renew(epoch, T + 20_000).await.unwrap());
    assert_eq!(at(store, &id, T + 20_000 + LEASE - 1).await, Some(RecordState::Started));
    assert_eq!(at(store, &id, T + 20_000 + LEASE).await, None);
    assert!(settle(store, &id, "call-1", epoch, Some(answered("call-1"))).await);
    assert!(!renew(epoch, T + 20_000).await.unwrap(), "it has settled");
}

pub(super) async fn is_lost_with_its_process(store: &AnyStore) {
    let (Some(dead), Some(alive)) = (Claimant::dead_process(), Claimant::this_process()) else { return };
    for (name, effect, then) in
        [("killed-write", EffectClass::Write, Some(RecordState::Unknown)), ("killed-read", EffectClass::Read, None)]
    {
        let id = session(store, name).await;
        let lost = granted(store, Claim { claimant: Some(dead), ..leased(&id, effect) }).await;
        assert_eq!(at(store, &id, T).await, then, "at once, within its lease");
        let again = Claim { claimant: Some(alive), ..leased(&id, effect) };
        match store.claim(again).await.unwrap() {
            ClaimResult::Existing(record) => assert_eq!(Some(record.state.clone()), then),
            ClaimResult::Granted { epoch, .. } => {
                assert!(then.is_none() && epoch > lost);
                assert_eq!(at(store, &id, T).await, Some(RecordState::Started), "its process runs");
            }
            other => panic!("{other:?}"),
        }
    }
}

pub(super) async fn settles_though_its_claim_is_lost(store: &AnyStore) {
    let id = session(store, "late-write").await;
    let epoch = granted(store, leased(&id, EffectClass::Write)).await;
    assert_eq!(at(store, &id, T + LEASE).await, Some(RecordState::Unknown));
    let late = Settlement { now: T + LEASE, ..settlement(&id, "call-1", epoch, Some(answered("late"))) };
    assert!(store.settle(late).await.unwrap());
    assert_eq!(at(store, &id, T + LEASE).await, Some(answered("late")));
}
