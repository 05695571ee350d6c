//! The round trips of a call, counted by the server.

mod commands;

use std::collections::BTreeMap;

use super::*;
use crate::call::CallId;
use crate::clock::{Clock, SystemClock};
use crate::json::HashKey;
use crate::session::key::RecordKey;
use crate::session::state::SessionState;
use crate::store::attaching::TurnStarter;
use crate::store::conformance::{self, attach_request, lookup_of, question, redis_server};
use crate::store::{AskRequest, Claim, ClaimResult, Closing, Question, RecordState, Settlement, Store, StoreRequests};

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
    store.attach(attach_request(id, None, 1)).await.unwrap();
}

fn claim_of(id: &SessionId, call: &CallId) -> Claim {
    Claim { budget: None, lease_ms: Some(30_000), now: 1, ..conformance::claim_of(id, call.as_str()) }
}

async fn claim(store: &dyn Store, id: &SessionId, call: &CallId) -> ClaimResult {
    store.claim(claim_of(id, call)).await.unwrap()
}

async fn settle(store: &dyn Store, id: &SessionId, call: &CallId, epoch: u64, state: Option<RecordState>) -> bool {
    let key = RecordKey::from_provider_id(call);
    let settlement =
        Settlement { session: id.clone(), key, epoch, state, is_heard: true, owed: None, changes: Vec::new(), now: 1 };
    store.settle(settlement).await.unwrap()
}

/// Makes a call: looked up, claimed, settled.
async fn make_call(store: &dyn Store, id: &SessionId, number: usize) {
    let call = CallId::from(format!("call-{number}").as_str());
    let key = RecordKey::from_provider_id(&call);
    assert_eq!(store.look_up(lookup_of(id, &key, 1)).await.unwrap().record, None);
    let ClaimResult::Granted { epoch, .. } = claim(store, id, &call).await else { panic!("not granted") };
    assert!(settle(store, id, &call, epoch, Some(RecordState::Forgotten { ok: true })).await);
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
    // The look's two reads are one round trip. A script reads the version.
    assert_eq!(of("hmget"), 40, "{counts:?}");
}

#[tokio::test]
async fn a_call_runs_few_commands() {
    let Some(server) = redis_server::start() else { return };
    let mut connection = Client::open(server.url.as_str()).unwrap().get_connection().unwrap();
    let store = open(&server.url, RedisOptions::default()).unwrap();
    let id = SessionId::from("counted");
    attach(&store, &id).await;
    make_call(&store, &id, 0).await;
    ::redis::cmd("CONFIG").arg("RESETSTAT").exec(&mut connection).unwrap();
    for number in 1..=10 {
        let call = CallId::from(format!("call-{number}").as_str());
        let ClaimResult::Granted { epoch, .. } = claim(&store, &id, &call).await else { panic!("not granted") };
        assert!(settle(&store, &id, &call, epoch, Some(RecordState::Forgotten { ok: true })).await);
    }
    let mut counts = command_counts(&mut connection);
    // Those of this test.
    counts.retain(|name, _| !name.starts_with("config") && name != "info");
    let expected = [
        ("evalsha", 20),
        // The claim and the settlement: the version, whether the keys last, the document and the row.
        ("hmget", 20),
        ("pttl", 20),
        ("hset", 40),
        ("lpush", 20),
        // The claim: the record is new; one in four deletes what has expired.
        ("hexists", 10),
        ("zrangebyscore", 2),
        // The settlement: the record is kept for a day.
        ("zadd", 10),
    ];
    assert_eq!(counts, expected.map(|(name, count)| (name.to_owned(), count)).into());
}

/// The times to live of the keys of a session that exist, in milliseconds.
fn times_to_live(connection: &mut ::redis::Connection, id: &SessionId) -> Vec<(String, i64)> {
    let keys = SessionKeys::for_session(id);
    let ttl = |key: &&String| ((*key).clone(), ::redis::cmd("PTTL").arg(*key).query(connection).unwrap());
    let all = keys.all();
    all.iter().map(ttl).filter(|(_, left)| *left != -2).collect()
}

#[tokio::test]
async fn the_keys_of_a_session_are_kept_as_long_as_it_is_and_a_sixteenth_longer() {
    let Some(server) = redis_server::start() else { return };
    let mut connection = Client::open(server.url.as_str()).unwrap().get_connection().unwrap();
    let idle = 3_600_000;
    let shared = SharedOptions { idle_ttl: Duration::from_millis(idle), ..SharedOptions::default() };
    let options = RedisOptions { shared, ..RedisOptions::default() };
    let store = open(&server.url, options).unwrap();
    let id = SessionId::from("kept");
    let keys = SessionKeys::for_session(&id);
    let idle = i64::try_from(idle).unwrap();
    let mut expect_kept = |count: usize, at_least: i64| {
        let left = times_to_live(&mut connection, &id);
        let is_kept = left.iter().all(|(_, left)| (at_least..=idle + idle / 16).contains(left));
        assert!(left.len() == count && is_kept, "{left:?}");
    };
    attach(&store, &id).await;
    // The session and its commits; then its rows, and those that expire.
    expect_kept(2, idle);
    let call = CallId::from("call-1");
    let ClaimResult::Granted { epoch, .. } = claim(&store, &id, &call).await else { panic!("not granted") };
    expect_kept(3, idle);
    // The only row is removed, and the key with it.
    assert!(settle(&store, &id, &call, epoch, None).await);
    expect_kept(2, idle);
    make_call(&store, &id, 2).await;
    expect_kept(4, idle);

    let mut server_side = Client::open(server.url.as_str()).unwrap().get_connection().unwrap();
    let mut shorten = |to: i64| {
        for key in keys.all() {
            ::redis::cmd("PEXPIRE").arg(key).arg(to).exec(&mut server_side).unwrap();
        }
    };
    shorten(idle + 60_000);
    make_call(&store, &id, 3).await;
    let left = times_to_live(&mut Client::open(server.url.as_str()).unwrap().get_connection().unwrap(), &id);
    assert!(left.iter().all(|(_, left)| *left <= idle + 60_000), "nothing is renewed that lasts long enough: {left:?}");
    shorten(idle - 60_000);
    make_call(&store, &id, 4).await;
    expect_kept(4, idle);
}

#[tokio::test]
async fn the_keys_of_a_session_last_as_long_as_what_is_open_in_it() {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    let Some(server) = redis_server::start() else { return };
    let mut connection = Client::open(server.url.as_str()).unwrap().get_connection().unwrap();
    let (store, id) = (open(&server.url, RedisOptions::default()).unwrap(), SessionId::from("open"));
    attach(&store, &id).await;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let now = u64::try_from(now).unwrap();
    let mut expect_days = |days: u64| {
        let left = times_to_live(&mut connection, &id);
        let (low, high) = (i64::try_from(days * DAY - 60_000).unwrap(), i64::try_from(days * DAY * 9 / 8).unwrap());
        assert!(left.iter().all(|(_, left)| (low..=high).contains(left)), "{days}: {left:?}");
    };
    expect_days(1);
    let question = Question { expires: now + 3 * DAY, ..question("q", "token") };
    store.ask(AskRequest::new(&id, question, now)).await.unwrap();
    expect_days(3);
    make_call(&store, &id, 1).await;
    expect_days(3);
    store.close_question(&id, "token", Closing::Denied, now).await.unwrap();
    expect_days(1);
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
    assert_eq!(store.begin_turn(&id, None, TurnStarter::Host, 0, 1).await.unwrap_err(), StoreError::SessionEnded);
    // The server forgets its scripts: the text is sent again.
    let mut connection = Client::open(server.url.as_str()).unwrap().get_connection().unwrap();
    ::redis::cmd("SCRIPT").arg("FLUSH").exec(&mut connection).unwrap();
    let id = SessionId::from("after-flush");
    attach(&store, &id).await;
    make_call(&store, &id, 1).await;
}

#[tokio::test]
async fn a_call_that_is_claimed_first_takes_two_scripts_and_no_read() {
    let Some(server) = redis_server::start() else { return };
    let mut connection = Client::open(server.url.as_str()).unwrap().get_connection().unwrap();
    let store = open(&server.url, RedisOptions::default()).unwrap();
    let id = SessionId::from("claimed-first");
    attach(&store, &id).await;
    make_call(&store, &id, 0).await;
    ::redis::cmd("CONFIG").arg("RESETSTAT").exec(&mut connection).unwrap();
    for number in 1..=10 {
        let call = CallId::from(format!("call-{number}").as_str());
        let claim = Claim { is_looked_up: false, ..claim_of(&id, &call) };
        let ClaimResult::Granted { epoch, .. } = store.claim(claim).await.unwrap() else { panic!("not granted") };
        let (session, key) = (id.clone(), RecordKey::from_provider_id(&call));
        let state = Some(RecordState::Forgotten { ok: true });
        assert!(
            store
                .settle(Settlement {
                    session,
                    key,
                    epoch,
                    state,
                    is_heard: true,
                    owed: None,
                    changes: Vec::new(),
                    now: 1
                })
                .await
                .unwrap()
        );
    }
    let counts = command_counts(&mut connection);
    let of = |name: &str| counts.get(name).copied().unwrap_or_default();
    // Each script reads the session's version, by the only `HMGET`; a read of the session would be one more.
    assert_eq!((of("evalsha"), of("time"), of("hmget")), (20, 0, 20), "{counts:?}");
    // A closed store opens the session anew.
    store.close().await.unwrap();
    assert!(matches!(claim(&store, &id, &"call-1".into()).await, ClaimResult::Existing(_)));
}

/// What a session keeps for a day is deleted after it, a few rows a call.
#[tokio::test]
async fn expired_rows_are_deleted() {
    const DAY: EpochMs = 24 * 60 * 60 * 1000;
    let Some(server) = redis_server::start() else { return };
    let mut connection = Client::open(server.url.as_str()).unwrap().get_connection().unwrap();
    let options = RedisOptions { time_source: TimeSource::Caller, ..RedisOptions::default() };
    let store = open(&server.url, options).unwrap();
    let id = SessionId::from("expiry");
    attach(&store, &id).await;
    for number in 0..40 {
        make_call(&store, &id, number).await;
    }
    let mut calls = || {
        let names: Vec<String> = ::redis::cmd("HKEYS").arg("tg:{expiry}:rows").query(&mut connection).unwrap();
        names.iter().filter(|name| name.starts_with("call:")).count()
    };
    assert_eq!(calls(), 40);
    for number in 40..60 {
        let call = CallId::from(format!("call-{number}").as_str());
        let claim = Claim { now: DAY + 1, ..claim_of(&id, &call) };
        assert!(matches!(store.claim(claim).await, Ok(ClaimResult::Granted { .. })));
    }
    assert_eq!(calls(), 20, "of the second day");
}

/// The clocks of this machine and of the server are one.
#[tokio::test]
async fn a_claim_has_the_servers_time() {
    let Some(server) = redis_server::start() else { return };
    let store = open(&server.url, RedisOptions::default()).unwrap();
    let id = SessionId::from("time");
    // The server's time is known from when its answer came, so a slow answer makes it earlier.
    let before = SystemClock.now();
    attach(&store, &id).await;
    make_call(&store, &id, 1).await;
    let ClaimResult::Existing(record) = claim(&store, &id, &"call-1".into()).await else { panic!("it was claimed") };
    // Parts of milliseconds are cut off, here and there.
    assert!((before - 3..=SystemClock.now() + 3).contains(&record.claimed_at), "{} {before}", record.claimed_at);
}

#[tokio::test]
async fn a_closed_store_leaves_no_connection() {
    let Some(server) = redis_server::start() else { return };
    let mut connection = Client::open(server.url.as_str()).unwrap().get_connection().unwrap();
    let store = open(&server.url, RedisOptions::default()).unwrap();
    attach(&store, &"closed".into()).await;
    let mut open = || {
        let clients: String = ::redis::cmd("CLIENT").arg("LIST").query(&mut connection).unwrap();
        clients.lines().count() - 1
    };
    assert!(open() > 0);
    store.close().await.unwrap();
    let until = std::time::Instant::now() + Duration::from_secs(20);
    while open() > 0 {
        assert!(std::time::Instant::now() < until, "the connections end");
    }
}
