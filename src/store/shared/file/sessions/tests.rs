//! What is known of a session from one transaction to the next, and what a use of it writes.

use rusqlite::Connection;

use super::super::super::store_place::StorePlace;
use super::super::tests::attach;
use super::super::{SharedOptions, open, place};
use crate::store::attaching::TurnStarter;
use crate::store::conformance::{attach_request, idle_since, owe_result};
use crate::store::{AnyStore, Store, StoreRequests};

#[tokio::test]
async fn what_another_process_changed_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let stores = [(); 2].map(|()| open(&path, SharedOptions::default()).unwrap());
    attach(&stores[0], "s", 1).await;
    let mut turns = Vec::new();
    for store in stores.iter().cycle().take(6) {
        for _ in 0..2 {
            turns.push(store.begin_turn(&"s".into(), None, TurnStarter::Host, 0, 1).await.unwrap().number);
        }
    }
    assert_eq!(turns, (1..=12).collect::<Vec<_>>());
    for store in stores {
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_session_that_was_used_is_dropped_a_second_late_at_most_and_never_early() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open(&path, SharedOptions::default()).unwrap();
    attach(&store, "s", 1).await;
    for now in [5_000, 5_500, 6_000] {
        store.begin_turn(&"s".into(), None, TurnStarter::Host, 0, now).await.unwrap();
        assert!(store.sweep(idle_since(now), &[]).await.unwrap().sessions.is_empty());
    }
    assert!(store.sweep(idle_since(6_000), &[]).await.unwrap().sessions.is_empty());
    assert_eq!(store.sweep(idle_since(7_001), &[]).await.unwrap().sessions, ["s".into()]);
    assert!(attach(&store, "s", 8_000).await.created, "what this process knew of it is forgotten");
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_use_within_a_second_of_another_writes_one_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open(&path, SharedOptions::default()).unwrap();
    // Many, so that the trees have leaves of their own.
    for session in 0..500 {
        attach(&store, &format!("session-{session}"), 1).await;
    }
    let pages = async |now| {
        let before = std::fs::metadata(place::beside(&path, "-wal")).unwrap().len();
        store.begin_turn(&"session-250".into(), None, TurnStarter::Host, 0, now).await.unwrap();
        (std::fs::metadata(place::beside(&path, "-wal")).unwrap().len() - before) / 4096
    };
    // An emptied log begins anew.
    let emptying = Connection::open(&path).unwrap();
    emptying.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let first = pages(5_000).await;
    assert!(first > 1, "{first}");
    for now in [5_001, 5_500, 6_000] {
        assert_eq!(pages(now).await, 1);
    }
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_file_of_an_earlier_version_has_the_ages_of_what_is_written_from_now_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let opened = || AnyStore::other(open(&path, SharedOptions::default()).unwrap());
    let store = opened();
    for session in ["s", "other"] {
        attach(&store, session, 1).await;
        owe_result(&store, &session.into(), "call", 5_000).await;
    }
    store.close().await.unwrap();
    let of_earlier = "DROP INDEX documents_by_owed; ALTER TABLE documents DROP COLUMN owed_since";
    Connection::open(&path).unwrap().execute_batch(of_earlier).unwrap();

    let store = opened();
    assert_eq!(store.oldest_owed_ms(9_000).await, Ok(None), "no session was written since");
    store.begin_turn(&"s".into(), None, TurnStarter::Host, 0, 6_000).await.unwrap();
    assert_eq!(store.oldest_owed_ms(9_000).await, Ok(Some(4_000)));
    // The statements of the earlier version, which may go on with the file.
    let earlier = Connection::open(&path).unwrap();
    let insert = "INSERT INTO documents (id, used_at, document) SELECT 'new', used_at, document FROM documents LIMIT 1";
    earlier.execute(insert, []).unwrap();
    earlier.execute("UPDATE documents SET document = document, used_at = 7000 WHERE id = 's'", []).unwrap();
    assert_eq!(store.oldest_owed_ms(9_000).await, Ok(Some(4_000)));
    store.close().await.unwrap();
}

#[tokio::test]
async fn an_age_ends_with_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = AnyStore::other(open(&path, SharedOptions::default()).unwrap());
    store.attach(attach_request(&"of-ada".into(), Some("ada".to_owned()), 1)).await.unwrap();
    attach(&store, "idle", 1).await;
    for (session, ended_at) in [("of-ada", 5_000), ("idle", 6_000)] {
        owe_result(&store, &session.into(), "call", ended_at).await;
    }
    assert_eq!(store.oldest_owed_ms(9_000).await, Ok(Some(4_000)));
    StorePlace::File { path: path.clone() }.erase("ada").await.unwrap();
    assert_eq!(store.oldest_owed_ms(9_000).await, Ok(Some(3_000)));
    assert_eq!(store.sweep(idle_since(u64::MAX / 4), &[]).await.unwrap().sessions, ["idle".into()]);
    assert_eq!(store.oldest_owed_ms(9_000).await, Ok(None));
    store.close().await.unwrap();
}
