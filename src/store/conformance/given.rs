//! The first questions of calls, and what became of calls, for those who only look.

use super::super::outcome::{CallName, OutcomeState};
use super::super::{AskResult, Closing, GivenQuestion, ParentClaim, Token, TokenState};
use super::*;
use crate::store::StoreRequests;

async fn ask(store: &AnyStore, id: &SessionId, question: Question) -> Token {
    match store.ask(AskRequest::new(id, question, T)).await.unwrap() {
        AskResult::Pending(question) => Token::clone(&question.token),
        other => panic!("not asked: {other:?}"),
    }
}

/// A question of the call `call`, which sent these arguments.
fn of_call(call: &str, name: &str, token: &str) -> Question {
    let fingerprint = Fingerprint::from_text(HashKey::new([7; 16]), "send", &format!("{{\"to\":\"{name}\"}}"));
    Question { call_id: Some(call.into()), key: key(call), fingerprint, ..question(name, token) }
}

async fn given(store: &AnyStore, id: &SessionId, call: &str, turn: u32) -> Vec<(String, &'static str)> {
    let given = store.given_questions(id, &call.into(), turn, T).await.unwrap();
    let state = |state: &TokenState| match state {
        TokenState::Pending(_) => "pending",
        TokenState::Expired(_) => "expired",
        TokenState::Denied(_) => "denied",
        TokenState::Used { .. } => "used",
        TokenState::Unknown => "unknown",
    };
    let named = |GivenQuestion { state: found, .. }: &GivenQuestion| {
        (found.question().unwrap().token.to_string(), state(found))
    };
    given.iter().map(named).collect()
}

async fn outcome(store: &AnyStore, id: &SessionId, name: CallName) -> (OutcomeState, Option<String>) {
    let found = store.outcome(id, name, 1, T).await.unwrap();
    (found.state, found.open.map(|open| open.token.to_string()))
}

fn by_id(call: &str) -> CallName {
    CallName::Call(call.into())
}

fn by_token(token: &str) -> CallName {
    CallName::Token(token.to_owned())
}

pub(super) async fn is_the_first_of_each_call(store: &AnyStore) {
    let id = session(store, "given-first").await;
    assert_eq!(given(store, &id, "call-1", 1).await, []);
    ask(store, &id, of_call("call-1", "a", "token-1")).await;
    ask(store, &id, of_call("call-2", "a", "token-2")).await;
    let first = [("token-1".to_owned(), "pending")];
    assert_eq!(given(store, &id, "call-1", 1).await, first);
    assert_eq!(given(store, &id, "call-2", 1).await, first, "an equal call has the same one");
    // Another definition takes its place.
    let anew = Question { definition: [2; 32], ..of_call("call-1", "a", "token-3") };
    assert_eq!(&*ask(store, &id, anew).await, "token-3");
    assert_eq!(given(store, &id, "call-1", 1).await, [("token-1".to_owned(), "expired")], "no later one");
    store.close_question(&id, "token-3", Closing::Denied, T).await.unwrap();
    assert_eq!(given(store, &id, "call-1", 1).await, [("token-1".to_owned(), "expired")]);
    ask(store, &id, of_call("call-1", "b", "token-4")).await;
    let both = [("token-4".to_owned(), "pending"), ("token-1".to_owned(), "expired")];
    assert_eq!(given(store, &id, "call-1", 1).await, both, "of a call with other arguments the first one, too");
    for (nth, name) in ["c", "d", "e", "f", "g", "h", "i", "j"].into_iter().enumerate() {
        ask(store, &id, of_call("call-1", name, &format!("more-{nth}"))).await;
    }
    let kept = given(store, &id, "call-1", 1).await;
    assert_eq!((kept.len(), kept[7].0.as_str()), (8, "token-1"), "a bounded number, the first ones");
}

pub(super) async fn is_that_of_its_turn_if_the_id_is_numbered_anew(store: &AnyStore) {
    let id = session(store, "given-numbered").await;
    let numbered = |turn: u32, token: &str| Question {
        turn,
        key: RecordKey::from_stored(&format!("hash:{turn}:0123456789abcdef")),
        ..of_call("call_0", "a", token)
    };
    ask(store, &id, numbered(1, "token-1")).await;
    store.close_question(&id, "token-1", Closing::Denied, T).await.unwrap();
    ask(store, &id, numbered(3, "token-3")).await;
    for (turn, token) in [(1, "token-1"), (2, "token-1"), (3, "token-3"), (9, "token-3")] {
        assert_eq!(given(store, &id, "call_0", turn).await[0].0, token, "in turn {turn}");
    }
    for turn in 4..20 {
        let token = format!("token-{turn}");
        store.close_question(&id, &format!("token-{}", turn - 1), Closing::Denied, T).await.unwrap();
        ask(store, &id, numbered(turn, &token)).await;
        assert_eq!(given(store, &id, "call_0", turn).await[0].0, token, "the last ones are kept");
    }
}

pub(super) async fn is_forgotten_with_its_question(store: &AnyStore) {
    let id = session(store, "given-forgotten").await;
    ask(store, &id, of_call("call-1", "a", "token-1")).await;
    for nth in 0..9 {
        ask(store, &id, of_call(&format!("again-{nth}"), "a", "other")).await;
    }
    assert_eq!(given(store, &id, "again-8", 1).await.len(), 1);
    assert_eq!(given(store, &id, "again-0", 1).await, [], "of many equal calls the last ones are known");
    store.close_question(&id, "token-1", Closing::Denied, T).await.unwrap();
    for nth in 0..100 {
        ask(store, &id, of_call("call-2", &format!("{nth:03}"), &format!("later-{nth}"))).await;
        store.close_question(&id, &format!("later-{nth}"), Closing::Denied, T).await.unwrap();
    }
    assert!(matches!(store.token_state(&id, "token-1", T).await.unwrap(), TokenState::Unknown));
    for call in ["call-1", "again-8"] {
        assert_eq!(given(store, &id, call, 1).await, []);
    }
}

pub(super) async fn ends_with_the_call_that_asks(store: &AnyStore) {
    let id = session(store, "given-nested").await;
    let epoch = granted(store, claim_of(&id, "parent")).await;
    let nested = |token: &str, epoch| Question {
        parents: vec![ParentClaim { key: key("parent"), epoch }],
        call_id: None,
        key: key("within"),
        ..question("a", token)
    };
    ask(store, &id, nested("token-1", epoch)).await;
    assert_eq!(store.pending_questions(&id, T).await.unwrap().len(), 1);
    assert!(settle(store, &id, "parent", epoch, Some(answered("done"))).await);
    assert_eq!(store.pending_questions(&id, T).await.unwrap(), [], "its caller has ended");
    assert!(matches!(store.token_state(&id, "token-1", T).await.unwrap(), TokenState::Expired(_)));
    let yes = Claim { consume_token: Some("token-1".into()), budget: None, ..claim_of(&id, "within") };
    assert!(matches!(store.claim(yes).await.unwrap(), ClaimResult::ConfirmationNotPending));
    assert_eq!(&*ask(store, &id, nested("token-2", epoch)).await, "token-2", "an equal call is asked about anew");
    assert_eq!(outcome(store, &id, by_token("token-1")).await.0, OutcomeState::Expired);
}

pub(super) async fn stays_for_whoever_else_asks(store: &AnyStore) {
    let id = session(store, "given-shared").await;
    let one = granted(store, claim_of(&id, "one")).await;
    let two = granted(store, claim_of(&id, "two")).await;
    let of = |name: &str, token: &str, parent: &str, epoch| Question {
        parents: vec![ParentClaim { key: key(parent), epoch }],
        call_id: None,
        key: key(&format!("within {parent}")),
        ..question(name, token)
    };
    let open = async || {
        let pending = store.pending_questions(&id, T).await.unwrap();
        pending.iter().map(|question| question.token.to_string()).collect::<Vec<_>>()
    };
    ask(store, &id, of("a", "both", "one", one)).await;
    assert_eq!(&*ask(store, &id, of("a", "other", "two", two)).await, "both");
    ask(store, &id, of("b", "model", "one", one)).await;
    assert_eq!(&*ask(store, &id, of_call("call-1", "b", "other")).await, "model");
    ask(store, &id, of("c", "alone", "one", one)).await;
    assert!(settle(store, &id, "one", one, Some(answered("done"))).await);
    assert_eq!(open().await, ["both", "model"]);
    assert!(settle(store, &id, "two", two, None).await);
    assert_eq!(open().await, ["model"], "a question of the model is its user's to answer");
}

pub(super) async fn is_looked_at_without_an_answer(store: &AnyStore) {
    let id = session(store, "outcome").await;
    let nothing = (OutcomeState::NotFound, None);
    assert_eq!(outcome(store, &id, by_id("call-1")).await, nothing);
    assert_eq!(outcome(store, &id, by_token("token-1")).await, nothing);
    ask(store, &id, of_call("call-1", "a", "token-1")).await;
    let pending = (OutcomeState::Pending, Some("token-1".to_owned()));
    for name in [by_id("call-1"), by_token("token-1")] {
        assert_eq!(outcome(store, &id, name.clone()).await, pending);
        assert_eq!(outcome(store, &id, name).await, pending, "a look answers nothing");
    }
    let yes = Claim { consume_token: Some("token-1".into()), budget: None, ..claim_of(&id, "call-1") };
    let epoch = granted(store, yes).await;
    assert_eq!(outcome(store, &id, by_id("call-1")).await, (OutcomeState::Running, None));
    assert!(settle(store, &id, "call-1", epoch, Some(RecordState::Unknown)).await);
    assert_eq!(outcome(store, &id, by_token("token-1")).await, (OutcomeState::Unknown, None));
    assert!(settle(store, &id, "call-1", epoch, Some(answered("done"))).await);
    for name in [by_id("call-1"), by_token("token-1")] {
        let found = store.outcome(&id, name, 1, T).await.unwrap();
        let (of, record) = found.record.unwrap();
        assert_eq!((found.state, of, record.state.clone()), (OutcomeState::Answered, key("call-1"), answered("done")));
    }
    // A question that takes the place of another one.
    ask(store, &id, of_call("call-2", "b", "token-2")).await;
    ask(store, &id, Question { definition: [2; 32], ..of_call("call-2", "b", "token-3") }).await;
    let replaced = (OutcomeState::Expired, Some("token-3".to_owned()));
    assert_eq!(outcome(store, &id, by_token("token-2")).await, replaced);
    assert_eq!(outcome(store, &id, by_id("call-2")).await, (OutcomeState::Pending, Some("token-3".to_owned())));
    store.close_question(&id, "token-3", Closing::Denied, T).await.unwrap();
    assert_eq!(outcome(store, &id, by_token("token-3")).await, (OutcomeState::Denied, None));
    // A call without a question.
    let epoch = granted(store, claim_of(&id, "call-4")).await;
    assert_eq!(outcome(store, &id, by_id("call-4")).await, (OutcomeState::Running, None));
    assert!(settle(store, &id, "call-4", epoch, None).await);
    assert_eq!(outcome(store, &id, by_id("call-4")).await, nothing, "it has left nothing");
}
