//! The work of an eviction, counted in sessions looked at.

use super::*;
use crate::session::state::{ChangeAuthor, SessionState};
use crate::store::{AskRequest, StoreRequests};

const T: EpochMs = 1_767_225_600_000;

fn id(n: usize) -> SessionId {
    format!("session-{n}").into()
}

fn attach(store: &MemoryStore, id: &SessionId, now: EpochMs) {
    store.attach_now(crate::store::conformance::attach_request(id, Some("alice".to_owned()), now)).unwrap();
}

/// A store with `number` sessions, all of them of different ages.
fn filled(number: usize) -> MemoryStore {
    let store = MemoryStore::default();
    for n in 0..number {
        attach(&store, &id(n), T + n as u64);
    }
    store
}

/// Creates sessions beyond `keep`. Returns the numbers of sessions that each eviction looked at, and what it evicted.
fn create_beyond(store: &MemoryStore, keep: usize, is_in_use: &dyn Fn(&SessionId) -> bool) -> Vec<Eviction> {
    let create = |n: usize| {
        attach(store, &id(keep + n), T + (keep + n) as u64);
        store.contents.lock().evict(keep, T + (keep + n) as u64, is_in_use)
    };
    (0..50).map(create).collect()
}

#[test]
fn an_eviction_looks_at_one_session_among_any_number() {
    for number in [10, 10_000, 100_000] {
        let evictions = create_beyond(&filled(number), number, &|_| false);
        let expected: Vec<Eviction> = (0..50).map(|n| Eviction { evicted: vec![id(n)], looks: 1 }).collect();
        assert_eq!(evictions, expected, "{number} sessions");
    }
}

#[test]
fn sessions_in_use_are_looked_at_a_bounded_number_of_times() {
    for number in [10_000, 100_000] {
        let store = filled(number);
        let in_use: HashSet<SessionId> = (0..number / 2).map(id).collect();
        let evictions = create_beyond(&store, number, &|id| in_use.contains(id));
        let is_bounded = |eviction: &Eviction| eviction.looks <= MAX_LOOKS + eviction.evicted.len();
        assert!(evictions.iter().all(is_bounded), "{evictions:?}");
        assert!(evictions.iter().all(|eviction| eviction.evicted.iter().all(|id| !in_use.contains(id))));
        let all_evicted: usize = evictions.iter().map(|eviction| eviction.evicted.len()).sum();
        assert_eq!(store.contents.lock().sessions.len(), number + 50 - all_evicted);
        assert_eq!(store.contents.lock().evict(0, T, &|_| true), Eviction { evicted: Vec::new(), looks: MAX_LOOKS });
    }
}

#[test]
fn a_full_store_refuses_after_a_bounded_number_of_looks() {
    let number = 10_000;
    let store = filled(number);
    for n in 0..number {
        let session = id(n);
        let asked = store.ask(AskRequest::new(&session, crate::store::conformance::question("q", "token-1"), T));
        assert!(futures_util::FutureExt::now_or_never(asked).unwrap().is_ok());
    }
    store.contents.lock().capacity = number;
    for _ in 0..3 {
        let mut looks = 0;
        assert!(store.contents.lock().find_evictable(&mut looks, MAX_LOOKS, T, &|_| false).is_none());
        assert_eq!(looks, MAX_LOOKS);
    }
    // The question of one session expires, or its user answers: the session is found in its turn.
    let free = |store: &MemoryStore| store.contents.lock().has_room(T + 60_000);
    assert!(free(&store), "all questions have expired");
}

#[test]
fn a_session_that_has_ended_leaves_its_tombstone_only() {
    let store = filled(3);
    let mut state = SessionState::new("text");
    state.end(ChangeAuthor { by: "host", call_id: None, at: T });
    assert!(futures_util::FutureExt::now_or_never(store.end(&id(1), state.changes_since(0))).unwrap().is_ok());
    let mut contents = store.contents.lock();
    assert_eq!((contents.sessions.len(), contents.sessions.get(&id(1)).is_none()), (2, true));
    let tombstone = contents.tombstones.get(&id(1)).unwrap();
    assert!(tombstone.has_ended && tombstone.writes.is_empty());
    assert_eq!(contents.evict(2, T, &|_| false), Eviction::default());
}

#[test]
fn an_eviction_evicts_all_that_it_may_and_counts_its_looks() {
    let store = filled(10 * MAX_LOOKS);
    let evicted = store.contents.lock().evict(0, T, &|_| false);
    assert_eq!((evicted.evicted.len(), evicted.looks), (10 * MAX_LOOKS, 10 * MAX_LOOKS));
    let store = filled(10 * MAX_LOOKS);
    let evicted = store.contents.lock().evict(0, T, &|session| *session != id(0));
    assert_eq!(evicted, Eviction { evicted: vec![id(0)], looks: MAX_LOOKS + 1 });
}

#[test]
fn a_session_that_was_in_use_is_the_first_to_go_when_it_is_free() {
    let store = filled(3);
    let evicted = store.contents.lock().evict(2, T, &|session| *session == id(0));
    assert_eq!(evicted.evicted, [id(1)]);
    attach(&store, &id(3), T + 3);
    let evicted = store.contents.lock().evict(2, T, &|_| false);
    assert_eq!(evicted, Eviction { evicted: vec![id(0)], looks: 1 });
}
