//! Owed results: each is delivered to one attachment, whatever becomes of those that took it.

use super::*;
use crate::store::owed::{Deferral, DeferralResult, DeferralStep, EndDelivery, Hold, OwedEnd, TakeOwed, TakenOwed};

const MINUTE: EpochMs = 60_000;
const WEEK: EpochMs = 7 * DAY;

pub(super) fn response(name: &str) -> Arc<ToolResponse> {
    match answered(name) {
        RecordState::Settled(response) => response,
        other => panic!("not answered: {other:?}"),
    }
}

async fn step(store: &AnyStore, id: &SessionId, name: &str, epoch: u64, step: DeferralStep) -> DeferralResult {
    let (session, key, running) = (id.clone(), key(name), response("running"));
    store
        .defer(Deferral { session, key, epoch, running, args: Some("{}".into()), step, keep_ms: WEEK, now: T })
        .await
        .unwrap()
}

/// Claims a call, and answers its callers.
pub(super) async fn in_background(
    store: &AnyStore,
    id: &SessionId,
    name: &str,
    effect: EffectClass,
    lease: u64,
) -> u64 {
    let claim = Claim { effect, lease_ms: Some(lease), ..claim_of(id, name) };
    let epoch = granted(store, claim).await;
    assert!(matches!(step(store, id, name, epoch, DeferralStep::AnswerCallers).await, DeferralResult::Done));
    epoch
}

pub(super) async fn ends(store: &AnyStore, id: &SessionId, name: &str, epoch: u64) -> bool {
    let settlement = settlement(id, name, epoch, Some(answered(name)));
    store.settle(Settlement { owed: Some(response(name)), ..settlement }).await.unwrap()
}

pub(super) async fn take(store: &AnyStore, id: &SessionId, by: u64, held: &[u64], now: EpochMs) -> TakenOwed {
    store
        .take_owed(TakeOwed {
            session: id.clone(),
            by,
            held: held.to_vec(),
            skips: Vec::new(),
            takes: true,
            claimant: None,
            now,
        })
        .await
        .unwrap()
}

/// The name of the result that is taken.
async fn taken(store: &AnyStore, id: &SessionId, by: u64, now: EpochMs) -> Option<(u64, String)> {
    let owed = take(store, id, by, &[], now).await.result?;
    let name = owed.response.meta.call_id.as_ref().map_or("?", CallId::as_str).to_owned();
    Some((owed.epoch, name))
}

pub(super) async fn end(store: &AnyStore, id: &SessionId, by: u64, epoch: u64, accepted: bool) -> bool {
    store.end_delivery(EndDelivery { session: id.clone(), by, epoch, accepted, now: T }).await.unwrap()
}

pub(super) async fn is_delivered_once(store: &AnyStore) {
    let id = session(store, "owed-once").await;
    let epoch = in_background(store, &id, "a", EffectClass::Write, MINUTE).await;
    let running = take(store, &id, 1, &[], T).await;
    assert!(running.result.is_none());
    assert_eq!(running.others, 1, "it runs");
    let listed = store.list_owed(&id, T).await.unwrap();
    assert_eq!(listed.iter().map(|call| (call.epoch, call.is_running)).collect::<Vec<_>>(), [(epoch, true)]);
    assert!(record(store, &id, "a").await.unwrap().is_deferred);
    assert!(ends(store, &id, "a", epoch).await);
    assert_eq!(taken(store, &id, 1, T).await, Some((epoch, "a".to_owned())));
    let held = take(store, &id, 2, &[], T).await;
    assert!(held.result.is_none());
    assert_eq!(held.others, 1, "another has it");
    assert!(!end(store, &id, 2, epoch, true).await, "it is not held by this one");
    assert!(end(store, &id, 1, epoch, true).await);
    assert!(!end(store, &id, 1, epoch, true).await);
    assert_eq!(take(store, &id, 2, &[], T).await.others, 0);
    assert!(store.list_owed(&id, T).await.unwrap().is_empty());
}

pub(super) async fn is_offered_again(store: &AnyStore) {
    let id = session(store, "owed-again").await;
    let epoch = in_background(store, &id, "a", EffectClass::Write, MINUTE).await;
    ends(store, &id, "a", epoch).await;
    let name = Some((epoch, "a".to_owned()));
    assert_eq!(taken(store, &id, 1, T).await, name);
    assert!(end(store, &id, 1, epoch, false).await);
    assert_eq!(taken(store, &id, 2, T).await, name, "it was given back");
    assert_eq!(taken(store, &id, 3, T + MINUTE - 1).await, None);
    assert!(take(store, &id, 2, &[epoch], T + MINUTE - 1).await.result.is_none(), "it goes on holding it");
    assert_eq!(taken(store, &id, 3, T + MINUTE).await, None);
    assert_eq!(taken(store, &id, 3, T + 2 * MINUTE).await, name, "it is held no longer");
    assert!(!end(store, &id, 2, epoch, true).await);
}

pub(super) async fn is_taken_by_one_of_many_at_once(store: &AnyStore) {
    let id = session(store, "owed-race").await;
    for name in ["a", "b"] {
        let epoch = in_background(store, &id, name, EffectClass::Write, MINUTE).await;
        ends(store, &id, name, epoch).await;
    }
    let (a, b, c) = tokio::join!(taken(store, &id, 1, T), taken(store, &id, 2, T), taken(store, &id, 3, T));
    let mut names: Vec<String> = [a, b, c].into_iter().flatten().map(|(_, name)| name).collect();
    names.sort();
    assert_eq!(names, ["a", "b"]);
}

pub(super) async fn tells_what_became_of_a_lost_call(store: &AnyStore) {
    let id = session(store, "owed-lost").await;
    let write = in_background(store, &id, "write", EffectClass::Write, 100).await;
    let read = in_background(store, &id, "read", EffectClass::Read, 100).await;
    assert!(take(store, &id, 1, &[], T + 99).await.result.is_none());
    let first = take(store, &id, 1, &[], T + 100).await.result.unwrap();
    assert!(matches!(first.end, OwedEnd::Lost { effect: EffectClass::Write, .. }), "{first:?}");
    let second = take(store, &id, 1, &[write], T + 100).await.result.unwrap();
    assert!(matches!(&second.end, OwedEnd::Lost { effect: EffectClass::Read, args: Some(_), .. }), "{second:?}");
    // The read is made again, and its result is owed in place of the lost one's.
    let claim = Claim { effect: EffectClass::Read, lease_ms: Some(MINUTE), now: T + 100, ..claim_of(&id, "read") };
    let again = granted(store, claim).await;
    assert!(!end(store, &id, 1, read, true).await);
    assert!(matches!(step(store, &id, "read", again, DeferralStep::AnswerCallers).await, DeferralResult::Done));
    assert!(ends(store, &id, "read", again).await);
    assert_eq!(taken(store, &id, 2, T + 100).await, Some((again, "read".to_owned())));
}

pub(super) async fn is_left_until_its_deadline(store: &AnyStore) {
    let id = session(store, "owed-left").await;
    let claim = Claim { lease_ms: Some(100), ..claim_of(&id, "a") };
    let epoch = granted(store, claim).await;
    let secret = DeferralStep::AllowCompletion { secret: "digest".into() };
    assert!(matches!(step(store, &id, "a", epoch, secret).await, DeferralResult::Done));
    assert!(!record(store, &id, "a").await.unwrap().is_deferred, "its callers wait");
    let leave = DeferralStep::Leave { until: Some(T + MINUTE), answers_callers: true };
    assert!(matches!(step(store, &id, "a", epoch, leave).await, DeferralResult::Done));
    let renewal = Renewal { session: id.clone(), key: key("a"), epoch, lease_ms: 100, now: T };
    assert!(!store.renew(renewal).await.unwrap(), "no process holds it");
    let listed = store.list_owed(&id, T + MINUTE - 1).await.unwrap();
    let facts = |call: &crate::store::owed::OwedCall| (call.is_running, call.is_left, call.secret.clone());
    assert_eq!(listed.iter().map(facts).collect::<Vec<_>>(), [(true, true, Some("digest".into()))]);
    assert!(take(store, &id, 1, &[], T + MINUTE - 1).await.result.is_none());
    let overdue = take(store, &id, 1, &[], T + MINUTE).await.result.unwrap();
    assert!(matches!(overdue.end, OwedEnd::Overdue { claimed_at: T, .. }), "{overdue:?}");
    assert!(ends(store, &id, "a", epoch).await, "a late completion settles the record");
}

pub(super) async fn is_not_owed_where_the_callers_wait(store: &AnyStore) {
    let id = session(store, "owed-awaited").await;
    let epoch = granted(store, claim_of(&id, "a")).await;
    let secret = || DeferralStep::AllowCompletion { secret: "digest".into() };
    step(store, &id, "a", epoch, secret()).await;
    assert!(ends(store, &id, "a", epoch).await);
    let taken = take(store, &id, 1, &[], T).await;
    assert!(taken.result.is_none());
    assert_eq!(taken.others, 0);
    let ended = step(store, &id, "a", epoch, DeferralStep::AnswerCallers).await;
    assert!(matches!(ended, DeferralResult::Ended(Some(_))), "{ended:?}");
    let gone = granted(store, claim_of(&id, "b")).await;
    step(store, &id, "b", gone, secret()).await;
    assert!(settle(store, &id, "b", gone, None).await);
    assert!(matches!(step(store, &id, "b", gone, DeferralStep::AnswerCallers).await, DeferralResult::Ended(None)));
}

/// An attachment holds the result of a write that it answers directly.
pub(super) fn hold_by(by: u64) -> Hold {
    Hold { by, running: response("running"), keep_ms: WEEK }
}

/// A write that attachment 1 answers directly.
fn held(id: &SessionId, name: &str, lease: u64) -> Claim {
    let hold = Some(Hold { running: response(name), ..hold_by(1) });
    Claim { lease_ms: Some(lease), hold, ..claim_of(id, name) }
}

pub(super) async fn is_held_from_its_claim_on(store: &AnyStore) {
    let id = session(store, "owed-held").await;
    let epoch = granted(store, held(&id, "a", MINUTE)).await;
    let listed = store.list_owed(&id, T).await.unwrap();
    let facts = |call: &crate::store::owed::OwedCall| (call.epoch, call.is_direct, call.is_running);
    assert_eq!(listed.iter().map(facts).collect::<Vec<_>>(), [(epoch, true, true)]);
    assert_eq!(taken(store, &id, 2, T).await, None, "it runs");
    assert!(ends(store, &id, "a", epoch).await);
    assert_eq!(taken(store, &id, 1, T).await, None, "the holder has it as its answer");
    assert_eq!(taken(store, &id, 2, T + MINUTE - 1).await, None, "it is held");
    assert!(end(store, &id, 1, epoch, true).await);
    assert_eq!(taken(store, &id, 2, T + 2 * MINUTE).await, None, "it was accepted");
    // Released, or not renewed, it is a result like any other.
    let released = granted(store, held(&id, "b", MINUTE)).await;
    assert!(end(store, &id, 1, released, false).await, "its attachment leaves while it runs");
    assert_eq!(taken(store, &id, 2, T).await, None);
    assert!(ends(store, &id, "b", released).await);
    assert_eq!(taken(store, &id, 2, T).await, Some((released, "b".to_owned())));
    let left = granted(store, held(&id, "c", MINUTE)).await;
    assert!(ends(store, &id, "c", left).await);
    assert_eq!(taken(store, &id, 3, T + MINUTE).await, Some((released, "b".to_owned())));
    let next = take(store, &id, 3, &[released], T + MINUTE).await.result.unwrap();
    assert_eq!(next.epoch, left);
    assert!(!end(store, &id, 1, left, true).await, "another has it");
}

pub(super) async fn tells_what_became_of_a_held_call(store: &AnyStore) {
    let id = session(store, "owed-held-lost").await;
    let lost = granted(store, held(&id, "a", 100)).await;
    assert!(take(store, &id, 2, &[], T + 99).await.result.is_none());
    let owed = take(store, &id, 2, &[], T + 100).await.result.unwrap();
    assert!(matches!(owed.end, OwedEnd::Lost { effect: EffectClass::Write, args: None, .. }), "{owed:?}");
    assert_eq!(owed.response.meta.call_id, Some("a".into()));
    assert!(!end(store, &id, 1, lost, true).await);
    assert!(end(store, &id, 2, lost, true).await);
    // What ran nothing is owed to none, and an early answer makes the result one that any attachment takes.
    let gone = granted(store, held(&id, "b", MINUTE)).await;
    assert!(settle(store, &id, "b", gone, None).await);
    assert_eq!(taken(store, &id, 2, T + 2 * MINUTE).await, None);
    let early = granted(store, held(&id, "c", MINUTE)).await;
    assert!(matches!(step(store, &id, "c", early, DeferralStep::AnswerCallers).await, DeferralResult::Done));
    assert!(ends(store, &id, "c", early).await);
    assert_eq!(taken(store, &id, 1, T).await, Some((early, "c".to_owned())));
    assert!(end(store, &id, 1, early, true).await);
    let Some(dead) = crate::store::Claimant::dead_process() else { return };
    let died = granted(store, Claim { claimant: Some(dead), ..held(&id, "d", MINUTE) }).await;
    assert!(ends(store, &id, "d", died).await);
    assert_eq!(taken(store, &id, 2, T).await, Some((died, "d".to_owned())), "its process is gone");
}

pub(super) async fn is_bounded(store: &AnyStore) {
    let id = session(store, "owed-bound").await;
    for number in 0..crate::store::owed::MAX_OWED {
        in_background(store, &id, &format!("call-{number}"), EffectClass::Write, MINUTE).await;
    }
    let epoch = granted(store, claim_of(&id, "more")).await;
    assert!(matches!(step(store, &id, "more", epoch, DeferralStep::AnswerCallers).await, DeferralResult::Full));
    let claimed = store.claim(held(&id, "held", MINUTE)).await.unwrap();
    assert!(matches!(claimed, ClaimResult::Granted { is_held: false, .. }), "{claimed:?}");
    assert!(!record(store, &id, "more").await.unwrap().is_deferred);
}

pub(super) async fn goes_with_its_session(store: &AnyStore) {
    let id = session(store, "owed-end").await;
    let first = in_background(store, &id, "a", EffectClass::Write, MINUTE).await;
    let second = in_background(store, &id, "b", EffectClass::Write, MINUTE).await;
    ends(store, &id, "a", first).await;
    assert!(store.end_active(&id, T).await.unwrap());
    assert!(ends(store, &id, "b", second).await, "its record is settled");
    let take = TakeOwed {
        session: id.clone(),
        by: 1,
        held: Vec::new(),
        skips: Vec::new(),
        takes: true,
        claimant: None,
        now: T,
    };
    assert_eq!(store.take_owed(take).await.unwrap_err(), StoreError::SessionEnded);
}

/// Owes a session the result of a call that ended at this time.
pub(in crate::store) async fn owe_result(store: &AnyStore, id: &SessionId, name: &str, now: EpochMs) -> u64 {
    let epoch = in_background(store, id, name, EffectClass::Write, WEEK).await;
    let settlement = settlement(id, name, epoch, Some(answered(name)));
    assert!(store.settle(Settlement { owed: Some(response(name)), now, ..settlement }).await.unwrap());
    epoch
}

pub(super) async fn is_as_old_as_the_oldest(store: &AnyStore) {
    let age = async |now| store.oldest_owed_ms(now).await.unwrap();
    assert_eq!(age(T).await, None);
    let (waiting, running, ended, left) = (
        session(store, "age-waiting").await,
        session(store, "age-running").await,
        session(store, "age-ended").await,
        session(store, "age-left").await,
    );
    let hold = Hold { by: 1, running: response("running"), keep_ms: WEEK };
    let direct = granted(store, Claim { hold: Some(hold), ..claim_of(&waiting, "direct") }).await;
    let leaving = granted(store, Claim { lease_ms: Some(100), ..claim_of(&left, "a") }).await;
    let leave = DeferralStep::Leave { until: Some(T + DAY), answers_callers: true };
    assert!(matches!(step(store, &left, "a", leaving, leave).await, DeferralResult::Done));
    assert_eq!(age(T + DAY - 1).await, None, "the callers of one wait, the other is not due");
    assert_eq!(age(T + DAY + 2).await, Some(2));

    let calls = in_background(store, &running, "a", EffectClass::Write, WEEK).await;
    let second = owe_result(store, &ended, "a", T + 2 * MINUTE).await;
    owe_result(store, &ended, "b", T + 4 * MINUTE).await;
    assert_eq!(age(T + 10 * MINUTE).await, Some(10 * MINUTE), "the callers of one were told that it runs");
    let settled = settlement(&running, "a", calls, Some(answered("a")));
    let settled = Settlement { owed: Some(response("a")), now: T + 3 * MINUTE, ..settled };
    assert!(store.settle(settled).await.unwrap());
    assert_eq!(age(T + 10 * MINUTE).await, Some(8 * MINUTE));
    assert_eq!(taken(store, &ended, 1, T + 5 * MINUTE).await, Some((second, "a".to_owned())));
    assert_eq!(age(T + 10 * MINUTE).await, Some(8 * MINUTE), "it is taken, and not accepted");
    assert!(end(store, &ended, 1, second, true).await);
    assert_eq!(age(T + 10 * MINUTE).await, Some(7 * MINUTE));
    assert!(store.end_active(&running, T).await.unwrap());
    assert_eq!(age(T + 10 * MINUTE).await, Some(6 * MINUTE), "a session that has ended owes nothing");

    let settled = settlement(&waiting, "direct", direct, Some(answered("direct")));
    assert!(store.settle(Settlement { owed: Some(response("direct")), ..settled }).await.unwrap());
    assert_eq!(age(T + 10 * MINUTE).await, Some(10 * MINUTE), "nobody has accepted it yet");
    assert!(end(store, &waiting, 1, direct, true).await);
    assert_eq!(age(T + 10 * MINUTE).await, Some(6 * MINUTE));
}
