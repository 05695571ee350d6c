//! Two lifetimes: a session that is not used ends, unless what is open in it has a longer time of its own.

use super::duplicates::act;
use super::grants::new_grant;
use super::owed::{ends, in_background, response, take};
use super::*;
use crate::session::state::ChangeAuthor;
use crate::store::owed::{Deferral, DeferralStep, DroppedResult};
use crate::store::{Act, CallLimit, ConfirmedToken, CountCall, CountStep, GrantScope, NewGrant, Swept};

const WEEK: EpochMs = 7 * DAY;
const HOUR: EpochMs = 60 * 60 * 1000;

/// What a sweep at this time drops. Sessions are kept for a day if they are not used.
async fn swept(store: &AnyStore, now: EpochMs) -> Swept {
    store.sweep(Idle { since: now - DAY, now }, &[]).await.unwrap()
}

/// A claim of an act.
fn acting(id: &SessionId, name: &str, act_name: &str, window_ms: u64) -> Claim {
    Claim { act: Some(Act { window_ms, ..act(act_name) }), ..claim_of(id, name) }
}

async fn asked(store: &AnyStore, name: &str, days: EpochMs) -> SessionId {
    let id = session(store, name).await;
    store.ask(AskRequest::new(&id, Question { expires: T + days * DAY, ..question("q", name) }, T)).await.unwrap();
    id
}

async fn granted_for_days(store: &AnyStore, name: &str, days: EpochMs) -> SessionId {
    let id = asked(store, name, 1).await;
    let grant = NewGrant { ttl_ms: days * DAY, ..new_grant("g", GrantScope::Tool, 9) };
    let token = ConfirmedToken { grant: Some(Arc::new(grant)), ..name.into() };
    granted(store, Claim { consume_token: Some(token), ..claim_of(&id, "q") }).await;
    id
}

/// A call that waits for its completion for days.
async fn left(store: &AnyStore, name: &str, days: EpochMs) -> SessionId {
    let id = session(store, name).await;
    let epoch = granted(store, Claim { lease_ms: Some(HOUR), ..claim_of(&id, "left") }).await;
    let step = DeferralStep::Leave { until: Some(T + days * DAY), answers_callers: true };
    let (session, key, running) = (id.clone(), key("left"), response("left"));
    store.defer(Deferral { session, key, epoch, running, args: None, step, keep_ms: DAY, now: T }).await.unwrap();
    id
}

pub(super) async fn keeps_its_session(store: &AnyStore) {
    let nothing = session(store, "kept-nothing").await;
    let question = asked(store, "kept-question", 3).await;
    let closed = asked(store, "kept-closed", 3).await;
    store.close_question(&closed, "kept-closed", Closing::Denied, T).await.unwrap();
    let ended = asked(store, "kept-ended", 3).await;
    let mut state = SessionState::new("text");
    state.end(ChangeAuthor { by: "host", call_id: None, at: T });
    let questions = store.end(&ended, state.changes_since(0)).await.unwrap();
    assert_eq!(questions.iter().map(|question| &*question.token).collect::<Vec<_>>(), ["kept-ended"]);
    let grant = granted_for_days(store, "kept-grant", 4).await;
    let completion = left(store, "kept-completion", 4).await;
    let acts = session(store, "kept-acts").await;
    granted(store, acting(&acts, "a", "kept", WEEK)).await;
    let limit = id("kept-limit");
    attach(store, &limit, Some("ada"), T).await.unwrap();
    let limits = vec![CallLimit { name: "send".into(), calls: 9, window_ms: 4 * DAY }];
    let (session_id, owner, step) = (limit.clone(), "ada".into(), CountStep::Count);
    store.count_call(CountCall { session: session_id, owner, limits, step, now: T }).await.unwrap();
    let owed = session(store, "kept-owed").await;
    let epoch = in_background(store, &owed, "a", EffectClass::Write, HOUR).await;
    assert!(ends(store, &owed, "a", epoch).await);

    let first = swept(store, T + DAY + 2000).await;
    let names = |swept: &Swept| {
        // In memory it has left its tombstone already.
        let mut names: Vec<_> = swept.sessions.iter().filter(|id| **id != ended).cloned().collect();
        names.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        names
    };
    assert_eq!((names(&first), first.results.len()), (vec![closed, nothing], 0));
    assert!(store.pending_questions(&question, T + 3 * DAY - 1).await.unwrap().len() == 1, "it can be answered");
    assert_eq!(swept(store, T + 3 * DAY + 2000).await, Swept::default(), "its expiry can be reported");
    assert_eq!(names(&swept(store, T + 4 * DAY + 2000).await), [grant, limit, question]);
    let fifth = swept(store, T + 5 * DAY + 2000).await;
    let result = |name: &str| DroppedResult { tool: "send".into(), call_id: Some(name.into()) };
    assert_eq!((names(&fifth), fifth.results), (vec![completion.clone()], vec![(completion, result("left"))]));
    let last = swept(store, T + WEEK + 2000).await;
    assert_eq!((names(&last), last.results), (vec![acts, owed.clone()], vec![(owed, result("running"))]));
}

pub(super) async fn is_owed_for_its_time(store: &AnyStore) {
    let id = session(store, "owed-week").await;
    for name in ["a", "b"] {
        let epoch = in_background(store, &id, name, EffectClass::Write, HOUR).await;
        assert!(ends(store, &id, name, epoch).await);
    }
    let taken = take(store, &id, 1, &[], T + WEEK - 1).await;
    let held = taken.result.unwrap().epoch;
    assert!(taken.dropped.is_empty());
    assert_eq!(store.list_owed(&id, T + WEEK - 1).await.unwrap().len(), 2);
    assert_eq!(store.list_owed(&id, T + WEEK).await.unwrap().len(), 1, "the other is being delivered");
    let late = take(store, &id, 1, &[held], T + WEEK).await;
    assert!(late.result.is_none());
    let dropped = DroppedResult { tool: "send".into(), call_id: Some("running".into()) };
    assert_eq!(late.dropped, std::slice::from_ref(&dropped));
    assert!(take(store, &id, 1, &[held], T + WEEK).await.dropped.is_empty(), "it is dropped once");
    assert_eq!(take(store, &id, 2, &[], T + WEEK + HOUR).await.dropped, [dropped], "nobody delivers it any more");
    // Whoever comes back to the session hears of it too.
    let epoch = in_background(store, &id, "c", EffectClass::Write, HOUR).await;
    assert!(ends(store, &id, "c", epoch).await);
    assert_eq!(attach(store, &id, None, T + WEEK).await.unwrap().dropped.len(), 1);
}

pub(super) async fn is_told_of_a_call_that_was_lost_days_ago(store: &AnyStore) {
    let id = session(store, "owed-lost-week").await;
    in_background(store, &id, "read", EffectClass::Read, HOUR).await;
    for name in ["x", "y", "z", "w"] {
        // Later claims delete what has expired.
        granted(store, Claim { now: T + 5 * DAY, ..claim_of(&id, name) }).await;
    }
    let found = take(store, &id, 1, &[], T + 6 * DAY).await;
    assert!(found.result.is_some() && found.dropped.is_empty(), "{found:?}");
}

pub(super) async fn is_known_until_its_window_ends(store: &AnyStore) {
    let id = session(store, "act-week").await;
    let epoch = granted(store, acting(&id, "first", "week", WEEK)).await;
    assert!(settle(store, &id, "first", epoch, Some(answered("first"))).await);
    for name in ["x", "y", "z", "w"] {
        granted(store, Claim { now: T + 5 * DAY, ..claim_of(&id, name) }).await;
    }
    let again = |name: &str, now| Claim { now, ..acting(&id, name, "week", WEEK) };
    let found = store.claim(again("second", T + WEEK - 1)).await.unwrap();
    assert!(matches!(found, ClaimResult::Duplicate(_)), "{found:?}");
    granted(store, again("third", T + WEEK)).await;
}

pub(super) async fn is_kept_from_the_end_of_a_long_call(store: &AnyStore) {
    let id = left(store, "long-call", 3).await;
    let ended = Settlement { now: T + 2 * DAY, ..settlement(&id, "left", 1, Some(answered("left"))) };
    assert!(store.settle(Settlement { owed: Some(response("left")), ..ended }).await.unwrap());
    let at = async |now| seen(store, &id, &key("left"), 1, now).await.record.is_some();
    assert!(at(T + 3 * DAY - 1).await, "it does not run again");
    assert!(!at(T + 3 * DAY).await);
}
