//! Questions whose approvers decide: as many as must confirm, each once, in one atomic operation with the claim.

use super::*;
use crate::definition::Approvers;
use crate::json::KeyedHash;
use crate::store::{ApproverName, AskResult, ConfirmedToken, TokenState};

fn approver(name: &str) -> ApproverName {
    KeyedHash::from_text(HashKey::new([7; 16]), name)
}

/// Asks about a call that needs so many approvers. The token is named like the call.
async fn ask(store: &AnyStore, id: &SessionId, name: &str, count: u32) {
    let approvers = Some(Approvers { roles: vec!["manager".to_owned()], count });
    let asked = Question { approvers, ..question(name, name) };
    assert!(matches!(store.ask(AskRequest::new(id, asked, T)).await.unwrap(), AskResult::Pending(_)));
}

/// A claim that consumes an approver's confirmation.
fn by(id: &SessionId, name: &str, who: Option<&str>) -> Claim {
    let token = ConfirmedToken { approver: who.map(approver), ..name.into() };
    Claim { consume_token: Some(token), budget: None, ..claim_of(id, name) }
}

/// The number of approvers of a question that needs more, and whether this one is new.
async fn counted(store: &AnyStore, claim: Claim) -> (usize, bool) {
    match store.claim(claim).await.unwrap() {
        ClaimResult::Counted { question, is_new } => {
            assert!(!question.args.is_empty(), "with its text");
            (question.confirmed_by.len(), is_new)
        }
        other => panic!("{other:?}"),
    }
}

pub(super) async fn count_once_each(store: &AnyStore) {
    let id = session(store, "approvers").await;
    ask(store, &id, "a", 3).await;
    assert_eq!(counted(store, by(&id, "a", Some("cyd"))).await, (1, true));
    assert_eq!(counted(store, by(&id, "a", Some("cyd"))).await, (1, false), "the same one again");
    assert_eq!(counted(store, by(&id, "a", Some("dan"))).await, (2, true));
    let pending = store.pending_questions(&id, T).await.unwrap();
    assert_eq!(pending[0].confirmed_by, [approver("cyd"), approver("dan")]);
    assert!(record(store, &id, "a").await.is_none(), "nothing is claimed");
    granted(store, by(&id, "a", Some("eve"))).await;
    let TokenState::Used { question, .. } = store.token_state(&id, "a", T).await.unwrap() else { panic!("used") };
    assert_eq!(question.confirmed_by.len(), 3);
}

pub(super) async fn are_needed(store: &AnyStore) {
    let id = session(store, "approvers-needed").await;
    ask(store, &id, "a", 1).await;
    let refused = store.claim(by(&id, "a", None)).await.unwrap();
    assert!(matches!(refused, ClaimResult::ConfirmationNotPending), "{refused:?}");
    store.ask(AskRequest::new(&id, question("b", "b"), T)).await.unwrap();
    let refused = store.claim(by(&id, "b", Some("cyd"))).await.unwrap();
    assert!(matches!(refused, ClaimResult::ConfirmationNotPending), "its own user decides: {refused:?}");
    granted(store, by(&id, "a", Some("cyd"))).await;
    granted(store, by(&id, "b", None)).await;
}

pub(super) async fn both_count_at_once(store: &AnyStore) {
    let id = session(store, "approvers-race").await;
    ask(store, &id, "a", 4).await;
    let names = ["cyd", "dan", "cyd", "eve", "dan", "cyd"];
    let claims = names.iter().map(|name| store.claim(by(&id, "a", Some(name))));
    let results = futures_util::future::join_all(claims).await;
    let new = results.iter().filter(|result| matches!(result, Ok(ClaimResult::Counted { is_new: true, .. }))).count();
    let known =
        results.iter().filter(|result| matches!(result, Ok(ClaimResult::Counted { is_new: false, .. }))).count();
    assert_eq!((new, known), (3, 3), "{results:?}");
    assert_eq!(store.pending_questions(&id, T).await.unwrap()[0].confirmed_by.len(), 3);
    let last = ["fay", "gus"].map(|name| store.claim(by(&id, "a", Some(name))));
    let results = futures_util::future::join_all(last).await;
    let won = results.iter().filter(|result| matches!(result, Ok(ClaimResult::Granted { .. }))).count();
    assert_eq!(won, 1, "{results:?}");
}

pub(super) async fn decide_until_it_is_closed(store: &AnyStore) {
    let id = session(store, "approvers-closed").await;
    for name in ["denied", "late"] {
        ask(store, &id, name, 2).await;
        assert_eq!(counted(store, by(&id, name, Some("cyd"))).await, (1, true));
    }
    assert!(store.close_question(&id, "denied", Closing::Denied, T).await.unwrap().is_some());
    let late = Claim { now: T + 60_000, ..by(&id, "late", Some("dan")) };
    for claim in [by(&id, "denied", Some("dan")), late] {
        assert!(matches!(store.claim(claim).await.unwrap(), ClaimResult::ConfirmationNotPending));
    }
    ask(store, &id, "denied", 2).await;
    assert_eq!(counted(store, by(&id, "denied", Some("dan"))).await, (1, true), "another question begins anew");
}
