//! A migration that is killed, and processes of two versions on one file.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::session::state::SessionState;
use crate::store::shared::file::database::{APPLICATION_ID, DOCUMENT_LAYOUT, LAYOUT_VERSION};
use crate::store::shared::file::{integrity, place};
use crate::store::shared::{SharedOptions, SharedStore, open_file};
use crate::store::{AttachRequest, Store, StoreError, TurnStarter};

/// The file that the child process of a test migrates.
const MIGRATED_FILE: &str = "TOOLGATE_TEST_MIGRATED_FILE";
/// More than `SQLite` keeps in memory before it writes the pages of a transaction that is not committed.
const SESSIONS: i64 = 40_000;

fn number(connection: &Connection, sql: &str) -> i64 {
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// A file of the earliest layout. Its documents are moved as they are.
fn earlier_file(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(&format!(
            "PRAGMA journal_mode = WAL;
             BEGIN;
             CREATE TABLE installation (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
             CREATE TABLE sessions (id TEXT PRIMARY KEY, used_at INTEGER NOT NULL, document TEXT NOT NULL) STRICT;
             CREATE TABLE answers (session TEXT, epoch INTEGER, answer TEXT, PRIMARY KEY (session, epoch)) STRICT;
             WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {SESSIONS})
             INSERT INTO sessions SELECT 'session-' || n, n, 'document ' || n || hex(zeroblob(150)) FROM numbers;
             INSERT INTO answers SELECT id, 1, '{{}}' FROM sessions;
             PRAGMA application_id = {APPLICATION_ID};
             PRAGMA user_version = {DOCUMENT_LAYOUT};
             COMMIT;"
        ))
        .unwrap();
}

async fn attach(store: &SharedStore, session: &str) -> Result<bool, StoreError> {
    let (state, tools_version) = (SessionState::new("text"), "v1".into());
    let request =
        AttachRequest { session: session.into(), principal: None, state, tools_version, resume_only: false, now: 1 };
    Ok(store.attach(request).await?.created)
}

fn patient() -> SharedOptions {
    SharedOptions { operation_timeout: Duration::from_mins(2), ..SharedOptions::default() }
}

/// What the child process of the next test runs.
#[tokio::test]
async fn migrate_in_a_child_process() {
    let Some(path) = std::env::var_os(MIGRATED_FILE) else { return };
    let store = open_file(Path::new(&path), patient()).unwrap();
    attach(&store, "new").await.unwrap();
}

#[tokio::test]
async fn a_killed_migration_leaves_the_earlier_file_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    earlier_file(&path);
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::shared::file::migration::tests::migrate_in_a_child_process"])
        .env(MIGRATED_FILE, &path)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let log = place::beside(&path, "-wal");
    let until = Instant::now() + Duration::from_mins(1);
    while std::fs::metadata(&log).map_or(0, |log| log.len()) < 1 << 20 {
        assert!(Instant::now() < until, "the migration writes to the log");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "it was killed before it was done");

    let found = integrity::check(&path).unwrap();
    assert_eq!(
        (found.layout, found.problems, found.counts.unwrap().sessions),
        (1, Vec::new(), SESSIONS.unsigned_abs())
    );
    let connection = Connection::open(&path).unwrap();
    assert_eq!(number(&connection, "SELECT count(*) FROM answers"), SESSIONS);
    assert_eq!(number(&connection, "SELECT count(*) FROM sqlite_schema WHERE name IN ('documents', 'rows')"), 0);
    drop(connection);

    let store = open_file(&path, patient()).unwrap();
    assert!(attach(&store, "new").await.unwrap());
    let connection = Connection::open(&path).unwrap();
    assert_eq!(number(&connection, "PRAGMA user_version"), i64::from(LAYOUT_VERSION));
    assert_eq!(number(&connection, "SELECT count(*) FROM documents"), SESSIONS + 1);
    assert_eq!(number(&connection, "SELECT count(*) FROM rows WHERE name = 'answer:1'"), SESSIONS);
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_store_that_is_open_stops_as_a_newer_version_migrates_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open_file(&path, SharedOptions::default()).unwrap();
    assert!(attach(&store, "a").await.unwrap());
    // What a process of the next version does, in its one transaction.
    let newer = Connection::open(&path).unwrap();
    newer.execute_batch(&format!("BEGIN IMMEDIATE; PRAGMA user_version = {}; COMMIT;", LAYOUT_VERSION + 1)).unwrap();
    let before: Vec<u8> =
        newer.query_row("SELECT document FROM documents", [], |row| row.get::<_, String>(0)).unwrap().into();
    let expected = format!(
        "`{}` was written by a newer toolgate (its layout is 4, this one knows 3); use that one",
        path.display()
    );
    assert_eq!(
        store.begin_turn(&"a".into(), None, TurnStarter::Host, 0, 1).await,
        Err(StoreError::Failed(expected.clone()))
    );
    assert_eq!(attach(&store, "b").await, Err(StoreError::Failed(expected.clone())));
    assert_eq!(store.check().await, Err(StoreError::Failed(expected)));
    let after: Vec<u8> =
        newer.query_row("SELECT document FROM documents", [], |row| row.get::<_, String>(0)).unwrap().into();
    assert_eq!((before, number(&newer, "SELECT count(*) FROM documents")), (after, 1));
}
