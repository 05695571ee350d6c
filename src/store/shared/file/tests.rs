//! The keys of sessions in the tables, the file's place, and what is left of deleted values.

use std::collections::HashSet;

use super::super::report::{RowCounts, StoreCheck};
use super::super::session_key::row_key;
use super::super::store_place::StorePlace;
use super::*;
use crate::clock::EpochMs;
use crate::clock::{Clock, SystemClock};
use crate::session::key::RecordKey;
use crate::store::attaching::{AttachedSession, TurnStarter};
use crate::store::conformance::idle_since;
use crate::store::conformance::{self, attach_request, lookup_of};
use crate::store::overview::{SessionFilter, SessionList};
use crate::store::{AskRequest, Closing, Question, Store, StoreRequests};

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

pub(super) async fn attach(store: &impl StoreRequests, session: &str, now: EpochMs) -> AttachedSession {
    store.attach(attach_request(&session.into(), None, now)).await.unwrap()
}

fn place_of(path: &Path) -> StorePlace {
    StorePlace::File { path: path.to_owned() }
}

async fn list(path: &Path, principal: Option<&str>, limit: usize) -> SessionList {
    place_of(path).list(&SessionFilter { principal: principal.map(str::to_owned), limit }).await.unwrap()
}

async fn problems(path: &Path) -> Vec<String> {
    match place_of(path).check().await.unwrap() {
        StoreCheck::File(found) => found.problems,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_session_under_a_long_id_is_kept_under_a_short_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open(&path, SharedOptions::default()).unwrap();
    let long = "x".repeat(1 << 20);
    assert!(attach(&store, &long, 1).await.created);
    store.begin_turn(&long.as_str().into(), None, TurnStarter::Host, 0, 1).await.unwrap();
    store.begin_turn(&long.as_str().into(), None, TurnStarter::Host, 0, 1).await.unwrap();
    assert!(store.sweep(idle_since(10), &[long.as_str().into()]).await.unwrap().sessions.is_empty());
    store.close().await.unwrap();

    let database = Connection::open(&path).unwrap();
    let key: String = database.query_row("SELECT id FROM documents", [], |row| row.get(0)).unwrap();
    assert!(key.len() < 100, "{} bytes", key.len());
    drop(database);

    assert!(attach(&store, &key, 20).await.created, "an id that looks like a key is another session");
    assert!(!attach(&store, &long, 1).await.created);
    assert_eq!(store.sweep(idle_since(10), &[]).await.unwrap().sessions.len(), 1);
    store.close().await.unwrap();
}

fn failure<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    match result {
        Err(StoreError::Failed(message) | StoreError::Unreachable(message)) => message,
        other => panic!("not a store failure: {other:?}"),
    }
}

#[cfg(unix)]
#[tokio::test]
async fn wider_permissions_are_corrected() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open(&path, SharedOptions::default()).unwrap();
    attach(&store, "a", 1).await;
    store.close().await.unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o664)).unwrap();
    assert!(!attach(&store, "a", 1).await.created);
    for suffix in ["", "-wal", "-shm", "-queue", "-turn"] {
        let file = folder.path().join(format!("sessions.sqlite{suffix}"));
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "{}", file.display());
    }
    store.close().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn symbolic_links_are_refused() {
    for suffix in ["", "-wal", "-shm", "-queue", "-turn"] {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        std::fs::write(&target, "").unwrap();
        let link = folder.path().join(format!("sessions.sqlite{suffix}"));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let store = open(&folder.path().join("sessions.sqlite"), SharedOptions::default()).unwrap();
        let message = failure(store.begin_turn(&"a".into(), None, TurnStarter::Host, 0, 1).await);
        assert!(message.contains("is a symbolic link; name the file itself"), "{message}");
        assert_eq!(std::fs::read(&target).unwrap(), b"", "nothing is written through the link");
    }
}

#[tokio::test]
async fn a_replaced_or_deleted_file_is_refused_until_it_is_put_back() {
    let folder = tempfile::tempdir().unwrap();
    let [path, moved, other] = ["sessions.sqlite", "moved", "other"].map(|name| folder.path().join(name));
    let other_store = open(&other, SharedOptions::default()).unwrap();
    attach(&other_store, "b", 1).await;
    other_store.close().await.unwrap();
    let before = std::fs::read(&other).unwrap();

    let store = open(&path, SharedOptions::default()).unwrap();
    attach(&store, "a", 1).await;
    std::fs::rename(&path, &moved).unwrap();
    let message = failure(store.begin_turn(&"a".into(), None, TurnStarter::Host, 0, 1).await);
    assert!(message.contains("was replaced or deleted while it was in use"), "{message}");
    assert!(!path.exists(), "no empty file takes its place");
    std::fs::copy(&other, &path).unwrap();
    failure(store.begin_turn(&"a".into(), None, TurnStarter::Host, 0, 1).await);
    assert_eq!(std::fs::read(&path).unwrap(), before, "the other file is not written to");

    std::fs::rename(&moved, &path).unwrap();
    // The circuit breaker may be open.
    let resumed = async {
        while store.begin_turn(&"a".into(), None, TurnStarter::Host, 0, 1).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), resumed).await.unwrap();
    assert!(!attach(&store, "a", 1).await.created);
    store.close().await.unwrap();
}

/// A pending question with these arguments.
fn question(token: &str, args: &str) -> Question {
    Question {
        args: args.into(),
        key: RecordKey::from_provider_id(&token.into()),
        call_id: None,
        preview: format!("Pay with {args}"),
        expires: 60_000,
        ..conformance::question(token, token)
    }
}

/// Whether a text is in the file or beside it.
fn is_on_disk(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|file| {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[tokio::test]
async fn the_arguments_of_a_closed_question_are_gone_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("sessions.sqlite"), SharedOptions::default()).unwrap();
    let session = "a".into();
    attach(&store, "a", 1).await;
    let padding = "x".repeat(100_000);
    let kept = "kept-4242";
    store.ask(AskRequest::new(&session, question("kept", kept), 1)).await.unwrap();
    for (token, args) in [("short-", "secret-7781".to_owned()), ("long---", format!("{padding} secret-7781 {padding}"))]
    {
        for neighbour in 0..5 {
            let neighbour = "n".repeat(20 + neighbour);
            store.ask(AskRequest::new(&session, question(&neighbour, &neighbour), 1)).await.unwrap();
        }
        store.ask(AskRequest::new(&session, question(token, &args), 1)).await.unwrap();
        assert!(is_on_disk(folder.path(), "secret-7781"), "{token}");
        store.close_question(&session, token, Closing::Denied, 1).await.unwrap().unwrap();
        assert!(!is_on_disk(folder.path(), "secret-7781"), "{token}");
    }
    assert!(is_on_disk(folder.path(), kept));
    store.end(&session, Vec::new()).await.unwrap();
    assert!(!is_on_disk(folder.path(), kept));
    store.close().await.unwrap();
}

#[tokio::test]
async fn an_unreadable_row_fails_its_session_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open(&path, SharedOptions::default()).unwrap();
    for session in ["a", "b"] {
        attach(&store, session, 1).await;
        store.ask(AskRequest::new(&session.into(), question("token", "{}"), 1)).await.unwrap();
    }
    let database = Connection::open(&path).unwrap();
    let damage = "UPDATE rows SET content = '{' WHERE name LIKE 'question:%'
                  AND session = (SELECT number FROM documents WHERE id = 'a')";
    assert_eq!(database.execute(damage, []).unwrap(), 1);
    let (a, b) = ("a".into(), "b".into());
    let (damaged, whole) = tokio::join!(
        store.close_question(&a, "token", Closing::Denied, 1),
        store.close_question(&b, "token", Closing::Denied, 1)
    );
    assert!(matches!(damaged, Err(StoreError::SessionFailed(text)) if text.contains("`a` can't be read")));
    assert!(whole.unwrap().is_some());
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_look_waits_for_no_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open(&path, SharedOptions::default()).unwrap();
    attach(&store, "s", 1).await;
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let key = crate::session::key::RecordKey::from_provider_id(&"call-1".into());
    assert_eq!(store.look_up(lookup_of(&"s".into(), &key, 1)).await.unwrap().record, None);
    writer.execute_batch("ROLLBACK").unwrap();
    store.close().await.unwrap();
}

#[tokio::test]
async fn an_operators_look_waits_for_no_writer_and_finds_long_ids() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open(&path, SharedOptions::default()).unwrap();
    let long = "x".repeat(1000);
    attach(&store, &long, 1).await;
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let listed = list(&path, None, 10).await;
    let [session] = listed.sessions.as_slice() else { panic!("{listed:?}") };
    assert_eq!(session.id, row_key(&long.as_str().into()));
    let show = async |id: &str| place_of(&path).show(id, 1).await.unwrap();
    let shown = show(&long).await.unwrap();
    assert_eq!(&shown.summary, session);
    assert_eq!((show(&session.id).await, show("y").await), (Some(shown), None));
    writer.execute_batch("ROLLBACK").unwrap();
    store.close().await.unwrap();
}

#[test]
fn each_failure_of_the_file_says_what_is_wrong() {
    use rusqlite::ffi;
    let said = |code: i32| {
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        failure::<()>(Err(database::describe_error(Path::new("store"), &error)))
    };
    for (code, text) in [
        (ffi::SQLITE_BUSY, "`store` is kept locked by another process"),
        (ffi::SQLITE_LOCKED, "`store` is kept locked by another process"),
        (ffi::SQLITE_FULL, "`store` can't grow: the disk is full"),
        (ffi::SQLITE_READONLY, "`store` can't be written to"),
        (ffi::SQLITE_CORRUPT, "`store` is damaged; restore it, or move it away to start anew"),
        (ffi::SQLITE_NOTADB, "`store` is not a store: it is no SQLite file"),
    ] {
        assert_eq!(said(code), text);
    }
    assert!(said(ffi::SQLITE_IOERR).starts_with("`store` can't be read or written: the disk fails"));
    assert!(said(ffi::SQLITE_TOOBIG).starts_with("`store` can't be used: "));
}

#[test]
fn a_commit_waits_for_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let open = database::open(&folder.path().join("store"), Duration::from_secs(1)).unwrap();
    let number = |name| open.connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).unwrap();
    assert_eq!((number("synchronous"), number("fullfsync")), (2, 1), "2 is FULL");
}

#[test]
fn files_of_newer_versions_and_other_programs_are_refused_to_readers_and_writers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let set = |application: i32, layout: i32| {
        let database = Connection::open(&path).unwrap();
        database.pragma_update(None, "application_id", application).unwrap();
        database.pragma_update(None, "user_version", layout).unwrap();
    };
    let opened = || database::open(&path, Duration::from_secs(1)).map(drop);
    let read = || reading::open(&path).map(drop);
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE of_mine (x)").unwrap();
    assert!(failure(opened()).contains("belongs to another program"), "it has tables, and no application id");
    assert!(failure(read()).contains("is no store"));
    set(1, 1);
    for message in [failure(opened()), failure(read())] {
        assert!(message.contains("belongs to another program"), "{message}");
    }

    std::fs::remove_file(&path).unwrap();
    opened().unwrap();
    assert_eq!(read(), Ok(()));
    set(database::APPLICATION_ID, database::LAYOUT_VERSION + 1);
    for message in [failure(opened()), failure(read())] {
        assert!(message.contains("was written by a newer toolgate"), "{message}");
    }
}

#[tokio::test]
async fn the_sessions_of_one_principal_are_erased_and_the_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open(&path, SharedOptions::default()).unwrap();
    for n in 0..450 {
        let principal = Some(if n % 3 == 0 { "alice" } else { "bob" }.to_owned());
        store.attach(attach_request(&format!("session-{n}").into(), principal, 1)).await.unwrap();
    }
    store.ask(AskRequest::new(&"session-0".into(), question("q", r#"{"iban":"DE00"}"#), 1)).await.unwrap();
    store.close().await.unwrap();
    Connection::open(&path).unwrap().execute("UPDATE documents SET document = 'x' WHERE id = 'session-1'", []).unwrap();

    let report = place_of(&path).erase("alice").await.unwrap();
    assert_eq!((report.erased.sessions, report.erased.questions), (150, 1));
    assert_eq!((report.unreadable, report.left_in_log), (vec!["session-1".to_owned()], false));
    assert!(!is_on_disk(folder.path(), "DE00"));
    let listed = async |principal| list(&path, Some(principal), 1000).await.sessions.len();
    assert_eq!([listed("alice").await, listed("bob").await], [0, 299]);
    assert_eq!(place_of(&path).erase("alice").await.unwrap().erased, RowCounts::default(), "there are none any more");
}

#[tokio::test]
async fn an_erasure_while_the_log_is_in_use_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open(&path, SharedOptions::default()).unwrap();
    attach(&store, "s", 1).await;
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM documents;").unwrap();
    assert!(place_of(&path).erase("carol").await.unwrap().left_in_log);
    reader.execute_batch("ROLLBACK").unwrap();
    assert!(!place_of(&path).erase("carol").await.unwrap().left_in_log);
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_list_has_the_last_used_first_up_to_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open(&path, SharedOptions::default()).unwrap();
    for (session, now) in [("b", 2), ("c", 3), ("a", 1)] {
        attach(&store, session, now).await;
    }
    let ids =
        async |limit| list(&path, None, limit).await.sessions.into_iter().map(|session| session.id).collect::<Vec<_>>();
    assert_eq!((ids(10).await, ids(2).await), (vec!["c".into(), "b".into(), "a".into()], vec!["c".into(), "b".into()]));
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_check_names_orphans_and_unreadable_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open(&path, SharedOptions::default()).unwrap();
    attach(&store, "s", 1).await;
    store.close().await.unwrap();
    assert_eq!(problems(&path).await, [""; 0]);
    let database = Connection::open(&path).unwrap();
    database.execute_batch("INSERT INTO rows (session, name, content) VALUES (99, 'call:x', '{}')").unwrap();
    assert_eq!(problems(&path).await, ["1 rows belong to no session"]);
    database.execute_batch("DELETE FROM rows; UPDATE documents SET document = 'x'").unwrap();
    let found = problems(&path).await;
    assert!(found.len() == 1 && found[0].starts_with("session `s` can't be read: "), "{found:?}");
    // A list of bounded length.
    for number in 0..50 {
        let insert = "INSERT INTO documents (id, used_at, document) VALUES (?1, 1, 'x')";
        database.execute(insert, [number.to_string()]).unwrap();
    }
    assert_eq!(problems(&path).await.len(), 21);
}

#[tokio::test]
async fn a_session_is_ended_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    let store = open(&path, SharedOptions::default()).unwrap();
    attach(&store, "s", SystemClock.now()).await;
    let end = async |id: &str| place_of(&path).end(id).await;
    assert_eq!(end("other").await, Ok(None));
    assert_eq!(end("s").await, Ok(Some(true)));
    assert_eq!(end("s").await, Ok(Some(false)), "it has ended");
    store.close().await.unwrap();
}
