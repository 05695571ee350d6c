//! The memory store's eviction: what stays, what is kept of the others, and what a full store refuses.

use super::super::TokenState;
use super::*;
use crate::store::StoreRequests;

/// A session of a principal, with turn 1 begun under the id `message-1`.
async fn owned(store: &AnyStore, name: &str, principal: &str) -> SessionId {
    let id = id(name);
    attach(store, &id, Some(principal), T).await.unwrap();
    store.begin_turn(&id, Some("message-1".into()), TurnStarter::Host, 0, T).await.unwrap();
    id
}

/// Creates sessions as the gate does: each beyond the cap makes the longest idle one go.
async fn flood(store: &AnyStore, cap: usize, number: usize) -> Result<(), StoreError> {
    for n in 0..number {
        attach(store, &id(&format!("flood-{cap}-{n}")), None, T + 1000).await?;
        if n + 1 >= cap.saturating_sub(10) {
            store.evict(cap, T + 1000, &|_| false);
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_flood_of_sessions_voids_no_promise() {
    const CAP: usize = 10_000;
    let store = AnyStore::default();
    let asked = owned(&store, "asked", "alice").await;
    store.ask(AskRequest::new(&asked, question("q", "token-1"), T)).await.unwrap();
    done(&store, &asked, "call-1", EffectClass::Write).await;
    let running = owned(&store, "running", "alice").await;
    let epoch = granted(&store, claim_of(&running, "call-1")).await;
    let written = owned(&store, "written", "alice").await;
    done(&store, &written, "call-1", EffectClass::Write).await;

    flood(&store, CAP, CAP + 1).await.unwrap();

    assert!(matches!(store.token_state(&asked, "token-1", T + 1000).await.unwrap(), TokenState::Pending(_)));
    assert_eq!(record(&store, &asked, "call-1").await.unwrap().state, answered("call-1"));
    assert!(settle(&store, &running, "call-1", epoch, Some(answered("call-1"))).await);
    for other in [Some("bob"), None] {
        assert_eq!(attach(&store, &written, other, T + 1000).await.unwrap_err(), StoreError::WrongPrincipal);
    }
    assert!(resume(&store, &written, Some("alice"), T + 1000).await.unwrap().created, "it had been evicted");
    let ClaimResult::Existing(replayed) = store.claim(claim_of(&written, "call-1")).await.unwrap() else {
        panic!("the write runs twice")
    };
    assert_eq!(replayed.state, RecordState::Forgotten { ok: true });
    assert!(replayed.fingerprint.matches(&claim_of(&written, "call-1").fingerprint));
}

#[tokio::test]
async fn a_store_full_of_held_sessions_refuses_new_ones() {
    let store = AnyStore::default();
    let mut held = Vec::new();
    for n in 0..3 {
        let id = owned(&store, &format!("held-{n}"), "alice").await;
        store.ask(AskRequest::new(&id, question("q", "token-1"), T)).await.unwrap();
        held.push(id);
    }
    let running = owned(&store, "running", "alice").await;
    let epoch = granted(&store, claim_of(&running, "call-1")).await;
    assert_eq!(store.evict(4, T, &|_| false), []);
    assert_eq!(attach(&store, &id("new"), None, T).await.unwrap_err(), StoreError::Full);
    assert!(!attach(&store, &held[0], Some("alice"), T).await.unwrap().created, "an existing one is resumed");
    assert_eq!(
        resume(&store, &id("unknown"), None, T).await.unwrap_err(),
        StoreError::SessionEnded,
        "room would not help"
    );

    store.close_question(&held[1], "token-1", Closing::Denied, T).await.unwrap();
    assert!(attach(&store, &id("new"), None, T).await.unwrap().created);
    assert_eq!(store.evict(4, T, &|other| *other == id("new")), [held[1].clone()]);
    store.ask(AskRequest::new(&id("new"), question("q", "token-1"), T)).await.unwrap();
    assert_eq!(attach(&store, &id("newer"), None, T).await.unwrap_err(), StoreError::Full);

    assert!(settle(&store, &running, "call-1", epoch, Some(answered("call-1"))).await);
    assert!(attach(&store, &id("newer"), None, T).await.unwrap().created);
    // A question that has expired holds nothing.
    assert!(attach(&store, &id("newest"), None, T + 60_000).await.unwrap().created);
}

/// Evicts all sessions.
async fn evict(store: &AnyStore, id: &SessionId) {
    assert!(store.evict(0, T, &|_| false).contains(id));
    store.evict(1000, T, &|_| false);
    assert_eq!(store.begin_turn(id, None, TurnStarter::Host, 0, T).await.unwrap_err(), StoreError::SessionEnded);
}

#[tokio::test]
async fn an_evicted_sessions_turns_and_writes_are_known() {
    let store = AnyStore::default();
    let id = owned(&store, "resumed", "alice").await;
    store.begin_turn(&id, Some("message-2".into()), TurnStarter::Host, 0, T).await.unwrap();
    done(&store, &id, "write", EffectClass::Write).await;
    done(&store, &id, "read", EffectClass::Read).await;
    let unnamed = without_id(&id, "unnamed", 1);
    let epoch = granted(&store, unnamed.clone()).await;
    let (key_of_content, settled) = (unnamed.key, settlement(&id, "unnamed", epoch, Some(answered("unnamed"))));
    assert!(store.settle(Settlement { key: key_of_content.clone(), ..settled }).await.unwrap());
    store.alias_record(&id, &key_of_content, &key("alias")).await.unwrap().unwrap();
    evict(&store, &id).await;

    assert_eq!(attach(&store, &id, Some("alice"), T).await.unwrap().turn, 2);
    let begun = store.begin_turn(&id, Some("message-1".into()), TurnStarter::Host, 0, T).await.unwrap();
    assert_eq!((begun.number, begun.is_new), (1, false), "a repeated request begins no turn");
    for name in ["write", "alias"] {
        assert_eq!(record(&store, &id, name).await.unwrap().state, RecordState::Forgotten { ok: true }, "{name}");
    }
    assert_eq!(record(&store, &id, "read").await, None);
    assert!(granted(&store, claim_of(&id, "new")).await > epoch, "an epoch is never used again");
    assert_eq!(seen(&store, &id, &key("write"), 1, T + DAY).await.record, None, "a write is known for a day");
}

#[tokio::test]
async fn a_result_after_the_eviction_is_recorded() {
    let store = AnyStore::default();
    let id = owned(&store, "late", "alice").await;
    let mut epochs = Vec::new();
    for name in ["answered", "unanswered", "nothing"] {
        let epoch = granted(&store, claim_of(&id, name)).await;
        assert!(settle(&store, &id, name, epoch, Some(RecordState::Unknown)).await);
        epochs.push(epoch);
    }
    evict(&store, &id).await;
    assert!(settle(&store, &id, "answered", epochs[0], Some(answered("late"))).await);
    assert!(settle(&store, &id, "nothing", epochs[2], None).await);
    attach(&store, &id, Some("alice"), T).await.unwrap();
    assert_eq!(record(&store, &id, "answered").await.unwrap().state, RecordState::Forgotten { ok: true });
    assert_eq!(record(&store, &id, "unanswered").await.unwrap().state, RecordState::Unknown);
    assert_eq!(record(&store, &id, "nothing").await, None);
    assert!(settle(&store, &id, "unanswered", epochs[1], Some(answered("late"))).await, "it is still open");
}

#[tokio::test]
async fn an_evicted_session_that_has_ended_stays_ended() {
    let store = AnyStore::default();
    let id = owned(&store, "ended", "alice").await;
    let mut state = SessionState::new("text");
    state.end(crate::session::state::ChangeAuthor { by: "host", call_id: None, at: T });
    store.end(&id, state.changes_since(0)).await.unwrap();
    assert_eq!(store.evict(0, T, &|_| false), [], "its memory is given back already");
    store.evict(1000, T, &|_| false);
    assert_eq!(attach(&store, &id, Some("bob"), T).await.unwrap_err(), StoreError::WrongPrincipal);
    assert_eq!(attach(&store, &id, Some("alice"), T).await.unwrap_err(), StoreError::SessionEnded);
    store.sweep(idle_since(T + DAY), &[]).await.unwrap();
    assert!(attach(&store, &id, Some("bob"), T + DAY).await.unwrap().created, "its time to live is over");
}
