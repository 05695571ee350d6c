//! What an operator's commands read, end and delete on a server. Each case has a server of its own.

use super::*;
use crate::store::overview::{SessionFilter, SessionList};
use crate::store::shared::report::{ErasureReport, RedisCheck, RowCounts, StoreCheck};
use crate::store::shared::store_place::StorePlace;
use crate::store::{AnyStore, StoreRequests};

/// Enough for several steps of `SCAN`.
const SESSIONS: usize = 1200;

fn connect(url: &str) -> ::redis::Connection {
    Client::open(url).unwrap().get_connection().unwrap()
}

fn send<T: ::redis::FromRedisValue>(url: &str, command: &[&str]) -> T {
    let (name, args) = command.split_first().unwrap();
    ::redis::cmd(name).arg(args).query(&mut connect(url)).unwrap()
}

async fn attach_as(store: &dyn Store, id: &str, principal: &str) {
    store.attach(attach_request(&id.into(), Some(principal.to_owned()), 1)).await.unwrap();
}

fn place(url: &str) -> StorePlace {
    StorePlace::Redis { url: url.to_owned() }
}

async fn check(url: &str) -> Result<RedisCheck, StoreError> {
    match place(url).check().await? {
        StoreCheck::Redis(found) => Ok(found),
        other => panic!("{other:?}"),
    }
}

async fn list(url: &str, principal: Option<&str>, limit: usize) -> SessionList {
    place(url).list(&SessionFilter { principal: principal.map(str::to_owned), limit }).await.unwrap()
}

fn ids(list: &SessionList) -> Vec<&str> {
    let mut ids: Vec<&str> = list.sessions.iter().map(|session| session.id.as_str()).collect();
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn sessions_are_counted_listed_and_erased_in_steps() {
    let Some(server) = redis_server::start() else { return };
    let (store, url) = (open(&server.url, RedisOptions::default()).unwrap(), server.url.as_str());
    for number in 0..SESSIONS {
        attach_as(&store, &format!("s{number}"), if number % 3 == 0 { "alice" } else { "bob" }).await;
    }
    make_call(&store, &"s0".into(), 1).await;
    make_call(&store, &"s1".into(), 1).await;
    make_call(&store, &"s1".into(), 2).await;
    let _: () = send(url, &["HSET", "tg:{broken}:session", "document", "{"]);

    let count = |sessions, records| RowCounts { sessions, records, ..RowCounts::default() };
    assert_eq!(check(url).await.unwrap().counts, count(SESSIONS as u64 + 1, 3));
    let all = list(url, None, SESSIONS).await;
    assert_eq!((ids(&all).len(), all.more, all.unreadable), (SESSIONS, false, 1));
    let of_alice = list(url, Some("alice"), SESSIONS).await;
    assert!(of_alice.sessions.iter().all(|session| session.principal.as_deref() == Some("alice")));
    assert_eq!((of_alice.sessions.len(), of_alice.more), (SESSIONS / 3, false));
    let some = list(url, None, 700).await;
    assert_eq!((some.sessions.len(), some.more), (700, true));

    let report = place(url).erase("alice").await.unwrap();
    let erased = count(SESSIONS as u64 / 3, 1);
    assert_eq!(report, ErasureReport { erased, unreadable: vec!["broken".to_owned()], left_in_log: false });
    assert_eq!(send::<Vec<String>>(url, &["KEYS", "tg:{s0}:*"]), Vec::<String>::new(), "no row is left");
    let left = list(url, None, SESSIONS).await;
    assert!(left.sessions.iter().all(|session| session.principal.as_deref() == Some("bob")));
    assert_eq!((left.sessions.len(), left.unreadable), (SESSIONS - SESSIONS / 3, 1));
    assert_eq!(check(url).await.unwrap().counts, count(left.sessions.len() as u64 + 1, 2));
    assert_eq!(place(url).erase("carol").await.unwrap().erased, RowCounts::default());
}

#[tokio::test]
async fn a_session_is_shown_by_its_id_and_by_its_hash() {
    let Some(server) = redis_server::start() else { return };
    let (store, url) = (open(&server.url, RedisOptions::default()).unwrap(), server.url.as_str());
    for id in ["plain", "not { plain"] {
        attach_as(&store, id, "alice").await;
        make_call(&store, &id.into(), 7).await;
        let shown = place(url).show(id, 1).await.unwrap().unwrap();
        assert_eq!((shown.summary.principal.as_deref(), shown.summary.active), (Some("alice"), true));
        let calls: Vec<_> = shown.records.iter().map(|record| (record.call_id.as_deref(), record.state)).collect();
        assert_eq!(calls, [(Some("call-7"), "succeeded")]);
        let by_tag = place(url).show(&shown.summary.id, 1).await.unwrap();
        assert_eq!(by_tag, Some(shown), "a list shows this id");
    }
    assert_eq!(place(url).show("other", 1).await, Ok(None));
    assert_eq!(place(url).show(&format!("#{}", "0".repeat(64)), 1).await, Ok(None));
    let _: () = send(url, &["HSET", "tg:{broken}:session", "document", "{"]);
    let failed = place(url).show("broken", 1).await.unwrap_err();
    assert!(failed.to_string().contains("session `broken` can't be read"), "{failed}");
}

#[tokio::test]
async fn a_session_that_is_ended_keeps_its_time_to_live() {
    let Some(server) = redis_server::start() else { return };
    let (store, url) = (open(&server.url, RedisOptions::default()).unwrap(), server.url.as_str());
    for id in ["hour", "lasting"] {
        attach_as(&store, id, "alice").await;
    }
    let _: () = send(url, &["PEXPIRE", "tg:{hour}:session", "3600000"]);
    let _: () = send(url, &["PERSIST", "tg:{lasting}:session"]);
    // Ending a session is allowed on a server that no store would use.
    let _: () = send(url, &["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]);
    let left = |id: &str| send::<i64>(url, &["PTTL", &format!("tg:{{{id}}}:session")]);
    // Keys without an expiry get fifteen sixteenths of a year, and a sixteenth of that.
    let lasting = 365 * 24 * 3_600_000 / 16 * 15 / 16 * 17;
    for (id, most) in [("hour", 3_600_000), ("lasting", lasting)] {
        assert_eq!(place(url).end(id).await, Ok(Some(true)));
        assert!((most - 60_000..=most).contains(&left(id)), "{id}: {}", left(id));
        assert_eq!(place(url).end(id).await, Ok(Some(false)), "it has ended");
    }
    assert_eq!(place(url).end("other").await, Ok(None));
    assert!(!place(url).show("hour", 1).await.unwrap().unwrap().summary.active);
}

#[tokio::test]
async fn a_check_says_what_the_server_can_forget() {
    let Some(server) = redis_server::start() else { return };
    let url = server.url.as_str();
    let _: () = send(url, &["CONFIG", "SET", "maxmemory-policy", "allkeys-lru", "appendonly", "yes"]);
    let found = check(url).await.unwrap();
    assert_eq!(found.eviction_policy.as_deref(), Some("allkeys-lru"));
    assert_eq!(found.persistence.as_deref(), Some("appendonly yes, appendfsync everysec, save \"\""));
    assert_eq!(found.problems.len(), 1, "{:?}", found.problems);
    let _: () = send(url, &["ACL", "SETUSER", "limited", "on", ">secret", "~*", "+@all", "-config"]);
    let limited = check(&url.replace("redis://", "redis://limited:secret@")).await.unwrap();
    assert_eq!((limited.eviction_policy, limited.persistence, limited.problems.len()), (None, None, 0));
    let _: () = send(url, &["ACL", "SETUSER", "limited", "-scan"]);
    let refused = check(&url.replace("redis://", "redis://limited:secret@")).await.unwrap_err().to_string();
    assert!(refused.contains("redis refused") && !refused.contains("secret"), "{refused}");
    assert!(check("redis://").await.unwrap_err().to_string().contains("address"), "no address");
}

#[tokio::test]
async fn the_installation_key_is_read_and_never_made() {
    let Some(server) = redis_server::start() else { return };
    let url = server.url.as_str();
    let none = place(url).installation_key().await.map(HashKey::to_bytes).unwrap_err().to_string();
    assert!(none.contains("redis has no installation key"), "{none}");
    assert_eq!(send::<u64>(url, &["DBSIZE"]), 0);
    let store = open(url, RedisOptions::default()).unwrap();
    store.check().await.unwrap();
    let of_store = store.installation_key().await.unwrap().map(HashKey::to_bytes);
    assert_eq!(place(url).installation_key().await.ok().map(HashKey::to_bytes), of_store);
    let _: () = send(url, &["SET", FINGERPRINT_KEY, "not a key"]);
    let unreadable = place(url).installation_key().await.map(HashKey::to_bytes).unwrap_err().to_string();
    assert!(unreadable.contains(FINGERPRINT_KEY), "{unreadable}");
}

#[tokio::test]
async fn an_age_ends_with_its_session_and_begins_with_the_next_write_of_one_that_has_none() {
    let Some(server) = redis_server::start() else { return };
    let (store, url) = (AnyStore::other(open(&server.url, by_caller()).unwrap()), server.url.as_str());
    let age = async || store.oldest_owed_ms(9_000).await.unwrap();
    let owing = || send::<Vec<String>>(url, &["ZRANGE", OWED_KEY, "0", "-1"]);
    for (id, ended_at) in [("erased", 5_000), ("expired", 6_000), ("other { id", 7_000)] {
        attach_as(&*store, id, if id == "erased" { "alice" } else { "bob" }).await;
        conformance::owe_result(&store, &id.into(), "call", ended_at).await;
    }
    assert_eq!((age().await, owing().len()), (Some(4_000), 3));
    place(url).erase("alice").await.unwrap();
    assert_eq!((age().await, owing().len()), (Some(3_000), 2));
    let _: () = send(url, &["DEL", "tg:{expired}:session"]);
    assert_eq!(age().await, Some(2_000));
    assert_eq!(owing().len(), 1, "its name is gone as well");
    // A session that comes under the name of one that has expired has none of its age.
    let _: () = send(url, &["ZADD", OWED_KEY, "1000", "expired"]);
    attach_as(&*store, "expired", "bob").await;
    assert_eq!((age().await, owing().len()), (Some(2_000), 1));
    // As an earlier version has written it.
    let other = SessionKeys::for_session(&"other { id".into());
    let _: () = send(url, &["HDEL", &other.session, "owed"]);
    let _: () = send(url, &["DEL", OWED_KEY]);
    assert_eq!(age().await, None);
    attach_as(&*store, "other { id", "bob").await;
    assert_eq!(age().await, Some(2_000));
    // More than one step, and all of them expired.
    for number in 0..250 {
        let _: () = send(url, &["ZADD", OWED_KEY, "1", &format!("gone-{number}")]);
    }
    assert_eq!(store.sweep(conformance::idle_since(9_000), &[]).await.map(|swept| swept.sessions.len()), Ok(0));
    assert_eq!((owing().len(), age().await), (1, Some(2_000)), "a sweep forgets them too");
}

fn by_caller() -> RedisOptions {
    RedisOptions { time_source: TimeSource::Caller, ..RedisOptions::default() }
}
