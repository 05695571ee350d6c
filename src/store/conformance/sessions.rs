//! Sessions: created, resumed, ended, dropped.

use serde_json::json;

use super::*;
use crate::session::state::ChangeAuthor;
use crate::store::StoreRequests;

const HOST: ChangeAuthor<'static> = ChangeAuthor { by: "host", call_id: None, at: T };

pub(super) async fn is_made_once_and_resumed(store: &AnyStore) {
    let id = session(store, "resumed").await;
    done(store, &id, "call-1", EffectClass::Write).await;
    let again = attach(store, &id, None, T + 1).await.unwrap();
    assert_eq!((again.created, again.turn, &*again.tools_version), (false, 1, "v1"));
    assert_eq!(again.state, SessionState::new("text"));
    assert_eq!(record(store, &id, "call-1").await.unwrap().state, answered("call-1"));
}

pub(super) async fn is_its_principals(store: &AnyStore) {
    let id = id("principal");
    assert!(attach(store, &id, Some("alice"), T).await.unwrap().created);
    for other in [Some("bob"), Some(""), None] {
        assert_eq!(attach(store, &id, other, T).await.unwrap_err(), StoreError::WrongPrincipal);
    }
    assert!(!attach(store, &id, Some("alice"), T).await.unwrap().created);
}

pub(super) async fn is_resumed_with_its_token_only(store: &AnyStore) {
    let id = id("token");
    let attach = async |principal: Option<&str>, token: Option<&str>| {
        let request = attach_request(&id, Owner::new(principal.map(str::to_owned), token), T);
        store.attach(request).await.map(|attached| attached.created)
    };
    assert_eq!(attach(Some("alice"), Some("secret")).await, Ok(true));
    for (principal, token) in [
        (Some("alice"), None),
        (Some("alice"), Some("")),
        (Some("alice"), Some("secret2")),
        (Some("bob"), Some("secret")),
        (None, Some("secret")),
        (None, None),
    ] {
        assert_eq!(attach(principal, token).await, Err(StoreError::WrongPrincipal), "{principal:?}, {token:?}");
    }
    assert_eq!(attach(Some("alice"), Some("secret")).await, Ok(false));
}

pub(super) async fn is_resumed_only_if_it_exists(store: &AnyStore) {
    let id = id("resume-only");
    assert_eq!(resume(store, &id, None, T).await.unwrap_err(), StoreError::SessionEnded);
    assert!(attach(store, &id, Some("alice"), T).await.unwrap().created, "the refusal created nothing");
    assert!(!resume(store, &id, Some("alice"), T).await.unwrap().created);
    assert_eq!(resume(store, &id, None, T).await.unwrap_err(), StoreError::WrongPrincipal);
}

pub(super) async fn counts_turns_once_per_id(store: &AnyStore) {
    let id = session(store, "turns").await;
    let mut turns = Vec::new();
    for turn in [Some("a"), Some("a"), None, None, Some("b"), Some("a")] {
        let begun = store.begin_turn(&id, turn.map(str::to_owned), TurnStarter::Host, 0, T).await.unwrap();
        turns.push((begun.number, begun.is_new));
    }
    assert_eq!(turns, [(1, true), (1, false), (2, true), (3, true), (4, true), (1, false)]);
    assert_eq!(attach(store, &id, None, T).await.unwrap().turn, 4);
}

pub(super) async fn keeps_its_state(store: &AnyStore) {
    let id = session(store, "state").await;
    let mut state = SessionState::new("text");
    state.set("tenant", json!({ "deep": [1.5, "ü", null] }), HOST).unwrap();
    store.save_state(&id, state.changes_since(0)).await.unwrap();
    assert_eq!(attach(store, &id, None, T).await.unwrap().state, state, "with its history");
}

pub(super) async fn is_pinned(store: &AnyStore) {
    let id = session(store, "pinned").await;
    store.pin_tools(&id, "v2".into()).await.unwrap();
    assert_eq!(&*attach(store, &id, None, T).await.unwrap().tools_version, "v2");
}

pub(super) async fn refuses_once_ended(store: &AnyStore) {
    let id = session(store, "ended").await;
    store.ask(AskRequest::new(&id, question("q", "token-1"), T)).await.unwrap();
    let mut state = SessionState::new("text");
    state.end(HOST);
    store.end(&id, state.changes_since(0)).await.unwrap();
    let ended = StoreError::SessionEnded;
    assert_eq!(attach(store, &id, None, T).await.unwrap_err(), ended);
    assert_eq!(store.begin_turn(&id, None, TurnStarter::Host, 0, T).await.unwrap_err(), ended);
    assert_eq!(store.claim(claim_of(&id, "call-1")).await.unwrap_err(), ended);
    assert_eq!(store.ask(AskRequest::new(&id, question("q", "token-2"), T)).await.unwrap_err(), ended);
    assert_eq!(store.token_state(&id, "token-1", T).await.unwrap_err(), ended);
    assert_eq!(store.close_question(&id, "token-1", Closing::Denied, T).await.unwrap_err(), ended);
    assert_eq!(store.pending_questions(&id, T).await.unwrap_err(), ended);
    assert_eq!(store.save_state(&id, Vec::new()).await.unwrap_err(), ended);
    assert_eq!(store.look_up(lookup_of(&id, &key("call-1"), T)).await.unwrap_err(), ended);
}

pub(super) async fn is_not_known_before_it_is_made(store: &AnyStore) {
    let id = id("nobody");
    assert_eq!(store.claim(claim_of(&id, "call-1")).await.unwrap_err(), StoreError::SessionEnded);
    assert_eq!(store.begin_turn(&id, None, TurnStarter::Host, 0, T).await.unwrap_err(), StoreError::SessionEnded);
    assert!(attach(store, &id, None, T).await.unwrap().created);
}

pub(super) async fn is_apart_from_others(store: &AnyStore) {
    let (one, other) = (session(store, "one").await, session(store, "other").await);
    done(store, &one, "call-1", EffectClass::Write).await;
    store.ask(AskRequest::new(&one, question("q", "token-1"), T)).await.unwrap();
    store.begin_turn(&one, Some("a".into()), TurnStarter::Host, 0, T).await.unwrap();
    store.begin_turn(&one, Some("b".into()), TurnStarter::Host, 0, T).await.unwrap();
    assert_eq!(record(store, &other, "call-1").await, None);
    assert_eq!(seen(store, &other, &key("x"), 1, T).await.total_calls, 0);
    assert!(matches!(store.token_state(&other, "token-1", T).await.unwrap(), super::super::TokenState::Unknown));
    assert_eq!(store.close_question(&other, "token-1", Closing::Denied, T).await.unwrap(), None);
    assert_eq!(store.begin_turn(&other, Some("b".into()), TurnStarter::Host, 0, T).await.unwrap().number, 1);
    granted(store, claim_of(&other, "call-1")).await;
}

pub(super) async fn is_swept(store: &AnyStore) {
    let (idle, used, held) = (session(store, "idle").await, session(store, "used").await, session(store, "held").await);
    store.begin_turn(&used, None, TurnStarter::Host, 0, T + DAY).await.unwrap();
    let dropped = store.sweep(idle_since(T + DAY), std::slice::from_ref(&held)).await.unwrap().sessions;
    assert!(dropped.contains(&idle), "{dropped:?}");
    assert!(!dropped.contains(&used) && !dropped.contains(&held), "{dropped:?}");
    assert!(attach(store, &idle, None, T + DAY).await.unwrap().created, "it is gone with all it had");
    assert!(!attach(store, &used, None, T + DAY).await.unwrap().created);
    assert!(!attach(store, &held, None, T + DAY).await.unwrap().created);
}

pub(super) async fn makes_room_for_the_newest(store: &AnyStore) {
    let mut made = Vec::new();
    for n in 0..5 {
        let id = id(&format!("room-{n}"));
        attach(store, &id, None, T + n).await.unwrap();
        made.push(id);
    }
    let dropped = store.evict(2, T + 4, &|id| *id == made[0]);
    assert!(made[1..4].iter().all(|id| dropped.contains(id)), "the longest idle go: {dropped:?}");
    assert!(!dropped.contains(&made[0]) && !dropped.contains(&made[4]), "{dropped:?}");
}

pub(super) async fn hears_of_changes(store: &AnyStore) {
    let id = session(store, "news").await;
    let look_at = async |known| {
        let lookup = CallLookup { known_revision: known, ..lookup_of(&id, &key("x"), T) };
        store.look_up(lookup).await.unwrap().state
    };
    assert_eq!(look_at(0).await, None);
    let mut state = SessionState::new("text");
    state.set("theme", json!("dark"), HOST).unwrap();
    store.save_state(&id, state.changes_since(0)).await.unwrap();
    assert_eq!(look_at(0).await.as_deref(), Some(&state), "a caller with an older revision gets the whole state");
    assert_eq!(look_at(1).await, None);
    assert_eq!(store.begin_turn(&id, None, TurnStarter::Host, 0, T).await.unwrap().state.as_deref(), Some(&state));
    assert_eq!(store.begin_turn(&id, None, TurnStarter::Host, 1, T).await.unwrap().state, None);
}

pub(super) async fn merges_changes(store: &AnyStore) {
    let id = session(store, "merge").await;
    let change = |field: &str| {
        let mut state = SessionState::new("text");
        state.set(field, json!(1), HOST).unwrap();
        state.changes_since(0)
    };
    store.save_state(&id, change("mine")).await.unwrap();
    store.save_state(&id, change("yours")).await.unwrap();
    let epoch = granted(store, claim_of(&id, "call-1")).await;
    let ours = Settlement { changes: change("ours"), ..settlement(&id, "call-1", epoch, Some(answered("call-1"))) };
    assert!(store.settle(ours).await.unwrap());
    let state = attach(store, &id, None, T).await.unwrap().state;
    let kept: Vec<_> = ["mine", "yours", "ours"].iter().map(|field| state.get(field).cloned()).collect();
    assert_eq!(kept, [Some(json!(1)), Some(json!(1)), Some(json!(1))]);
    assert_eq!(state.history().count(), 3);
}

pub(super) async fn hands_over_a_message_once(store: &AnyStore) {
    let id = session(store, "message").await;
    let mut state = SessionState::new("text");
    state.set("pendingMessage", json!("mail arrived"), HOST).unwrap();
    store.begin_turn(&id, Some("a".into()), TurnStarter::Host, 0, T).await.unwrap();
    store.save_state(&id, state.changes_since(0)).await.unwrap();
    assert_eq!(
        store.begin_turn(&id, Some("a".into()), TurnStarter::Host, 1, T).await.unwrap().pending_message,
        None,
        "no new turn"
    );
    let begun = store.begin_turn(&id, Some("b".into()), TurnStarter::Host, 1, T).await.unwrap();
    assert_eq!(begun.pending_message.as_deref(), Some("mail arrived"));
    assert_eq!(begun.state.unwrap().get("pendingMessage"), Some(&json!(null)));
    assert_eq!(store.begin_turn(&id, Some("c".into()), TurnStarter::Host, 2, T).await.unwrap().pending_message, None);
}
