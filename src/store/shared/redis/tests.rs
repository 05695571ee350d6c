//! The round trips of a call, counted by the server.

use std::collections::BTreeMap;

use super::*;
use crate::call::CallId;
use crate::definition::EffectClass;
use crate::json::HashKey;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::session::state::SessionState;
use crate::store::conformance::redis_server;
use crate::store::{AttachRequest, CallLookup, Claim, ClaimResult, RecordState, Settlement, Store};

/// The number of times that each command ran since the last reset.
fn command_counts(connection: &mut ::redis::Connection) -> BTreeMap<String, u64> {
    let stats: String = ::redis::cmd("INFO").arg("commandstats").query(connection).unwrap();
    let count = |line: &str| {
        let (name, numbers) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
        Some((name.to_owned(), numbers.split(',').next()?.parse().ok()?))
    };
    stats.lines().filter_map(count).collect()
}

async fn attach(store: &dyn Store, id: &SessionId) {
    let (session, state, tools_version) = (id.clone(), SessionState::new("text"), "v1".into());
    store
        .attach(AttachRequest { session, principal: None, state, tools_version, resume_only: false, now: 1 })
        .await
        .unwrap();
}

async fn claim(store: &dyn Store, id: &SessionId, call: &CallId) -> ClaimResult {
    let claim = Claim {
        session: id.clone(),
        key: RecordKey::from_provider_id(call),
        fingerprint: Fingerprint::from_text(HashKey::new([7; 16]), "send", "{}"),
        tool: "send".into(),
        call_id: Some(call.clone()),
        turn: 1,
        effect: EffectClass::Write,
        is_retrieval: false,
        budget: None,
        rate_limit: None,
        consume_token: None,
        lease_ms: Some(30_000),
        known_revision: 0,
        is_looked_up: true,
        now: 1,
    };
    store.claim(claim).await.unwrap()
}

/// Makes a call: looked up, claimed, settled.
async fn make_call(store: &dyn Store, id: &SessionId, number: usize) {
    let call = CallId::from(format!("call-{number}").as_str());
    let key = RecordKey::from_provider_id(&call);
    let (tool, session) = ("send", id);
    let look = CallLookup { session, key: &key, turn: 1, tool, rate_limit: None, known_revision: 0, now: 1 };
    assert_eq!(store.look_up(look).await.unwrap().record, None);
    let ClaimResult::Granted { epoch, .. } = claim(store, id, &call).await else { panic!("not granted") };
    let state = Some(RecordState::Forgotten { ok: true });
    let settlement = Settlement { session: id.clone(), key, epoch, state, changes: Vec::new(), now: 1 };
    assert!(store.settle(settlement).await.unwrap());
}

#[tokio::test]
async fn a_call_takes_one_read_and_two_scripts_by_their_hash() {
    let Some(server) = redis_server::start() else { return };
    let mut connection = Client::open(server.url.as_str()).unwrap().get_connection().unwrap();
    let store = open(&server.url, RedisOptions::default()).unwrap();
    let id = SessionId::from("calls");
    attach(&store, &id).await;
    make_call(&store, &id, 0).await;
    ::redis::cmd("CONFIG").arg("RESETSTAT").exec(&mut connection).unwrap();
    for number in 1..=10 {
        make_call(&store, &id, number).await;
    }
    let counts = command_counts(&mut connection);
    let of = |name: &str| counts.get(name).copied().unwrap_or_default();
    assert_eq!((of("time"), of("evalsha"), of("eval")), (10, 20, 0), "{counts:?}");
    // The look's two reads are one round trip.
    assert_eq!(of("hmget"), 20, "{counts:?}");
}

#[tokio::test]
async fn what_another_process_changed_is_seen() {
    let Some(server) = redis_server::start() else { return };
    let store = open(&server.url, RedisOptions::default()).unwrap();
    let other = open(&server.url, RedisOptions::default()).unwrap();
    let (id, call) = (SessionId::from("shared"), CallId::from("call-0"));
    attach(&store, &id).await;
    make_call(&store, &id, 1).await;
    make_call(&other, &id, 2).await;
    assert!(matches!(claim(&store, &id, &"call-2".into()).await, ClaimResult::Existing(_)));
    assert!(matches!(claim(&store, &id, &call).await, ClaimResult::Granted { .. }));
    assert!(matches!(claim(&other, &id, &call).await, ClaimResult::Existing(_)));
    let mut state = SessionState::new("text");
    state.end(crate::session::state::ChangeAuthor { by: "host", call_id: None, at: 1 });
    other.end(&id, state.changes_since(0)).await.unwrap();
    assert_eq!(store.begin_turn(&id, None, 0, 1).await.unwrap_err(), StoreError::SessionEnded);
    // The server forgets its scripts: the text is sent again.
    let mut connection = Client::open(server.url.as_str()).unwrap().get_connection().unwrap();
    ::redis::cmd("SCRIPT").arg("FLUSH").exec(&mut connection).unwrap();
    let id = SessionId::from("after-flush");
    attach(&store, &id).await;
    make_call(&store, &id, 1).await;
}
