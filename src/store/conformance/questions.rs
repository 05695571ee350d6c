//! Questions to a user: one per equal call, each confirmed at most once.

use super::super::{AskResult, ConfirmedBy, ExpiryReport, TokenState};
use super::*;
use crate::store::StoreRequests;

async fn ask(store: &AnyStore, id: &SessionId, question: Question) -> AskResult {
    store.ask(AskRequest::new(id, question, T)).await.unwrap()
}

async fn tokens(store: &AnyStore, id: &SessionId, now: EpochMs) -> Vec<String> {
    store.pending_questions(id, now).await.unwrap().iter().map(|question| question.token.to_string()).collect()
}

/// A question that is no longer pending: without its arguments and preview.
fn remembered(name: &str, token: &str) -> Question {
    Question { args: "".into(), preview: String::new(), ..question(name, token) }
}

/// A claim that consumes the user's confirmation.
fn by_yes(id: &SessionId, name: &str, token: &str) -> Claim {
    Claim { consume_token: Some(token.into()), budget: None, ..claim_of(id, name) }
}

pub(super) async fn is_asked_once(store: &AnyStore) {
    let id = session(store, "asked").await;
    let AskResult::Pending(first) = ask(store, &id, question("a", "token-1")).await else { panic!("asked") };
    assert_eq!(*first, question("a", "token-1"));
    let equal = Question { key: key("other"), turn: 5, ..question("a", "token-2") };
    let AskResult::Pending(again) = ask(store, &id, equal).await else { panic!("asked") };
    assert_eq!(again, first, "an equal question is the same one, from whichever call");
    for n in 0..10 {
        let equal = Question { call_id: Some(format!("again-{n}").as_str().into()), ..question("a", "token-5") };
        let AskResult::Pending(again) = ask(store, &id, equal).await else { panic!("asked") };
        assert_eq!(again.token, first.token);
    }
    let waiting = store.pending_questions(&id, T).await.unwrap();
    let of = |call: &str| waiting.iter().filter(|question| question.was_asked_by(call)).count();
    let known = [of("a"), of("again-9"), of("again-2"), of("again-1"), of("other")];
    assert_eq!(known, [1, 1, 1, 0, 0], "it knows the call that asked, and the last few that came again");
    let AskResult::Pending(other) = ask(store, &id, question("b", "token-3")).await else { panic!("asked") };
    assert_eq!(&*other.token, "token-3");
    let newer = Question { tool_version: "1.0.1".into(), ..question("a", "token-4") };
    let AskResult::Pending(newer) = ask(store, &id, newer).await else { panic!("asked") };
    assert_eq!(&*newer.token, "token-4", "a tool that changed is asked for anew");
    assert_eq!(tokens(store, &id, T).await, ["token-1", "token-3", "token-4"], "oldest first");
    let TokenState::Pending(found) = store.token_state(&id, "token-1", T).await.unwrap() else { panic!("it waits") };
    assert_eq!(found.token, first.token);
}

pub(super) async fn is_replaced_once_its_tool_is_defined_anew(store: &AnyStore) {
    let id = session(store, "defined-anew").await;
    ask(store, &id, question("a", "token-1")).await;
    ask(store, &id, question("b", "token-2")).await;
    let anew = Question { definition: [2; 32], ..question("a", "token-3") };
    let AskResult::Pending(asked) = ask(store, &id, anew.clone()).await else { panic!("asked") };
    assert_eq!(&*asked.token, "token-3", "what was shown before may be another call now");
    assert_eq!(tokens(store, &id, T).await, ["token-2", "token-3"], "equal calls are one question");
    assert!(matches!(store.token_state(&id, "token-1", T).await.unwrap(), TokenState::Expired(_)));
    let AskResult::Pending(again) = ask(store, &id, Question { token: "token-4".into(), ..anew }).await else {
        panic!("asked")
    };
    assert_eq!(&*again.token, "token-3");
    assert!(store.close_question(&id, "token-3", Closing::Changed, T).await.unwrap().is_some());
    assert_eq!(store.close_question(&id, "token-3", Closing::Changed, T).await.unwrap(), None, "it is closed");
    assert_eq!(tokens(store, &id, T).await, ["token-2"]);
    assert!(matches!(store.token_state(&id, "token-3", T).await.unwrap(), TokenState::Expired(_)));
    for token in ["token-5", "token-6", "token-7"] {
        let again = Question { definition: [3; 32], ..question("a", token) };
        assert!(matches!(ask(store, &id, again).await, AskResult::Pending(_)), "it was not denied");
        store.close_question(&id, token, Closing::Changed, T).await.unwrap();
    }
}

/// One call that was asked about under two definitions: whichever is answered, the other can't be any more.
pub(super) async fn is_closed_once_its_call_runs(store: &AnyStore) {
    let id = session(store, "one-call").await;
    let under = |token: &str, amount: &str, call: &str| Question {
        key: key(call),
        args: amount.into(),
        args_digest: [u8::try_from(amount.len()).unwrap(); 32],
        ..question("a", token)
    };
    ask(store, &id, under("token-1", "5", "a")).await;
    ask(store, &id, under("token-2", "5.0", "a")).await;
    ask(store, &id, under("token-3", "50.00", "b")).await;
    granted(store, by_yes(&id, "a", "token-2")).await;
    assert_eq!(tokens(store, &id, T).await, ["token-3"], "of another call");
    assert!(matches!(store.token_state(&id, "token-1", T).await.unwrap(), TokenState::Expired(_)));
    ask(store, &id, under("token-4", "5.00", "b")).await;
    granted(store, Claim { consume_token: None, ..claim_of(&id, "b") }).await;
    assert_eq!(tokens(store, &id, T).await, [""; 0], "a call that runs without an answer asks no more");
}

pub(super) async fn runs_once(store: &AnyStore) {
    let id = session(store, "runs-once").await;
    ask(store, &id, question("a", "token-1")).await;
    let epoch = granted(store, by_yes(&id, "a", "token-1")).await;
    assert_eq!(tokens(store, &id, T).await, [""; 0]);
    let TokenState::Used { question: asked, record } = store.token_state(&id, "token-1", T).await.unwrap() else {
        panic!("it was used")
    };
    assert_eq!((*asked).clone(), remembered("a", "token-1"));
    assert_eq!(record.unwrap().state, RecordState::Started);
    assert!(settle(store, &id, "a", epoch, Some(answered("a"))).await);
    let TokenState::Used { record, .. } = store.token_state(&id, "token-1", T).await.unwrap() else {
        panic!("it was used")
    };
    assert_eq!(record.unwrap().state, answered("a"), "and says what became of it");
    assert!(matches!(store.claim(by_yes(&id, "again", "token-1")).await.unwrap(), ClaimResult::ConfirmationNotPending));
    assert!(matches!(store.claim(by_yes(&id, "guess", "token-9")).await.unwrap(), ClaimResult::ConfirmationNotPending));
    assert_eq!(record_names(store, &id, &["again", "guess"]).await, 0);
}

async fn record_names(store: &AnyStore, id: &SessionId, names: &[&str]) -> usize {
    let mut found = 0;
    for name in names {
        found += usize::from(record(store, id, name).await.is_some());
    }
    found
}

pub(super) async fn stays_where_nothing_was_granted(store: &AnyStore) {
    let id = session(store, "stays").await;
    ask(store, &id, question("asking", "token-1")).await;
    done(store, &id, "a", EffectClass::Write).await;
    assert!(matches!(store.claim(by_yes(&id, "a", "token-1")).await.unwrap(), ClaimResult::Existing(_)));
    let over = Claim { budget: Some(Budget { retrieval_calls: 0, total_calls: 0 }), ..by_yes(&id, "b", "token-1") };
    assert!(matches!(store.claim(over).await.unwrap(), ClaimResult::OverBudget(_)));
    assert_eq!(tokens(store, &id, T).await, ["token-1"]);
    granted(store, by_yes(&id, "c", "token-1")).await;
}

pub(super) async fn closes_in_time(store: &AnyStore) {
    let id = session(store, "closes").await;
    ask(store, &id, question("a", "token-1")).await;
    let (open, closed) = (T + 59_999, T + 60_000);
    assert_eq!(tokens(store, &id, open).await, ["token-1"]);
    assert!(matches!(store.token_state(&id, "token-1", open).await.unwrap(), TokenState::Pending(_)));
    assert!(matches!(
        store.claim(Claim { now: closed, ..by_yes(&id, "a", "token-1") }).await.unwrap(),
        ClaimResult::ConfirmationNotPending
    ));
    assert_eq!(tokens(store, &id, closed).await, [""; 0]);
    let TokenState::Expired(late) = store.token_state(&id, "token-1", closed).await.unwrap() else {
        panic!("too late")
    };
    assert_eq!((*late).clone(), remembered("a", "token-1"));
    assert_eq!(store.close_question(&id, "token-1", Closing::Denied, closed).await.unwrap(), None);
    let later = Question { expires: closed + 60_000, ..question("a", "token-2") };
    let AskResult::Pending(again) = store.ask(AskRequest::new(&id, later, closed)).await.unwrap() else {
        panic!("asked")
    };
    assert_eq!(&*again.token, "token-2");
}

pub(super) async fn is_not_asked_again_in_the_next_turn(store: &AnyStore) {
    let id = session(store, "next-turn").await;
    ask(store, &id, question("a", "token-1")).await;
    granted(store, Claim { turn: 3, ..by_yes(&id, "a", "token-1") }).await;
    for turn in [3, 4] {
        let equal = Question { turn, key: key("other"), ..question("a", "token-2") };
        let AskResult::Confirmed(confirmed) = ask(store, &id, equal).await else {
            panic!("asked again in turn {turn}")
        };
        assert_eq!((confirmed.key, confirmed.turn), (key("a"), 3));
    }
    let later = Question { turn: 5, ..question("a", "token-3") };
    assert!(matches!(ask(store, &id, later).await, AskResult::Pending(_)));
}

pub(super) async fn is_answered_by_another_call(store: &AnyStore) {
    let id = session(store, "answered-by").await;
    done(store, &id, "other", EffectClass::Write).await;
    for (name, token, by) in [("a", "token-1", "other"), ("b", "token-2", "missing")] {
        ask(store, &id, question(name, token)).await;
        let closing = || Closing::AnsweredBy(key(by), ConfirmedBy::Token);
        assert!(store.close_question(&id, token, closing(), T).await.unwrap().is_some());
        assert_eq!(store.close_question(&id, token, closing(), T).await.unwrap(), None, "it is closed");
        let TokenState::Used { record, .. } = store.token_state(&id, token, T).await.unwrap() else { panic!("used") };
        assert_eq!(record.is_some(), by == "other");
    }
    let AskResult::Confirmed(confirmed) = ask(store, &id, question("a", "token-3")).await else { panic!("answered") };
    assert_eq!((confirmed.key, confirmed.turn), (key("other"), 1));
    assert!(matches!(ask(store, &id, question("b", "token-4")).await, AskResult::Pending(_)), "nothing answers it");
    assert_eq!(tokens(store, &id, T).await, ["token-4"]);
}

pub(super) async fn is_asked_again_where_nothing_is_left(store: &AnyStore) {
    let id = session(store, "left").await;
    ask(store, &id, question("a", "token-1")).await;
    let epoch = granted(store, by_yes(&id, "a", "token-1")).await;
    assert!(settle(store, &id, "a", epoch, None).await);
    let AskResult::Pending(again) = ask(store, &id, question("a", "token-2")).await else {
        panic!("nothing is left to join")
    };
    assert_eq!(&*again.token, "token-2");
    let TokenState::Used { record, .. } = store.token_state(&id, "token-1", T).await.unwrap() else {
        panic!("it was used")
    };
    assert_eq!(record, None);
}

pub(super) async fn is_withdrawn_once(store: &AnyStore) {
    let id = session(store, "withdrawn").await;
    ask(store, &id, question("a", "token-1")).await;
    assert_eq!(store.close_question(&id, "token-9", Closing::Denied, T).await.unwrap(), None);
    let withdrawn = store.close_question(&id, "token-1", Closing::Denied, T).await.unwrap().unwrap();
    assert_eq!(*withdrawn, question("a", "token-1"));
    assert_eq!(store.close_question(&id, "token-1", Closing::Denied, T).await.unwrap(), None);
    assert!(matches!(store.claim(by_yes(&id, "a", "token-1")).await.unwrap(), ClaimResult::ConfirmationNotPending));
    let AskResult::Pending(again) = ask(store, &id, question("a", "token-2")).await else {
        panic!("a no is no answer for ever")
    };
    assert_eq!(&*again.token, "token-2");
}

pub(super) async fn is_not_asked_a_third_time_in_a_turn(store: &AnyStore) {
    let id = session(store, "denied").await;
    for token in ["token-1", "token-2"] {
        assert!(matches!(ask(store, &id, question("a", token)).await, AskResult::Pending(_)), "{token}");
        assert!(store.close_question(&id, token, Closing::Denied, T).await.unwrap().is_some());
    }
    let again = ask(store, &id, question("a", "token-3")).await;
    assert!(matches!(again, AskResult::Denied { times: 2 }), "{again:?}");
    assert!(matches!(ask(store, &id, question("b", "token-4")).await, AskResult::Pending(_)), "another call");
    let later = Question { turn: 2, ..question("a", "token-5") };
    assert!(matches!(ask(store, &id, later).await, AskResult::Pending(_)), "another turn");
}

pub(super) async fn makes_room_for_a_newer_one(store: &AnyStore) {
    let id = session(store, "many").await;
    for n in 0..21 {
        ask(store, &id, question(&format!("q-{n}"), &format!("token-{n}"))).await;
    }
    let waiting = tokens(store, &id, T).await;
    assert_eq!(waiting.len(), 20);
    assert_eq!((&*waiting[0], &*waiting[19]), ("token-1", "token-20"));
    assert!(matches!(store.claim(by_yes(&id, "q-0", "token-0")).await.unwrap(), ClaimResult::ConfirmationNotPending));
}

pub(super) async fn is_found_by_its_id(store: &AnyStore) {
    let id = SessionId::from("found");
    attach(store, &id, Some("ada"), T).await.unwrap();
    let asked = question("a", "token-1");
    ask(store, &id, asked.clone()).await;
    let found = store.find_question(&id, &asked.id(), T).await.unwrap();
    assert_eq!(found.owner.principal(), Some("ada"));
    let TokenState::Pending(pending) = found.state else { panic!("it waits") };
    assert_eq!(*pending, asked);
    for other in ["token-1", "", "tgq_", &question("a", "token-2").id()] {
        let found = store.find_question(&id, other, T).await.unwrap();
        assert!(matches!(found.state, TokenState::Unknown), "{other}");
    }
    let elsewhere = session(store, "found-elsewhere").await;
    let found = store.find_question(&elsewhere, &asked.id(), T).await.unwrap();
    assert!(matches!(found.state, TokenState::Unknown), "an id names nothing in another session");
    granted(store, by_yes(&id, "a", "token-1")).await;
    let found = store.find_question(&id, &asked.id(), T).await.unwrap();
    assert!(matches!(found.state, TokenState::Used { .. }));
}

pub(super) async fn is_reported_as_expired_once(store: &AnyStore) {
    let id = session(store, "reported").await;
    let (late, used, denied) = (question("a", "token-1"), question("b", "token-2"), question("c", "token-3"));
    for asked in [&late, &used, &denied] {
        ask(store, &id, asked.clone()).await;
        assert!(matches!(store.report_expiry(&id, &asked.id(), T).await.unwrap(), ExpiryReport::Pending));
    }
    granted(store, by_yes(&id, "b", "token-2")).await;
    assert!(store.close_question(&id, "token-3", Closing::Denied, T).await.unwrap().is_some());
    let closed = T + 60_000;
    // Other operations notice the expiry, too, and report nothing.
    assert_eq!(store.close_question(&id, "token-1", Closing::Denied, closed).await.unwrap(), None);
    let ExpiryReport::First(expired) = store.report_expiry(&id, &late.id(), closed).await.unwrap() else {
        panic!("it has expired")
    };
    assert_eq!((*expired).clone(), remembered("a", "token-1"));
    for other in [&late, &used, &denied, &question("d", "never-asked")] {
        let report = store.report_expiry(&id, &other.id(), closed).await.unwrap();
        assert!(matches!(report, ExpiryReport::Nothing), "{report:?}");
    }
    let TokenState::Expired(_) = store.token_state(&id, "token-1", closed).await.unwrap() else { panic!("too late") };
    // An operation that began before the report, by its own clock, does not let the call run after it.
    let TokenState::Expired(_) = store.token_state(&id, "token-1", T).await.unwrap() else { panic!("too late") };
    assert!(!matches!(store.claim(by_yes(&id, "a", "token-1")).await.unwrap(), ClaimResult::Granted { .. }));
    ask(store, &id, Question { expires: closed + 60_000, ..question("e", "token-4") }).await;
    store.close_question(&id, "token-4", Closing::Changed, T).await.unwrap();
    let report = store.report_expiry(&id, &question("e", "token-4").id(), T).await.unwrap();
    assert!(matches!(report, ExpiryReport::First(_)), "its tool has changed: {report:?}");
}
