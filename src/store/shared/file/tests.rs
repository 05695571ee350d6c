//! The keys of sessions in the tables.

use rusqlite::Connection;

use super::*;
use crate::session::state::SessionState;
use crate::store::{AttachRequest, AttachedSession, Store};

#[test]
fn long_ids_have_short_keys_of_their_own() {
    let long = "x".repeat(513);
    let hashed = row_key(&long.as_str().into()).into_owned();
    assert!(hashed.len() < 100);
    let plain = "x".repeat(512);
    let ids = ["", "a", "sha256", "sha256:", hashed.as_str(), plain.as_str(), long.as_str()];
    let keys: HashSet<String> = ids.iter().map(|id| row_key(&(*id).into()).into_owned()).collect();
    assert_eq!(keys.len(), ids.len(), "{keys:?}");
    assert_eq!(row_key(&plain.as_str().into()), plain);
}

async fn attach(store: &SharedStore, session: &str, now: EpochMs) -> AttachedSession {
    let (state, tools_version) = (SessionState::new("text"), "v1".into());
    let request = AttachRequest { session: session.into(), principal: None, state, tools_version, now };
    store.attach(request).await.unwrap()
}

#[tokio::test]
async fn a_session_under_a_long_id_is_kept_under_a_short_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open(&path, SharedOptions::default()).unwrap();
    let long = "x".repeat(1 << 20);
    assert!(attach(&store, &long, 1).await.created);
    store.begin_turn(&long.as_str().into(), None, 0, 1).await.unwrap();
    store.begin_turn(&long.as_str().into(), None, 0, 1).await.unwrap();
    let in_use = [long.as_str().into()];
    assert!(store.sweep(10, usize::MAX, &in_use).await.unwrap().is_empty());
    store.close().await.unwrap();

    let database = Connection::open(&path).unwrap();
    let key: String = database.query_row("SELECT id FROM documents", [], |row| row.get(0)).unwrap();
    assert!(key.len() < 100, "{} bytes", key.len());
    drop(database);

    assert!(attach(&store, &key, 20).await.created, "an id that looks like a key is another session");
    assert!(!attach(&store, &long, 1).await.created);
    assert_eq!(store.sweep(10, usize::MAX, &[]).await.unwrap().len(), 1);
    store.close().await.unwrap();
}
