//! The write that asks a store, in real places: what it leaves there, and what refuses it.

use std::time::Duration;

use super::*;
use crate::store::conformance::{attach_request, postgres_server, redis_server};
use crate::store::error::StoreError;
use crate::store::overview::SessionFilter;
use crate::store::shared::report::{RowCounts, StoreCheck};
use crate::store::shared::{
    PostgresOptions, RedisOptions, ReplicaWait, SharedOptions, SharedStore, StorePlace, open_file, open_postgres,
    open_redis,
};
use crate::store::{Store, StoreRequests};

fn at_redis(url: &str) -> SharedStore {
    open_redis(url, RedisOptions::default()).unwrap()
}

fn at_postgres(url: &str) -> SharedStore {
    open_postgres(url, PostgresOptions::default()).unwrap()
}

/// Asks a store many times, in two processes, and looks for what that has left.
async fn leaves_nothing(open: impl Fn() -> SharedStore, place: StorePlace) {
    let stores = [open(), open()];
    for _ in 0..20 {
        for asked in futures_util::future::join_all(stores.iter().map(Store::check)).await {
            assert_eq!(asked, Ok(()), "{place:?}");
        }
    }
    let listed = place.list(&SessionFilter { principal: None, limit: 10 }).await.unwrap();
    assert_eq!((listed.sessions.len(), place.show(KEY, 1).await), (0, Ok(None)), "{place:?}");
    assert_eq!(place.end(KEY).await, Ok(None), "{place:?}");
    let counts = match place.check().await.unwrap() {
        StoreCheck::File(found) => found.counts.unwrap(),
        StoreCheck::Redis(found) => found.counts,
        StoreCheck::Postgres(found) => found.counts,
    };
    assert_eq!(counts, RowCounts::default(), "{place:?}");
    for store in stores {
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn it_leaves_no_session_that_an_operator_or_a_host_sees() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let open = || open_file(&path, SharedOptions::default()).unwrap();
    leaves_nothing(open, StorePlace::File { path: path.clone() }).await;
    if let Some(server) = redis_server::start() {
        leaves_nothing(|| at_redis(&server.url), StorePlace::Redis { url: server.url.clone() }).await;
    }
    if let Some(url) = postgres_server::url_of_new_schema() {
        leaves_nothing(|| at_postgres(&url), StorePlace::Postgres { url: url.clone(), schema: None }).await;
    }
}

#[tokio::test]
async fn a_file_that_is_kept_locked_may_be_used_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let options = SharedOptions { operation_timeout: Duration::from_millis(500), ..SharedOptions::default() };
    let store = open_file(&path, options).unwrap();
    assert_eq!(store.check().await, Ok(()));
    let writer = rusqlite::Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let Err(StoreError::Unreachable(locked)) = store.check().await else { panic!("it was written to") };
    assert!(locked.ends_with("is kept locked by another process"), "{locked}");
    let attach = attach_request(&"s".into(), None, 1);
    assert_eq!(store.attach(attach).await.err(), Some(StoreError::Failed(locked)), "an operation fails all the same");
    writer.execute_batch("ROLLBACK").unwrap();
    assert_eq!(store.check().await, Ok(()));
}

/// Sends a command.
fn send(url: &str, command: &[&str]) {
    let mut server = ::redis::Client::open(url).unwrap().get_connection().unwrap();
    let (name, args) = command.split_first().unwrap();
    ::redis::cmd(name).arg(args).exec(&mut server).unwrap();
}

/// Makes a server refuse writes and asks two stores: one that has used it, and one that begins.
async fn refused(url: &str, commands: &[&[&str]], reason: &str) {
    let user = url.replace("redis://", "redis://app:secret@");
    send(url, &["ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all"]);
    let store = at_redis(&user);
    assert_eq!(store.check().await, Ok(()));
    for command in commands {
        send(url, command);
    }
    for store in [store, at_redis(&user)] {
        for _ in 0..2 {
            let Err(StoreError::Failed(message)) = store.check().await else { panic!("not refused: {reason}") };
            assert!(message.contains(reason), "{message}");
        }
    }
}

#[tokio::test]
async fn a_server_that_refuses_it_says_why() {
    let Some(server) = redis_server::start() else { return };
    let url = server.url.as_str();
    refused(url, &[&["CONFIG", "SET", "maxmemory", "1"]], "redis is full (`maxmemory`)").await;
    send(url, &["CONFIG", "SET", "maxmemory", "0"]);
    refused(url, &[&["ACL", "SETUSER", "app", "-@scripting"]], "'evalsha'").await;
    refused(url, &[&["REPLICAOF", "127.0.0.1", "1"]], "is a replica that can't be written to").await;
}

#[tokio::test]
async fn missing_replicas_are_told_while_reads_go_on() {
    let Some(server) = redis_server::start() else { return };
    let replicas = ReplicaWait { count: 1, timeout: Duration::from_millis(100) };
    let store = open_redis(&server.url, RedisOptions { replicas, ..RedisOptions::default() }).unwrap();
    let lack = StoreError::SessionFailed("0 of 1 replicas have the claim in time".to_owned());
    for _ in 0..5 {
        assert_eq!(store.check().await, Err(lack.clone()));
    }
}

/// Runs SQL as the owner of the database.
async fn execute(url: &str, sql: &str) {
    let (client, connection) =
        tokio_postgres::connect(url.split('?').next().unwrap(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
}

#[tokio::test]
async fn a_database_that_refuses_it_says_why() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let schema = url.split("schema=").nth(1).unwrap();
    let user = format!("asking_{schema}");
    execute(&url, &format!("CREATE USER {user}; CREATE SCHEMA {schema} AUTHORIZATION {user}")).await;
    let of_user = url.replace("postgres@", &format!("{user}@"));
    let store = at_postgres(&of_user);
    assert_eq!(store.check().await, Ok(()));
    for (change, undo, reason) in [
        (
            "REVOKE UPDATE ON {schema}.sessions FROM {user}",
            "GRANT UPDATE ON {schema}.sessions TO {user}",
            "permission denied",
        ),
        (
            "REVOKE INSERT ON {schema}.session_rows FROM {user}",
            "GRANT INSERT ON {schema}.session_rows TO {user}",
            "permission denied",
        ),
        (
            "ALTER ROLE {user} SET default_transaction_read_only = on",
            "ALTER ROLE {user} RESET default_transaction_read_only",
            "is a standby, or read-only",
        ),
        ("ALTER ROLE {user} CONNECTION LIMIT 0", "ALTER ROLE {user} CONNECTION LIMIT -1", "has no connection left"),
    ] {
        let sql = |text: &str| text.replace("{schema}", schema).replace("{user}", &user);
        execute(&url, &sql(change)).await;
        // As the server ends its connections when it starts again.
        store.close().await.unwrap();
        let failed = store.check().await.unwrap_err();
        assert!(failed.to_string().contains(reason), "{change}: {failed}");
        let may_pass = matches!(failed, StoreError::Unreachable(_));
        assert_eq!(may_pass, change.contains("CONNECTION LIMIT"), "{change}: {failed:?}");
        execute(&url, &sql(undo)).await;
        assert_eq!(store.check().await, Ok(()), "{undo}");
    }
}
