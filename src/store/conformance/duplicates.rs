//! Acts: of equal calls under different ids one is granted, and the others are its duplicates.

use super::*;
use crate::json::KeyedHash;
use crate::store::{Act, ActName, ActOutcome, AskResult, DoneAct};

const WINDOW: u64 = 120_000;

pub(super) fn act(name: &str) -> Act {
    let name = ActName::from(KeyedHash::from_text(HashKey::new([7; 16]), name));
    Act { name, window_ms: WINDOW, turn: None, within: None, known: 0, owner: None }
}

/// A claim of the act `refund`.
fn refund(id: &SessionId, call: &str, now: EpochMs) -> Claim {
    Claim { act: Some(act("refund")), now, ..claim_of(id, call) }
}

async fn duplicate(store: &AnyStore, claim: Claim) -> DoneAct {
    match store.claim(claim).await.unwrap() {
        ClaimResult::Duplicate(done) => done,
        other => panic!("no duplicate: {other:?}"),
    }
}

pub(super) fn failed(side_effects: bool) -> RecordState {
    let RecordState::Settled(answer) = answered("failed") else { panic!("answered") };
    let stored = answer.to_stored_text();
    let (_, meta) = stored.rsplit_once('\n').unwrap();
    let error = format!(
        "{{\"ok\":false,\"error\":{{\"type\":\"INTERNAL\",\"message\":\"no\",\"retryable\":false,\"partialSideEffects\":{side_effects}}}"
    );
    RecordState::Settled(Arc::new(ToolResponse::from_stored_text(&format!("{error}\n{meta}")).unwrap()))
}

pub(super) async fn is_told_of_the_first(store: &AnyStore) {
    let id = session(store, "act-first").await;
    let epoch = granted(store, refund(&id, "call-1", T)).await;
    let running = duplicate(store, refund(&id, "call-2", T + 5)).await;
    assert_eq!((running.key, running.record.epoch, running.record.claimed_at), (key("call-1"), epoch, T));
    assert_eq!(running.record.state, RecordState::Started);
    assert!(settle(store, &id, "call-1", epoch, Some(answered("done"))).await);
    let done = duplicate(store, refund(&id, "call-3", T + WINDOW - 1)).await;
    assert_eq!(done.record.state, answered("done"), "with its answer");
    assert_eq!(done.summary().outcome, ActOutcome::Committed);
    assert!(record(store, &id, "call-3").await.is_none(), "nothing was changed");
    let total = |counted: &CallLookupResult| counted.total_calls;
    assert_eq!(total(&seen(store, &id, &key("call-1"), 1, T).await), 1, "nor debited");
    assert!(matches!(store.claim(refund(&id, "call-1", T)).await.unwrap(), ClaimResult::Existing(_)), "a replay");
    granted(store, Claim { act: Some(act("other")), ..refund(&id, "call-4", T) }).await;
    granted(store, Claim { act: None, ..refund(&id, "call-5", T) }).await;
    granted(store, refund(&id, "call-6", T + WINDOW)).await;
}

pub(super) async fn is_its_principals_alone(store: &AnyStore) {
    let id = session(store, "act-owner").await;
    let of = |principal: &str| Some(Act { owner: Some(principal.into()), ..act("refund") });
    let foreign = Claim { act: of("somebody"), ..refund(&id, "call-1", T) };
    assert_eq!(store.claim(foreign).await.unwrap_err(), StoreError::WrongPrincipal);
    let look = CallLookup { act: of("somebody"), ..lookup_of(&id, &key("call-1"), T) };
    assert_eq!(store.look_up(look).await.unwrap_err(), StoreError::WrongPrincipal);
    assert!(record(store, &id, "call-1").await.is_none());
}

pub(super) async fn is_apart_by_session(store: &AnyStore) {
    let (one, other) = (session(store, "act-one").await, session(store, "act-other").await);
    granted(store, refund(&one, "call-1", T)).await;
    granted(store, refund(&other, "call-2", T)).await;
}

pub(super) async fn is_done_once_of_many_at_once(store: &AnyStore) {
    let id = session(store, "act-race").await;
    let claims = (0..8).map(|number| store.claim(refund(&id, &format!("call-{number}"), T)));
    let results = futures_util::future::join_all(claims).await;
    let granted = results.iter().filter(|result| matches!(result, Ok(ClaimResult::Granted { .. }))).count();
    let duplicates = results.iter().filter(|result| matches!(result, Ok(ClaimResult::Duplicate(_)))).count();
    assert_eq!((granted, duplicates), (1, 7), "{results:?}");
}

pub(super) async fn is_done_again_where_its_user_knows(store: &AnyStore) {
    let id = session(store, "act-again").await;
    let first = granted(store, refund(&id, "call-1", T)).await;
    let knowing = |known| Some(Act { known, ..act("refund") });
    let second = granted(store, Claim { act: knowing(first), ..refund(&id, "call-2", T) }).await;
    // The user who confirmed the same meanwhile does not know of the second one.
    let done = duplicate(store, Claim { act: knowing(first), ..refund(&id, "call-3", T) }).await;
    assert_eq!(done.record.epoch, second);
    granted(store, Claim { act: knowing(second), ..refund(&id, "call-4", T) }).await;
}

pub(super) async fn is_not_done_where_it_failed_without_effects(store: &AnyStore) {
    let id = session(store, "act-failed").await;
    let epoch = granted(store, refund(&id, "call-1", T)).await;
    assert!(settle(store, &id, "call-1", epoch, Some(failed(false))).await);
    let epoch = granted(store, refund(&id, "call-2", T)).await;
    assert!(settle(store, &id, "call-2", epoch, None).await, "it left nothing");
    let epoch = granted(store, refund(&id, "call-3", T)).await;
    assert!(settle(store, &id, "call-3", epoch, Some(failed(true))).await);
    let doubtful = duplicate(store, refund(&id, "call-4", T)).await;
    assert_eq!(doubtful.summary().outcome, ActOutcome::Failed);
    // A later one that fails does not hide an earlier one.
    let known = Some(Act { known: epoch, ..act("refund") });
    let later = granted(store, Claim { act: known, ..refund(&id, "call-5", T) }).await;
    assert!(settle(store, &id, "call-5", later, Some(failed(false))).await);
    assert_eq!(duplicate(store, refund(&id, "call-6", T)).await.record.epoch, epoch);
}

pub(super) async fn is_unknown_once_its_claim_is_lost(store: &AnyStore) {
    let id = session(store, "act-lost").await;
    granted(store, Claim { lease_ms: Some(100), ..refund(&id, "call-1", T) }).await;
    assert_eq!(duplicate(store, refund(&id, "call-2", T + 99)).await.summary().outcome, ActOutcome::Running);
    assert_eq!(duplicate(store, refund(&id, "call-2", T + 100)).await.summary().outcome, ActOutcome::Unknown);
    // What may run again when it is lost has done nothing yet.
    let upsert = |call: &str, now| Claim {
        act: Some(act("upsert")),
        effect: EffectClass::IdempotentWrite,
        lease_ms: Some(100),
        ..refund(&id, call, now)
    };
    granted(store, upsert("call-3", T)).await;
    granted(store, upsert("call-4", T + 100)).await;
}

pub(super) async fn is_meant_within_one_call(store: &AnyStore) {
    let id = session(store, "act-within").await;
    let within = |parent: &str, call: &str| Claim {
        act: Some(Act { within: Some(key(parent)), ..act("refund") }),
        ..refund(&id, call, T)
    };
    granted(store, within("parent-1", "call-1")).await;
    granted(store, within("parent-1", "call-2")).await;
    duplicate(store, within("parent-2", "call-3")).await;
    duplicate(store, refund(&id, "call-4", T)).await;
}

pub(super) async fn is_unheard_until_its_result_is_accepted(store: &AnyStore) {
    let id = session(store, "act-held").await;
    let in_turn = |call: &str, turn| {
        let act = Some(Act { turn: Some(turn), ..act("refund") });
        Claim { act, turn, hold: Some(owed::hold_by(1)), ..refund(&id, call, T) }
    };
    let epoch = granted(store, in_turn("call-1", 1)).await;
    assert!(owed::ends(store, &id, "call-1", epoch).await);
    assert_eq!(duplicate(store, in_turn("call-2", 2)).await.record.epoch, epoch, "it is held");
    assert!(owed::end(store, &id, 1, epoch, false).await);
    assert_eq!(duplicate(store, in_turn("call-2", 2)).await.record.epoch, epoch, "it is offered");
    assert!(owed::take(store, &id, 2, &[], T).await.result.is_some());
    assert!(owed::end(store, &id, 2, epoch, true).await);
    granted(store, in_turn("call-2", 2)).await;
}

pub(super) async fn is_told_by_its_question(store: &AnyStore) {
    let id = session(store, "act-question").await;
    let ask = async |token: &str, known: Option<DoneAct>| {
        let again = known.map(|done| done.summary());
        let question = Question { again, ..question("q", token) };
        store.ask(AskRequest { act: Some(act("refund")), ..AskRequest::new(&id, question, T) }).await.unwrap()
    };
    let AskResult::Pending(first) = ask("token-1", None).await else { panic!("asked") };
    granted(store, refund(&id, "call-1", T)).await;
    let AskResult::Done(done) = ask("token-2", None).await else { panic!("the pending one does not tell of it") };
    let confirmed = |token: &str| Claim { consume_token: Some(token.into()), ..refund(&id, "q", T) };
    duplicate(store, confirmed(&first.token)).await;
    let AskResult::Pending(second) = ask("token-3", Some(done.clone())).await else { panic!("asked anew") };
    assert_eq!((&*second.token, second.known_act()), ("token-3", done.record.epoch));
    let AskResult::Pending(same) = ask("token-4", None).await else { panic!("the pending one tells of it") };
    assert_eq!(same, second);
    assert!(matches!(store.claim(confirmed("token-3")).await.unwrap(), ClaimResult::Duplicate(_)), "it must know");
    let known = Some(Act { known: second.known_act(), ..act("refund") });
    let replaced = Claim { act: known.clone(), ..confirmed("token-1") };
    assert!(matches!(store.claim(replaced).await.unwrap(), ClaimResult::ConfirmationNotPending));
    granted(store, Claim { act: known, ..confirmed("token-3") }).await;
    assert!(matches!(ask("token-5", None).await, AskResult::Confirmed(_)), "asked in the same turn");
}
