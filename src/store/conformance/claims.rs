//! Claims: a claim grants, or changes nothing.

use serde_json::json;

use super::*;
use crate::session::state::ChangeAuthor;
use crate::store::{CallLimit, StoreRequests};

pub(super) async fn grants_once(store: &AnyStore) {
    let id = session(store, "once").await;
    let epoch = granted(store, claim_of(&id, "call-1")).await;
    let ClaimResult::Existing(existing) = store.claim(claim_of(&id, "call-1")).await.unwrap() else {
        panic!("granted twice")
    };
    assert_eq!((existing.epoch, &existing.state), (epoch, &RecordState::Started));
    assert_eq!(existing, record(store, &id, "call-1").await.unwrap());
    let claimed = (existing.call_id.clone(), existing.turn, existing.claimed_at, existing.effect);
    assert_eq!(claimed, (Some("call-1".into()), 1, T, EffectClass::Write));
    assert!(existing.fingerprint.matches(&claim_of(&id, "call-1").fingerprint));
    assert_eq!(seen(store, &id, &key("x"), 1, T).await.total_calls, 1, "the second is not counted");
}

pub(super) async fn takes_nothing_where_the_budget_is_used_up(store: &AnyStore) {
    let id = session(store, "budget").await;
    let budget = Some(Budget { retrieval_calls: 1, total_calls: 2 });
    let search = |name| Claim { is_retrieval: true, effect: EffectClass::Read, budget, ..claim_of(&id, name) };
    granted(store, search("call-1")).await;
    let ClaimResult::OverBudget(over) = store.claim(search("call-2")).await.unwrap() else { panic!("over budget") };
    assert_eq!((over.retrieval_calls, over.total_calls), (1, 1));
    assert_eq!(record(store, &id, "call-2").await, None, "nothing is written");
    granted(store, Claim { budget, ..claim_of(&id, "call-3") }).await;
    let ClaimResult::OverBudget(over) = store.claim(Claim { budget, ..claim_of(&id, "call-4") }).await.unwrap() else {
        panic!("over budget")
    };
    assert_eq!((over.retrieval_calls, over.total_calls), (1, 2));
    let ClaimResult::Existing(_) = store.claim(search("call-1")).await.unwrap() else {
        panic!("what is recorded is found")
    };
}

pub(super) async fn counts_each_turn_by_itself(store: &AnyStore) {
    let id = session(store, "count").await;
    let budget = Some(Budget { retrieval_calls: 0, total_calls: 1 });
    for turn in [1, 2, 7] {
        let claim = |name: String| Claim { turn, budget, ..claim_of(&id, &name) };
        granted(store, claim(format!("a-{turn}"))).await;
        assert!(matches!(store.claim(claim(format!("b-{turn}"))).await.unwrap(), ClaimResult::OverBudget(_)));
    }
}

pub(super) async fn leaves_a_users_act_uncounted(store: &AnyStore) {
    let id = session(store, "act").await;
    let budget = Some(Budget { retrieval_calls: 0, total_calls: 1 });
    granted(store, Claim { budget, ..claim_of(&id, "call-1") }).await;
    granted(store, Claim { budget: None, ..claim_of(&id, "call-2") }).await;
    assert_eq!(seen(store, &id, &key("x"), 1, T).await.total_calls, 1);
}

pub(super) async fn slides_its_rate_window(store: &AnyStore) {
    let id = session(store, "rate").await;
    let limits = |name: &str| vec![CallLimit { name: name.into(), calls: 2, window_ms: 1000 }];
    let claim = |name, at| Claim { limits: limits("send"), now: T + at, ..claim_of(&id, name) };
    granted(store, claim("call-1", 0)).await;
    granted(store, claim("call-2", 400)).await;
    let ClaimResult::OverLimit(reached) = store.claim(claim("call-3", 900)).await.unwrap() else {
        panic!("over limit")
    };
    assert_eq!(reached.wait_ms, 100);
    let lookup = CallLookup { limits: limits("send"), ..lookup_of(&id, &key("call-3"), T + 999) };
    let before = store.look_up(lookup).await.unwrap();
    let wait_ms = before.limit_reached.map(|reached| reached.wait_ms);
    assert_eq!((wait_ms, before.record, before.total_calls), (Some(1), None, 2));
    granted(store, claim("call-3", 1000)).await;
    let other = Claim { limits: limits("other"), ..claim("call-4", 1000) };
    granted(store, other).await;
}

pub(super) async fn grants_one_of_many_at_once(store: &AnyStore) {
    let id = session(store, "race").await;
    let claim = || store.claim(claim_of(&id, "call-1"));
    let (a, b, c, d) = tokio::join!(claim(), claim(), claim(), claim());
    let claims = [a.unwrap(), b.unwrap(), c.unwrap(), d.unwrap()];
    let count = |is: fn(&ClaimResult) -> bool| claims.iter().filter(|claimed| is(claimed)).count();
    assert_eq!(count(|claimed| matches!(claimed, ClaimResult::Granted { .. })), 1, "{claims:?}");
    assert_eq!(count(|claimed| matches!(claimed, ClaimResult::Existing(_))), 3, "{claims:?}");
}

pub(super) async fn keeps_a_budget_at_once(store: &AnyStore) {
    let id = session(store, "race-budget").await;
    let budget = Some(Budget { retrieval_calls: 0, total_calls: 2 });
    let claim = |name| store.claim(Claim { budget, ..claim_of(&id, name) });
    let (a, b, c, d) = tokio::join!(claim("a"), claim("b"), claim("c"), claim("d"));
    let granted = [a, b, c, d].into_iter().filter(|claimed| matches!(claimed, Ok(ClaimResult::Granted { .. }))).count();
    assert_eq!(granted, 2);
}

pub(super) async fn counts_calls_without_an_id(store: &AnyStore) {
    let id = session(store, "unnamed").await;
    granted(store, claim_of(&id, "named")).await;
    assert_eq!(seen(store, &id, &key("x"), 1, T).await.calls_without_id, 0);
    granted(store, without_id(&id, "unnamed", 1)).await;
    assert_eq!(seen(store, &id, &key("x"), 1, T).await.calls_without_id, 1);
    assert_eq!(seen(store, &id, &key("x"), 2, T).await.calls_without_id, 0);
}

pub(super) async fn grants_without_a_look_up_what_a_look_up_lets_through(store: &AnyStore) {
    let id = session(store, "claimed first").await;
    let first = |name| Claim { is_looked_up: false, ..claim_of(&id, name) };
    granted(store, first("call-1")).await;
    let claimed = store.claim(first("call-1")).await.unwrap();
    assert!(matches!(claimed, ClaimResult::Existing(_)), "{claimed:?}");
    granted(store, Claim { is_looked_up: false, ..without_id(&id, "unnamed", 1) }).await;
    // It could be the call without an id.
    let claimed = store.claim(first("call-2")).await.unwrap();
    assert!(matches!(claimed, ClaimResult::NotLookedUp), "{claimed:?}");
    assert!(record(store, &id, "call-2").await.is_none(), "nothing was changed");
    granted(store, Claim { is_looked_up: false, ..without_id(&id, "unnamed too", 1) }).await;
    granted(store, Claim { turn: 2, ..first("call-2") }).await;
    granted(store, claim_of(&id, "call-3")).await;
}

pub(super) async fn gives_the_state_with_a_claim(store: &AnyStore) {
    let id = session(store, "state with a claim").await;
    let mut state = SessionState::new("text");
    state.set("customer", json!("C-1"), ChangeAuthor { by: "host", call_id: None, at: T }).unwrap();
    store.save_state(&id, state.changes_since(0)).await.unwrap();
    let revision = async |claim| match store.claim(claim).await.unwrap() {
        ClaimResult::Granted { state, .. } => state.map(|state| state.revision()),
        other => panic!("not granted: {other:?}"),
    };
    let stored = revision(claim_of(&id, "call-1")).await.expect("the caller does not have this state");
    assert_eq!(revision(Claim { known_revision: stored, ..claim_of(&id, "call-2") }).await, None);
}

pub(super) async fn finds_an_equal_call_of_the_turn_that_came_under_an_id(store: &AnyStore) {
    let id = session(store, "found without an id").await;
    let of = |name: &str, turn| {
        Fingerprint::from_text(HashKey::new([7; 16]), "send", &format!("{{\"n\":\"{name}{turn}\"}}"))
    };
    let named = |call: &str, name: &str| Claim { fingerprint: of(name, 1), ..claim_of(&id, call) };
    let epoch = granted(store, named("call-1", "a")).await;
    granted(store, named("call-2", "b")).await;
    let twin = Claim { fingerprint: of("a", 1), ..without_id(&id, "a", 1) };
    let look = async |turn| {
        let look = CallLookup { content: Some(of("a", 1)), turn, ..lookup_of(&id, &twin.key, T) };
        let seen = store.look_up(look).await.unwrap();
        (seen.named, seen.record.map(|record| record.epoch))
    };
    assert_eq!(look(1).await, (Some(key("call-1")), Some(epoch)));
    assert_eq!(look(2).await, (None, None), "in another turn it is another call");
    assert!(matches!(store.claim(twin.clone()).await.unwrap(), ClaimResult::NotLookedUp));
    let other_tool =
        Claim { fingerprint: Fingerprint::from_text(HashKey::new([7; 16]), "look", "{\"n\":\"a1\"}"), ..twin.clone() };
    granted(store, Claim { key: RecordKey::from_stored("hash:1:other"), ..other_tool }).await;
    granted(store, Claim { turn: 2, key: RecordKey::from_stored("hash:2:a"), ..twin.clone() }).await;
    assert_eq!(look(1).await, (Some(key("call-1")), Some(epoch)), "a call of a later turn changes nothing");
    granted(store, Claim { turn: 2, ..named("call-3", "c") }).await;
    assert_eq!(look(1).await, (None, None), "the calls of the latest turn are known");
}

pub(super) async fn reads_anew_without_an_id_once_a_write_has_begun(store: &AnyStore) {
    let id = session(store, "read anew").await;
    let read = |name: &str| Claim { effect: EffectClass::Read, ..without_id(&id, name, 1) };
    let made = async |claim: Claim| {
        let epoch = granted(store, claim.clone()).await;
        let settled = settlement(&id, "", epoch, Some(answered("read")));
        assert!(store.settle(Settlement { key: claim.key, ..settled }).await.unwrap());
    };
    made(read("list")).await;
    made(Claim { effect: EffectClass::Pure, ..without_id(&id, "sum", 1) }).await;
    made(Claim { effect: EffectClass::Read, ..claim_of(&id, "call-1") }).await;
    assert!(matches!(store.claim(read("list")).await.unwrap(), ClaimResult::Existing(_)), "nothing was written");
    granted(store, claim_of(&id, "write")).await;
    made(read("list")).await;
    assert!(matches!(store.claim(read("list")).await.unwrap(), ClaimResult::Existing(_)));
    let pure = Claim { effect: EffectClass::Pure, ..without_id(&id, "sum", 1) };
    assert!(matches!(store.claim(pure).await.unwrap(), ClaimResult::Existing(_)), "it depends on nothing");
    let by_id = Claim { effect: EffectClass::Read, ..claim_of(&id, "call-1") };
    assert!(matches!(store.claim(by_id).await.unwrap(), ClaimResult::Existing(_)), "an id names one call");
}
