//! Backups that are refused, that take the place of a store, and that leave it alone.

use super::*;
use crate::store::conformance::attach_request;
use crate::store::shared::file::database::LAYOUT_VERSION;
use crate::store::shared::report::{FileCheck, RowCounts};
use crate::store::shared::{SharedOptions, SharedStore, open_file};
use crate::store::{Store, StoreRequests};

async fn attach(store: &SharedStore, session: &str) -> bool {
    store.attach(attach_request(&session.into(), None, 1)).await.unwrap().created
}

/// A store with a session, and its folder.
async fn store_with(session: &str) -> (tempfile::TempDir, PathBuf, SharedStore) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open_file(&path, SharedOptions::default()).unwrap();
    assert!(attach(&store, session).await);
    (folder, path, store)
}

fn check(path: &Path) -> FileCheck {
    integrity::check(path, &mut reading::open(path).unwrap()).unwrap()
}

fn message(result: Result<StoreCopy, StoreError>) -> String {
    match result {
        Err(StoreError::Failed(message)) => message,
        other => panic!("not a store failure: {other:?}"),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_store_in_use_is_backed_up_and_the_backup_is_one_file() {
    let (folder, path, store) = store_with("a").await;
    let backup = folder.path().join("backup");
    let copy = back_up(&path, &backup).unwrap();
    assert_eq!(copy.counts, RowCounts { sessions: 1, ..RowCounts::default() });
    assert_eq!(copy.bytes, fs::metadata(&backup).unwrap().len());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&backup).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(!attach(&store, "a").await, "the store goes on");
    store.close().await.unwrap();
    assert_eq!(names(folder.path()), ["backup", "sessions.sqlite", "sessions.sqlite-queue", "sessions.sqlite-turn"]);
    assert!(message(back_up(&path, &backup)).contains("exists; name a new file"));
}

#[tokio::test]
async fn a_store_is_replaced_by_force_and_never_while_it_is_in_use() {
    let (folder, path, store) = store_with("a").await;
    let backup = folder.path().join("backup");
    back_up(&path, &backup).unwrap();
    assert!(attach(&store, "later").await);
    assert!(message(restore(&backup, &path, ExistingStore::Keep)).contains("`--force` replaces it"));
    assert!(message(restore(&backup, &path, ExistingStore::Replace)).contains("is in use"));
    assert!(!attach(&store, "later").await, "a refused restoration changes nothing");
    store.close().await.unwrap();
    assert!(message(restore(&backup, &path, ExistingStore::Keep)).contains("`--force` replaces it"));

    restore(&backup, &path, ExistingStore::Replace).unwrap();
    assert!(!attach(&store, "a").await);
    assert!(attach(&store, "later").await, "a session that began after the backup is not in it");
    store.close().await.unwrap();
    assert_eq!(names(folder.path()), ["backup", "sessions.sqlite", "sessions.sqlite-queue", "sessions.sqlite-turn"]);
}

#[tokio::test]
async fn the_log_that_a_deleted_store_has_left_is_not_added_to_the_restored_store() {
    let (folder, path, store) = store_with("a").await;
    let backup = folder.path().join("backup");
    back_up(&path, &backup).unwrap();
    assert!(attach(&store, "later").await);
    let log = place::beside(&path, "-wal");
    let left = fs::read(&log).unwrap();
    store.close().await.unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(&log, left).unwrap();
    assert!(message(restore(&backup, &path, ExistingStore::Keep)).contains("are left beside it"));
    restore(&backup, &path, ExistingStore::Replace).unwrap();
    assert!(!attach(&store, "a").await);
    assert!(attach(&store, "later").await);
    store.close().await.unwrap();
}

#[tokio::test]
async fn what_is_no_backup_is_refused_and_the_store_stays() {
    let (folder, path, store) = store_with("a").await;
    store.close().await.unwrap();
    let before = fs::read(&path).unwrap();
    let other = folder.path().join("other");
    for (content, expected) in
        [(&b"no database, only a long text that is not one"[..], "it is no SQLite file"), (b"", "is no store")]
    {
        fs::write(&other, content).unwrap();
        let refused = message(restore(&other, &path, ExistingStore::Replace));
        assert!(refused.contains(expected), "{refused}");
    }
    fs::remove_file(&other).unwrap();
    assert!(message(restore(&other, &path, ExistingStore::Replace)).contains("does not exist"));
    assert!(message(restore(&path, &path, ExistingStore::Replace)).contains("is the backup itself"));
    fs::copy(&path, &other).unwrap();
    Connection::open(&other).unwrap().pragma_update(None, "user_version", LAYOUT_VERSION + 1).unwrap();
    assert!(message(restore(&other, &path, ExistingStore::Replace)).contains("was written by a newer toolgate"));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn a_file_of_another_program_is_never_replaced_and_a_damaged_store_is() {
    let (folder, path, store) = store_with("a").await;
    store.close().await.unwrap();
    let backup = folder.path().join("backup");
    back_up(&path, &backup).unwrap();
    let other = folder.path().join("other");
    Connection::open(&other).unwrap().pragma_update(None, "application_id", 7).unwrap();
    assert!(message(restore(&backup, &other, ExistingStore::Replace)).contains("belongs to another program"));
    fs::write(&path, "x".repeat(10_000)).unwrap();
    restore(&backup, &path, ExistingStore::Replace).unwrap();
    assert!(!attach(&store, "a").await);
    store.close().await.unwrap();
}

#[tokio::test]
async fn damage_is_found_by_the_check_and_refused_by_the_backup() {
    let (folder, path, store) = store_with("a").await;
    for number in 0..200 {
        attach(&store, &format!("session-{number:0200}")).await;
    }
    store.close().await.unwrap();
    assert_eq!(check(&path).problems, Vec::<String>::new());
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0xff);
    fs::write(&path, bytes).unwrap();
    let problems = check(&path).problems;
    assert!(!problems.is_empty());
    let refused = message(back_up(&path, &folder.path().join("backup")));
    assert!(refused.contains("is damaged"), "{refused}");
    assert_eq!(names(folder.path()).iter().filter(|name| name.contains("backup")).count(), 0);
}

#[tokio::test]
async fn a_check_waits_for_no_writer_and_names_what_belongs_to_no_session() {
    let (_folder, path, store) = store_with("a").await;
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE; INSERT INTO rows VALUES (77, 'call:x', NULL, '{}');").unwrap();
    let found = check(&path);
    assert_eq!((found.problems, found.counts.unwrap().sessions), (Vec::new(), 1));
    writer.execute_batch("COMMIT; UPDATE documents SET document = '{';").unwrap();
    let problems = check(&path).problems;
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert_eq!(problems[0], "1 rows belong to no session");
    assert!(problems[1].starts_with("session `a` can't be read"), "{problems:?}");
    store.close().await.unwrap();
}
