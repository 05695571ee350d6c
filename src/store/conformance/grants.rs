//! Grants: given with a confirmation, and taken with the claim of a call, as often as was granted.

use super::*;
use crate::json::KeyedHash;
use crate::store::{
    Act, ActName, AskResult, ConfirmedToken, Grant, GrantScope, GrantedCall, MAX_GRANTS, NewGrant, UsedGrant,
};

const TTL: u64 = 60_000;

fn call_with(args: &str) -> GrantedCall {
    let args = ActName::from(KeyedHash::from_text(HashKey::new([7; 16]), args));
    GrantedCall { tool: "send".into(), tool_version: "1.0.0".into(), definition: [1; 32], args }
}

pub(super) fn new_grant(id: &str, scope: GrantScope, calls: u32) -> NewGrant {
    let (call, via) = (call_with("a"), Some("page".into()));
    NewGrant { id: id.into(), call, scope, calls, ttl_ms: TTL, via, preview: Some("Send to a".to_owned()) }
}

/// The claim of a confirmed call, with which its user grants something.
fn confirmed_with(id: &SessionId, name: &str, grant: NewGrant, now: EpochMs) -> Claim {
    let token = ConfirmedToken { grant: Some(Arc::new(grant)), ..format!("token-{name}").as_str().into() };
    Claim { consume_token: Some(token), budget: None, now, ..claim_of(id, name) }
}

async fn ask(store: &AnyStore, id: &SessionId, name: &str, now: EpochMs) {
    let asked = Question { expires: now + 60_000, ..question(name, &format!("token-{name}")) };
    assert!(matches!(store.ask(AskRequest::new(id, asked, now)).await.unwrap(), AskResult::Pending(_)));
}

/// Asks about a call, and confirms it with a grant. Returns the claim's epoch.
async fn give(store: &AnyStore, id: &SessionId, name: &str, grant: NewGrant, now: EpochMs) -> u64 {
    ask(store, id, name, now).await;
    granted(store, confirmed_with(id, name, grant, now)).await
}

/// A claim that only a grant allows.
fn by_grant(id: &SessionId, name: &str, args: &str, now: EpochMs) -> Claim {
    Claim { by_grant: Some(Arc::new(call_with(args))), now, ..claim_of(id, name) }
}

/// The grant that a claim was granted by; `None` if there was none.
async fn used(store: &AnyStore, claim: Claim) -> Option<UsedGrant> {
    match store.claim(claim).await.unwrap() {
        ClaimResult::Granted { used, .. } => Some(*used.expect("it runs by a grant")),
        ClaimResult::NotGranted => None,
        other => panic!("{other:?}"),
    }
}

async fn left(store: &AnyStore, id: &SessionId, now: EpochMs) -> Vec<(String, u32)> {
    let grants = store.grants(id, now).await.unwrap();
    grants.iter().map(|grant| (grant.id.to_string(), grant.calls_left)).collect()
}

fn named(id: &str, calls_left: u32) -> Vec<(String, u32)> {
    vec![(id.to_owned(), calls_left)]
}

pub(super) async fn is_given_with_its_confirmation(store: &AnyStore) {
    let id = session(store, "grant-given").await;
    ask(store, &id, "a", T).await;
    done(store, &id, "taken", EffectClass::Write).await;
    let taken = Claim { key: key("taken"), ..confirmed_with(&id, "a", new_grant("g-0", GrantScope::Args, 2), T) };
    assert!(matches!(store.claim(taken).await.unwrap(), ClaimResult::Existing(_)));
    assert_eq!(left(store, &id, T).await, [], "nothing is granted with a claim that is not");
    granted(store, confirmed_with(&id, "a", new_grant("g-1", GrantScope::Args, 2), T)).await;
    let again = Claim { key: key("a2"), ..confirmed_with(&id, "a", new_grant("g-2", GrantScope::Args, 9), T) };
    assert!(matches!(store.claim(again).await.unwrap(), ClaimResult::ConfirmationNotPending));
    let [grant]: [Grant; 1] = store.grants(&id, T).await.unwrap().try_into().unwrap();
    assert_eq!((&*grant.id, grant.scope, grant.calls_left), ("g-1", GrantScope::Args, 2));
    assert_eq!((grant.granted_at, grant.expires, grant.via.as_deref()), (T, T + TTL, Some("page")));
    assert_eq!((grant.call, grant.preview.as_deref()), (call_with("a"), Some("Send to a")));
}

pub(super) async fn is_taken_back_where_nothing_is_left(store: &AnyStore) {
    let id = session(store, "grant-back").await;
    let epoch = give(store, &id, "a", new_grant("g-1", GrantScope::Tool, 2), T).await;
    give(store, &id, "b", NewGrant { call: call_with("b"), ..new_grant("g-2", GrantScope::Args, 2) }, T).await;
    assert!(settle(store, &id, "a", epoch, None).await);
    assert_eq!(left(store, &id, T).await, named("g-2", 2), "its confirmation counts as not given");
}

pub(super) async fn lets_so_many_calls_run(store: &AnyStore) {
    let id = session(store, "grant-counts").await;
    assert_eq!(used(store, by_grant(&id, "none", "a", T)).await, None, "none was given");
    give(store, &id, "a", new_grant("g-1", GrantScope::Args, 2), T).await;
    let first = used(store, by_grant(&id, "call-1", "a", T)).await;
    assert_eq!(first, Some(UsedGrant { id: "g-1".into(), calls_left: 1 }));
    assert!(matches!(store.claim(by_grant(&id, "call-1", "a", T)).await.unwrap(), ClaimResult::Existing(_)));
    let none = Budget { retrieval_calls: 0, total_calls: 0 };
    let over = Claim { budget: Some(none), ..by_grant(&id, "call-2", "a", T) };
    assert!(matches!(store.claim(over).await.unwrap(), ClaimResult::OverBudget(_)));
    assert_eq!(left(store, &id, T).await, named("g-1", 1), "a replay takes nothing, nor a call over budget");
    assert_eq!(used(store, by_grant(&id, "call-3", "a", T)).await.map(|used| used.calls_left), Some(0));
    assert_eq!(used(store, by_grant(&id, "call-4", "a", T)).await, None);
    assert!(record(store, &id, "call-4").await.is_none(), "nothing was changed");
    assert_eq!(left(store, &id, T).await, []);
    assert_eq!(seen(store, &id, &key("call-4"), 1, T).await.total_calls, 2, "a granted call is debited");
}

pub(super) async fn lets_no_act_be_done_again(store: &AnyStore) {
    let id = session(store, "grant-act").await;
    give(store, &id, "a", new_grant("g-1", GrantScope::Tool, 2), T).await;
    let name = ActName::from(KeyedHash::from_text(HashKey::new([7; 16]), "refund"));
    let act = Act { name, window_ms: 1000, turn: None, within: None, known: 0, owner: None };
    let refund = |call: &str| Claim { act: Some(act.clone()), ..by_grant(&id, call, "a", T) };
    assert!(used(store, refund("call-1")).await.is_some());
    assert!(matches!(store.claim(refund("call-2")).await.unwrap(), ClaimResult::Duplicate(_)));
    assert_eq!(left(store, &id, T).await, named("g-1", 1));
}

pub(super) async fn covers_what_was_granted(store: &AnyStore) {
    let (id, other) = (session(store, "grant-covers").await, session(store, "grant-foreign").await);
    give(store, &id, "a", new_grant("g-args", GrantScope::Args, 9), T).await;
    let with = |call: GrantedCall, name: &str| Claim { by_grant: Some(Arc::new(call)), ..claim_of(&id, name) };
    assert_eq!(used(store, by_grant(&id, "args", "b", T)).await, None);
    assert_eq!(used(store, by_grant(&other, "session", "a", T)).await, None);
    give(store, &id, "b", NewGrant { ttl_ms: 10, ..new_grant("g-tool", GrantScope::Tool, 9) }, T).await;
    for (name, call) in [
        ("tool", GrantedCall { tool: "sent".into(), ..call_with("a") }),
        ("version", GrantedCall { tool_version: "1.0.1".into(), ..call_with("a") }),
        ("definition", GrantedCall { definition: [2; 32], ..call_with("a") }),
    ] {
        assert_eq!(used(store, with(call, name)).await, None, "{name}");
    }
    let by = async |args: &str| used(store, by_grant(&id, &format!("by-{args}"), args, T)).await.map(|used| used.id);
    assert_eq!((by("b").await.as_deref(), by("a").await.as_deref()), (Some("g-tool"), Some("g-args")), "the narrowest");
}

pub(super) async fn ends_in_time(store: &AnyStore) {
    let id = session(store, "grant-ends").await;
    give(store, &id, "a", new_grant("g-1", GrantScope::Args, 9), T).await;
    assert!(used(store, by_grant(&id, "call-1", "a", T + TTL - 1)).await.is_some());
    assert_eq!(left(store, &id, T + TTL - 1).await, named("g-1", 8));
    assert_eq!(used(store, by_grant(&id, "call-2", "a", T + TTL)).await, None);
    assert_eq!(left(store, &id, T + TTL).await, []);
    assert_eq!(store.revoke_grant(&id, "g-1", T + TTL).await.unwrap(), None, "it had ended");
}

pub(super) async fn is_revoked_once(store: &AnyStore) {
    let (id, other) = (session(store, "grant-revoked").await, session(store, "grant-not-revoked").await);
    give(store, &id, "a", new_grant("g-1", GrantScope::Args, 9), T).await;
    assert_eq!(store.revoke_grant(&other, "g-1", T).await.unwrap(), None, "another session's");
    assert_eq!(store.revoke_grant(&id, "g-2", T).await.unwrap(), None);
    let revoked = store.revoke_grant(&id, "g-1", T).await.unwrap().unwrap();
    assert_eq!((&*revoked.id, revoked.calls_left), ("g-1", 9));
    assert_eq!(store.revoke_grant(&id, "g-1", T).await.unwrap(), None);
    assert_eq!(used(store, by_grant(&id, "call-1", "a", T)).await, None);
}

pub(super) async fn is_taken_as_often_by_many_at_once(store: &AnyStore) {
    let id = session(store, "grant-race").await;
    give(store, &id, "a", new_grant("g-1", GrantScope::Args, 3), T).await;
    let names: Vec<String> = (0..12).map(|n| format!("call-{n}")).collect();
    let claims = names.iter().map(|name| store.claim(by_grant(&id, name, "a", T)));
    let results = futures_util::future::join_all(claims).await;
    let granted = results.iter().filter(|result| matches!(result, Ok(ClaimResult::Granted { .. }))).count();
    let refused = results.iter().filter(|result| matches!(result, Ok(ClaimResult::NotGranted))).count();
    assert_eq!((granted, refused), (3, 9), "{results:?}");
}

pub(super) async fn makes_a_question_needless(store: &AnyStore) {
    let id = session(store, "grant-asked").await;
    give(store, &id, "a", new_grant("g-1", GrantScope::Tool, 9), T).await;
    let asks = async |name: &str, token: &str| {
        let call = Some(Arc::new(call_with(name)));
        store.ask(AskRequest { call, ..AskRequest::new(&id, question(name, token), T) }).await.unwrap()
    };
    assert!(matches!(asks("a", "t-1").await, AskResult::Confirmed(_)), "it is the confirmed call, come again");
    assert!(matches!(asks("b", "t-2").await, AskResult::Granted));
    assert!(matches!(store.ask(AskRequest::new(&id, question("c", "t-3"), T)).await.unwrap(), AskResult::Pending(_)));
    let AskResult::Pending(pending) = asks("c", "t-4").await else { panic!("its user has it before them") };
    assert_eq!(&*pending.token, "t-3");
    store.close_question(&id, "t-3", Closing::Denied, T).await.unwrap();
    assert!(matches!(asks("c", "t-5").await, AskResult::Pending(_)), "its user has just denied it");
    assert_eq!(left(store, &id, T).await, named("g-1", 9), "asking takes nothing");
}

pub(super) async fn is_bounded(store: &AnyStore) {
    let id = session(store, "grant-many").await;
    for n in 0..=MAX_GRANTS {
        let grant = NewGrant { call: call_with(&n.to_string()), ..new_grant(&format!("g-{n}"), GrantScope::Args, 1) };
        give(store, &id, &n.to_string(), grant, T).await;
    }
    let grants = left(store, &id, T).await;
    assert_eq!((grants.len(), &*grants[0].0), (MAX_GRANTS, "g-1"), "the oldest has given way");
    give(store, &id, "again", NewGrant { call: call_with("5"), ..new_grant("anew", GrantScope::Args, 7) }, T).await;
    let grants = left(store, &id, T).await;
    assert!(grants.iter().all(|(name, _)| name != "g-5") && grants.contains(&("anew".to_owned(), 7)), "{grants:?}");
}

pub(super) async fn goes_with_its_session(store: &AnyStore) {
    let id = session(store, "grant-gone").await;
    give(store, &id, "a", new_grant("g-1", GrantScope::Args, 9), T).await;
    assert!(store.end_active(&id, T).await.unwrap());
    assert_eq!(store.grants(&id, T).await.unwrap_err(), StoreError::SessionEnded);
    assert_eq!(store.claim(by_grant(&id, "call-1", "a", T)).await.unwrap_err(), StoreError::SessionEnded);
}
