//! Servers that forget: refused, noticed, or waited for. Each case has servers of its own.

use std::time::Duration;

use super::*;
use crate::store::StoreRequests;
use crate::store::shared::ReplicaWait;

fn open(url: &str, options: RedisOptions) -> AnyStore {
    AnyStore::other(open_redis(url, options).unwrap())
}

/// Sends a command. Panics if the server refuses it.
fn send(url: &str, command: &[&str]) -> ::redis::Value {
    let mut server = ::redis::Client::open(url).unwrap().get_connection().unwrap();
    let (name, args) = command.split_first().unwrap();
    ::redis::cmd(name).arg(args).query(&mut server).unwrap()
}

fn message(failed: Result<impl std::fmt::Debug, StoreError>) -> String {
    failed.unwrap_err().to_string()
}

#[tokio::test]
async fn a_server_that_evicts_is_used_only_if_that_is_accepted() {
    let Some(server) = redis_server::start() else { return };
    send(&server.url, &["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]);
    let refused = message(open(&server.url, RedisOptions::default()).check().await);
    assert!(refused.contains("`maxmemory-policy allkeys-lru`"), "{refused}");
    let accepting = RedisOptions { allow_eviction: true, ..RedisOptions::default() };
    assert_eq!(open(&server.url, accepting).check().await, Ok(()));
}

#[tokio::test]
async fn a_user_without_the_right_to_read_settings_can_use_the_server() {
    let Some(server) = redis_server::start() else { return };
    send(&server.url, &["ACL", "SETUSER", "limited", "on", ">secret", "~*", "+@all", "-config"]);
    let url = server.url.replace("redis://", "redis://limited:secret@");
    let store = open(&url, RedisOptions::default());
    assert_eq!(store.check().await, Ok(()));
    session(&store, "limited").await;
}

#[tokio::test]
async fn a_server_that_lost_its_data_is_used_once_the_host_accepts_it() {
    let Some(server) = redis_server::start() else { return };
    let store = open(&server.url, RedisOptions::default());
    let id = session(&store, "lost").await;
    granted(&store, claim_of(&id, "call-1")).await;
    redis_server::clear(&server.url);
    let lost = message(store.claim(claim_of(&id, "call-1")).await);
    assert!(lost.contains("`registry.acceptStore()`"), "{lost}");
    assert_eq!(message(attach(&store, &id, None, T).await), lost);
    assert_eq!(message(store.check().await), lost, "what `health()` reports");
    // Another process has written since: this one still knows that data is gone.
    session(&open(&server.url, RedisOptions::default()), "other").await;
    assert_eq!(message(store.check().await), lost);
    assert_eq!(store.accept().await, Ok(()));
    assert!(attach(&store, &id, None, T).await.unwrap().created);
    granted(&store, claim_of(&id, "call-1")).await;
}

#[tokio::test]
async fn a_write_waits_for_its_replicas_and_is_found_after_a_failover() {
    let Some(primary) = redis_server::start() else { return };
    let address = primary.url.trim_start_matches("redis://").trim_end_matches('/').to_owned();
    let (host, port) = address.split_once(':').unwrap();
    let replica = redis_server::start().unwrap();
    let replicas = ReplicaWait { count: 1, timeout: Duration::from_millis(300) };
    let options = RedisOptions { time_source: TimeSource::Caller, replicas, ..RedisOptions::default() };
    let store = open(&primary.url, options);
    let id = session(&store, "failover").await;

    // No replica: the write does not start, a read does, and nothing is left claimed.
    let refused = message(store.claim(claim_of(&id, "call-1")).await);
    assert!(refused.contains("0 of 1 replicas have the claim in time"), "{refused}");
    assert_eq!(record(&store, &id, "call-1").await, None, "the claim is released");
    granted(&store, Claim { effect: EffectClass::Read, ..claim_of(&id, "call-2") }).await;

    send(&replica.url, &["REPLICAOF", host, port]);
    let until = std::time::Instant::now() + Duration::from_secs(20);
    let epoch = loop {
        match store.claim(claim_of(&id, "call-1")).await {
            Ok(ClaimResult::Granted { epoch, .. }) => break epoch,
            other => assert!(std::time::Instant::now() < until, "the replica follows: {other:?}"),
        }
    };
    drop(primary);
    send(&replica.url, &["REPLICAOF", "NO", "ONE"]);
    let failed_over = open(&replica.url, options);
    let found = record(&failed_over, &id, "call-1").await.unwrap();
    assert_eq!((found.epoch, &found.state), (epoch, &RecordState::Started));
    // The new primary has no replica: the same call joins, another write does not start.
    assert!(matches!(failed_over.claim(claim_of(&id, "call-1")).await, Ok(ClaimResult::Existing(_))));
    assert!(failed_over.claim(claim_of(&id, "call-3")).await.is_err());
}
