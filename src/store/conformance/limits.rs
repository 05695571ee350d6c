//! Limits of a principal's calls: counted one by one, given back, never exceeded.

use super::*;
use crate::store::{CallCount, CallLimit, CountCall, CountStep};

fn limit(name: &str, calls: u32, window_ms: u64) -> CallLimit {
    CallLimit { name: name.into(), calls, window_ms }
}

/// A session of the principal `ada`.
async fn session_of_ada(store: &AnyStore, name: &str) -> SessionId {
    let id = id(name);
    assert!(attach(store, &id, Some("ada"), T).await.unwrap().created, "`{id}` is new");
    id
}

fn step(session: &SessionId, limits: &[CallLimit], step: CountStep, now: EpochMs) -> CountCall {
    CountCall { session: session.clone(), owner: "ada".into(), limits: limits.to_vec(), step, now }
}

/// The wait if a limit is reached.
fn wait_ms(count: CallCount) -> Option<u64> {
    count.reached.map(|reached| reached.wait_ms)
}

async fn count(store: &AnyStore, id: &SessionId, limits: &[CallLimit], now: EpochMs) -> CallCount {
    store.count_call(step(id, limits, CountStep::Count, now)).await.unwrap()
}

async fn look(store: &AnyStore, id: &SessionId, limits: &[CallLimit], now: EpochMs) -> Option<u64> {
    wait_ms(store.count_call(step(id, limits, CountStep::Look, now)).await.unwrap())
}

pub(super) async fn counts_as_many_as_are_allowed(store: &AnyStore) {
    let (id, limits) = (session_of_ada(store, "limit").await, [limit("send", 2, 1000)]);
    assert_eq!(look(store, &id, &limits, T).await, None);
    assert_eq!(wait_ms(count(store, &id, &limits, T).await), None);
    assert_eq!(wait_ms(count(store, &id, &limits, T + 400).await), None);
    assert_eq!(look(store, &id, &limits, T + 900).await, Some(100));
    let reached = count(store, &id, &limits, T + 900).await.reached.unwrap();
    assert_eq!((reached.limit, reached.wait_ms), (limits[0].clone(), 100));
    assert_eq!(wait_ms(count(store, &id, &limits, T + 1000).await), None, "the window slides");
    assert_eq!(wait_ms(count(store, &id, &limits, T + 1000).await), Some(400));
    assert_eq!(wait_ms(count(store, &id, &[limit("read", 1, 1000)], T + 1000).await), None, "another tool");
}

pub(super) async fn counts_of_many_at_once(store: &AnyStore) {
    let (id, limits) = (session_of_ada(store, "limit-race").await, [limit("send", 3, 60_000)]);
    let counts = futures_util::future::join_all((0..8).map(|_| count(store, &id, &limits, T))).await;
    assert_eq!(counts.iter().filter(|count| count.reached.is_none()).count(), 3, "{counts:?}");
}

pub(super) async fn gives_back_what_has_not_run(store: &AnyStore) {
    let (id, limits) = (session_of_ada(store, "limit-back").await, [limit("send", 1, 60_000)]);
    let CallCount { at, reached: None } = count(store, &id, &limits, T).await else { panic!("counted") };
    assert!(count(store, &id, &limits, T + 1).await.reached.is_some());
    store.count_call(step(&id, &limits, CountStep::GiveBack { at }, T + 2)).await.unwrap();
    assert_eq!(wait_ms(count(store, &id, &limits, T + 3).await), None);
    assert!(count(store, &id, &limits, T + 4).await.reached.is_some(), "it is given back once");
}

pub(super) async fn counts_for_its_principal_alone(store: &AnyStore) {
    let (id, limits) = (session_of_ada(store, "limit-owner").await, [limit("send", 1, 60_000)]);
    for foreign in [CountStep::Look, CountStep::Count, CountStep::GiveBack { at: T }] {
        let foreign = CountCall { owner: "bob".into(), ..step(&id, &limits, foreign, T) };
        assert_eq!(store.count_call(foreign).await.unwrap_err(), StoreError::WrongPrincipal);
    }
    assert_eq!(look(store, &id, &limits, T).await, None, "nothing was counted");
    let absent = step(&super::id("limit-absent"), &limits, CountStep::Count, T);
    assert_eq!(store.count_call(absent).await.unwrap_err(), StoreError::SessionEnded);
}

pub(super) async fn counts_for_no_limit_if_one_is_reached(store: &AnyStore) {
    let id = session_of_ada(store, "limit-two").await;
    let (tool, mode) = (limit("send", 1, 1000), limit("mode:voice", 2, 60_000));
    let both = [tool.clone(), mode.clone()];
    assert_eq!(wait_ms(count(store, &id, &both, T).await), None);
    assert_eq!(wait_ms(count(store, &id, &both, T + 10).await), Some(990));
    assert_eq!(wait_ms(count(store, &id, std::slice::from_ref(&mode), T + 20).await), None, "it had one call left");
    let reached = count(store, &id, &both, T + 30).await.reached.unwrap();
    assert_eq!((&*reached.limit.name, reached.wait_ms), ("mode:voice", 59_970), "the longest wait");
}

pub(super) async fn allows_many_calls(store: &AnyStore) {
    let (id, limits) = (session_of_ada(store, "limit-many").await, [limit("send", 200, DAY)]);
    for number in 0..200 {
        assert_eq!(wait_ms(count(store, &id, &limits, T + number).await), None);
    }
    assert_eq!(wait_ms(count(store, &id, &limits, T + 1000).await), Some(DAY - 801));
    assert_eq!(wait_ms(count(store, &id, &limits, T + DAY + 199).await), None);
}

pub(super) async fn is_kept_by_its_session(store: &AnyStore) {
    let (id, limits) = (session_of_ada(store, "limit-kept").await, [limit("send", 1, 10 * DAY)]);
    assert_eq!(wait_ms(count(store, &id, &limits, T).await), None);
    let again = attach(store, &id, Some("ada"), T + DAY).await.unwrap();
    assert!(!again.created);
    assert_eq!(look(store, &id, &limits, T + DAY).await, Some(9 * DAY), "resuming forgets no call");
}
