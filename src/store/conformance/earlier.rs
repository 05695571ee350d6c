//! A session in the layout of earlier versions, which a file or a server still has.

use std::path::Path;

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::super::TokenState;
use super::*;
use crate::store::shared::open_file;

/// The long id of a call, which earlier versions kept unchanged.
fn long_id() -> String {
    "x".repeat(1000)
}

fn entry(call_id: Option<&str>, epoch: u64, effect: &str, state: &Value) -> Value {
    let fingerprint = Fingerprint::from_text(HashKey::new([7; 16]), "send", "{\"a\":1}");
    json!({
        "fingerprint": fingerprint, "call_id": call_id, "turn": 1, "epoch": epoch, "claimed_at": T, "effect": effect,
        "lease": null, "held": state
    })
}

/// The question as an earlier version stored it after its end: without arguments and preview.
fn closed_question(name: &str, token: &str) -> Question {
    Question { args: "".into(), preview: String::new(), ..question(name, token) }
}

/// The session's document.
fn document() -> String {
    let (settled, forgotten) = (json!({ "settled": { "ok": true } }), json!({ "forgotten": { "ok": false } }));
    let (long, long_key) = (long_id(), format!("provider:{}", long_id()));
    let mut state = SessionState::new("text");
    let host = crate::session::state::ChangeAuthor { by: "host", call_id: None, at: T };
    state.set("theme", json!("dark"), host).unwrap();
    let document = json!({
        "principal": "alice", "tools_version": "v1", "state": state,
        "usage": {
            "begun": 2, "ids": [["message-1", 1], ["message-2", 2]],
            "counts": { "1": { "retrieval": 2, "total": 7, "unnamed": 1 } }, "calls": {}
        },
        "ledger": {
            "open": {
                "provider:unknown": entry(Some("unknown"), 3, "write", &json!("unknown")),
                "provider:reused@2": entry(Some("reused"), 4, "write", &json!("started")),
                "provider:paid": entry(Some("paid"), 9, "write", &json!("unknown")),
            },
            "settled": [
                ["provider:read", entry(Some("read"), 1, "read", &settled)],
                ["provider:unnamed", entry(None, 2, "write", &settled)],
            ],
            "forgotten": {
                "provider:forgotten": entry(Some("forgotten"), 5, "write", &forgotten),
                long_key: entry(Some(&long), 6, "write", &forgotten),
            },
            "twins": { "provider:alias": "provider:unnamed" },
            "sweep_at": 256, "next_epoch": 12
        },
        "questions": {
            "pending": [question("pending", "token-pending")],
            "answered": [{
                "key": "provider:paid", "question": closed_question("paid", "token-paid"), "turn": 1, "reopened": false
            }],
            "expired": [closed_question("expired", "token-expired")]
        },
        "used_at": T
    });
    document.to_string()
}

/// The answers of the document's records by epoch.
fn answers() -> Vec<(u64, String)> {
    let text = |name| match answered(name) {
        RecordState::Settled(answer) => answer.to_stored_text(),
        other => panic!("not settled: {other:?}"),
    };
    vec![(1, text("read")), (2, text("unnamed"))]
}

/// Checks that the session has what it had. Run twice: the first run moves the session.
async fn is_read(store: &dyn Store, id: &SessionId) {
    let attached = attach(store, id, Some("alice"), T).await.unwrap();
    assert_eq!((attached.created, attached.turn), (false, 2));
    assert_eq!(attached.state.get("theme"), Some(&json!("dark")));
    let states = [
        ("read", Some(answered("read"))),
        ("unnamed", Some(answered("unnamed"))),
        ("alias", Some(answered("unnamed"))),
        ("unknown", Some(RecordState::Unknown)),
        ("forgotten", Some(RecordState::Forgotten { ok: false })),
        (&long_id(), Some(RecordState::Forgotten { ok: false })),
        ("reused", None),
    ];
    for (name, state) in states {
        assert_eq!(record(store, id, name).await.map(|record| record.state.clone()), state, "{name}");
    }
    let in_turn = RecordKey::from_provider_id_in_turn(&"reused".into(), 2);
    assert_eq!(seen(store, id, &in_turn, 1, T).await.record.unwrap().state, RecordState::Started);
    let counters = seen(store, id, &key("x"), 1, T).await;
    assert_eq!((counters.total_calls, counters.retrieval_calls, counters.calls_without_id), (7, 2, 1));
    assert_eq!(store.pending_questions(id, T).await.unwrap(), [Arc::new(question("pending", "token-pending"))]);
    let TokenState::Expired(expired) = store.token_state(id, "token-expired", T).await.unwrap() else {
        panic!("it has expired")
    };
    assert_eq!(*expired, closed_question("expired", "token-expired"));
    let TokenState::Used { question, record } = store.token_state(id, "token-paid", T).await.unwrap() else {
        panic!("it was used")
    };
    assert_eq!(*question, closed_question("paid", "token-paid"));
    assert_eq!(record.unwrap().epoch, 9);
}

/// Continues the session: epochs go on, a lost confirmation is asked again, the pending one is confirmed.
async fn goes_on(store: &dyn Store, id: &SessionId) {
    assert!(settle(store, id, "unknown", 3, Some(answered("late"))).await);
    assert!(settle(store, id, "paid", 9, None).await);
    let again = store.ask(id, question("paid", "token-again"), T).await.unwrap();
    assert!(matches!(again, super::super::AskResult::Pending(_)), "the call left nothing");
    let consume_token = Some("token-pending".into());
    assert_eq!(granted(store, Claim { consume_token, ..claim_of(id, "pending") }).await, 12);
}

/// Makes a file of layout 1 with these documents.
fn create_file(path: &Path, documents: &[(&str, String)]) -> Connection {
    let database = Connection::open(path).unwrap();
    database
        .execute_batch(
            "CREATE TABLE installation (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
             CREATE TABLE sessions (id TEXT PRIMARY KEY, used_at INTEGER NOT NULL, document TEXT NOT NULL) STRICT;
             CREATE INDEX sessions_by_use ON sessions (used_at);
             CREATE TABLE answers (
                 session TEXT NOT NULL, epoch INTEGER NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (session, epoch)
             ) STRICT;
             PRAGMA application_id = 0x54474154;
             PRAGMA user_version = 1;",
        )
        .unwrap();
    for (id, text) in documents {
        database.execute("INSERT INTO sessions VALUES (?1, ?2, ?3)", params![id, T.cast_signed(), text]).unwrap();
        for (epoch, answer) in answers() {
            let row = params![id, epoch.cast_signed(), answer];
            database.execute("INSERT INTO answers VALUES (?1, ?2, ?3)", row).unwrap();
        }
    }
    database
}

#[tokio::test]
async fn a_file_of_layout_1_is_read() {
    let file = tempfile::tempdir().unwrap().keep().join("sessions.sqlite");
    let id = id("earlier");
    let long_session = "s".repeat(600);
    let documents = [(id.as_str(), document()), (&long_session, document()), ("damaged", "{".to_owned())];
    let database = create_file(&file, &documents);
    let store = open_file(&file, SharedOptions::default()).unwrap();
    for _ in 0..2 {
        is_read(&store, &id).await;
    }
    goes_on(&store, &id).await;
    is_read(&store, &long_session.as_str().into()).await;
    let damaged = attach(&store, &"damaged".into(), Some("alice"), T).await.unwrap_err();
    assert!(matches!(&damaged, StoreError::SessionFailed(text) if text.contains("`damaged`")), "{damaged:?}");
    let earlier_process = database.query_row("SELECT count(*) FROM sessions", [], |row| row.get::<_, i64>(0));
    assert!(earlier_process.unwrap_err().to_string().contains("no such table"));
}

/// Turns a file of the present layout into one of layout 2, whose rows are in the order of their names.
fn to_layout_2(database: &Connection) {
    database
        .execute_batch(
            "CREATE TABLE rows_2 (
                 session INTEGER NOT NULL, name TEXT NOT NULL, expires INTEGER, content TEXT NOT NULL,
                 PRIMARY KEY (session, name)
             ) STRICT, WITHOUT ROWID;
             INSERT INTO rows_2 SELECT * FROM rows;
             DROP TABLE rows;
             ALTER TABLE rows_2 RENAME TO rows;
             CREATE INDEX rows_by_expiry ON rows (session, expires) WHERE expires IS NOT NULL;
             PRAGMA user_version = 2;",
        )
        .unwrap();
    let text: String = database.query_row("SELECT document FROM documents", [], |row| row.get(0)).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["ledger"]["settled"], json!([[1, "provider:read"], 2]));
    document["ledger"]["settled"] = json!([[1, "provider:read"], [2, null]]);
    database.execute("UPDATE documents SET document = ?1", [document.to_string()]).unwrap();
}

#[tokio::test]
async fn a_file_of_layout_2_is_read() {
    let file = tempfile::tempdir().unwrap().keep().join("sessions.sqlite");
    let id = id("earlier");
    let database = create_file(&file, &[(id.as_str(), document())]);
    let store = open_file(&file, SharedOptions::default()).unwrap();
    is_read(&store, &id).await;
    store.close().await.unwrap();
    let count = |what: &str| database.query_row(what, [], |row| row.get::<_, i64>(0)).unwrap();
    let rows = count("SELECT count(*) FROM rows");
    to_layout_2(&database);
    let store = open_file(&file, SharedOptions::default()).unwrap();
    for _ in 0..2 {
        is_read(&store, &id).await;
    }
    assert_eq!(count("PRAGMA user_version"), 3);
    assert_eq!(count("SELECT count(*) FROM rows"), rows);
    assert_eq!(count("SELECT wr FROM pragma_table_list('rows')"), 0, "it has rowids");
    assert_eq!(count("SELECT count(*) FROM sqlite_schema WHERE name IN ('rows_by_name', 'rows_by_expiry')"), 1);
    goes_on(&store, &id).await;
}

#[tokio::test]
async fn a_server_with_the_earlier_layout_is_read() {
    let Some(store) = new_redis() else { return };
    let id = id("earlier");
    let mut server = ::redis::Client::open(redis_server::url().unwrap()).unwrap().get_connection().unwrap();
    let tag = id.as_str();
    let mut commands = ::redis::pipe();
    commands.cmd("HSET").arg(format!("tg:{{{tag}}}:session")).arg("version").arg("v").arg("document").arg(document());
    for (epoch, answer) in answers() {
        commands.cmd("HSET").arg(format!("tg:{{{tag}}}:answers")).arg(epoch).arg(answer);
    }
    commands.exec(&mut server).unwrap();
    for _ in 0..2 {
        is_read(&store, &id).await;
    }
    goes_on(&store, &id).await;
    let left: u8 = ::redis::cmd("EXISTS").arg(format!("tg:{{{tag}}}:answers")).query(&mut server).unwrap();
    assert_eq!(left, 0, "the answers are rows");
}
