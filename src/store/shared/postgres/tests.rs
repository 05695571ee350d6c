//! What is particular to a database: its tables, its connections, and commits whose answer is lost.

use tokio_postgres::NoTls;

use super::*;
use crate::clock::EpochMs;
use crate::clock::{Clock, SystemClock};
use crate::session::key::RecordKey;
use crate::store::attaching::TurnStarter;
use crate::store::conformance::idle_since;
use crate::store::conformance::{self, attach_request, postgres_server};
use crate::store::overview::SessionFilter;
use crate::store::shared::StorePlace;
use crate::store::shared::report::{PostgresCheck, RowCounts, StoreCheck};
use crate::store::{AnyStore, Claim, ClaimResult, RecordState, Settlement, Store, StoreRequests};

/// Runs SQL on a server of the tests, whose schema is a parameter that only the store knows.
async fn execute(url: &str, sql: &str) {
    let (client, connection) = tokio_postgres::connect(url.split('?').next().unwrap(), NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
}

fn schema_of(url: &str) -> &str {
    url.split("schema=").nth(1).unwrap()
}

fn open_at(url: &str) -> SharedStore {
    open(url, PostgresOptions::default()).unwrap()
}

fn place(url: &str) -> StorePlace {
    StorePlace::Postgres { url: url.to_owned(), schema: None }
}

async fn check(url: &str) -> Result<PostgresCheck, StoreError> {
    match place(url).check().await? {
        StoreCheck::Postgres(found) => Ok(found),
        other => panic!("{other:?}"),
    }
}

async fn attach(store: &dyn Store, id: &SessionId, principal: &str) -> Result<bool, StoreError> {
    let request = attach_request(id, Some(principal.to_owned()), 1);
    store.attach(request).await.map(|attached| attached.created)
}

fn claim_of(id: &SessionId, call: &str) -> Claim {
    Claim { budget: None, lease_ms: Some(30_000), now: 1, ..conformance::claim_of(id, call) }
}

async fn claim(store: &dyn Store, id: &SessionId, call: &str) -> Result<ClaimResult, StoreError> {
    store.claim(claim_of(id, call)).await
}

fn message(failed: Result<impl std::fmt::Debug, StoreError>) -> String {
    failed.unwrap_err().to_string()
}

#[tokio::test]
async fn what_another_process_changed_is_seen() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let (store, other, id) = (open_at(&url), open_at(&url), SessionId::from("shared"));
    assert_eq!(attach(&store, &id, "alice").await, Ok(true));
    assert!(matches!(claim(&store, &id, "call-1").await, Ok(ClaimResult::Granted { .. })));
    assert!(matches!(claim(&other, &id, "call-2").await, Ok(ClaimResult::Granted { .. })));
    // What this process last saw of the session is out of date.
    assert!(matches!(claim(&store, &id, "call-2").await, Ok(ClaimResult::Existing(_))));
    assert_eq!(
        message(attach(&other, &id, "bob").await),
        "the session belongs to another principal, or has another resume token"
    );
}

#[tokio::test]
async fn a_session_that_was_used_is_dropped_a_second_late_at_most_and_never_early() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let options = PostgresOptions { time_source: TimeSource::Caller, ..PostgresOptions::default() };
    let (store, id) = (open(&url, options).unwrap(), SessionId::from("used"));
    assert_eq!(attach(&store, &id, "alice").await, Ok(true));
    for now in [5_000, 5_500, 6_000] {
        store.begin_turn(&id, None, TurnStarter::Host, 0, now).await.unwrap();
        assert_eq!(store.sweep(idle_since(now), &[]).await, Ok(Swept::default()));
    }
    assert_eq!(store.sweep(idle_since(7_001), &[]).await.unwrap().sessions, [id]);
}

#[tokio::test]
async fn processes_that_start_at_once_make_one_installation() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let stores: Vec<SharedStore> = (0..8).map(|_| open_at(&url)).collect();
    let id = SessionId::from("first");
    let attached = futures_util::future::join_all(stores.iter().map(|store| attach(store, &id, "alice"))).await;
    let created = attached.into_iter().map(Result::unwrap).filter(|created| *created).count();
    assert_eq!(created, 1);
    let found = check(&url).await.unwrap();
    assert_eq!((found.layout, found.counts.sessions), (1, 1));
}

#[tokio::test]
async fn a_database_that_lost_its_data_is_used_once_the_host_accepts_it() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let (store, id) = (open_at(&url), SessionId::from("lost"));
    attach(&store, &id, "alice").await.unwrap();
    claim(&store, &id, "call-1").await.unwrap();
    execute(&url, &format!("DROP SCHEMA {} CASCADE", schema_of(&url))).await;
    let lost = message(claim(&store, &id, "call-1").await);
    assert!(lost.contains("`registry.acceptStore()`"), "{lost}");
    assert_eq!(message(store.check().await), lost, "what `health()` reports");
    // Another process has written since: this one still knows that data is gone.
    attach(&open_at(&url), &SessionId::from("other"), "bob").await.unwrap();
    assert_eq!(message(store.check().await), lost);
    assert_eq!(store.accept().await, Ok(()));
    assert_eq!(attach(&store, &id, "alice").await, Ok(true));
    assert!(matches!(claim(&store, &id, "call-1").await, Ok(ClaimResult::Granted { .. })));
}

#[tokio::test]
async fn tables_of_an_earlier_version_are_completed_and_have_the_ages_of_what_is_written_from_then_on() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let options = PostgresOptions { time_source: TimeSource::Caller, ..PostgresOptions::default() };
    let (store, id) = (AnyStore::other(open(&url, options.clone()).unwrap()), SessionId::from("earlier"));
    attach(&*store, &id, "alice").await.unwrap();
    conformance::owe_result(&store, &id, "call", 5_000).await;
    let table = format!("{}.sessions", schema_of(&url));
    execute(&url, &format!("ALTER TABLE {table} DROP COLUMN owed_since")).await;

    let stores: Vec<SharedStore> = (0..4).map(|_| open(&url, options.clone()).unwrap()).collect();
    for found in futures_util::future::join_all(stores.iter().map(|store| store.oldest_owed_ms(9_000))).await {
        assert_eq!(found, Ok(None), "no session was written since");
    }
    stores[0].begin_turn(&id, None, TurnStarter::Host, 0, 6_000).await.unwrap();
    // The statement of the earlier version, which may go on with the tables.
    execute(&url, &format!("UPDATE {table} SET document = document, used_at = 7000")).await;
    for store in &stores {
        assert_eq!(store.oldest_owed_ms(9_000).await, Ok(Some(4_000)));
    }
    place(&url).erase("alice").await.unwrap();
    assert_eq!(store.oldest_owed_ms(9_000).await, Ok(None));
}

#[tokio::test]
async fn an_age_is_told_by_the_servers_clock() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let (store, id) = (AnyStore::other(open_at(&url)), SessionId::from("clock"));
    attach(&*store, &id, "alice").await.unwrap();
    conformance::owe_result(&store, &id, "call", 1).await;
    let age = store.oldest_owed_ms(0).await.unwrap();
    assert!(age.is_some_and(|age| age < 60_000), "{age:?}");
}

#[tokio::test]
async fn tables_of_a_newer_version_are_refused() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let (store, id) = (open_at(&url), SessionId::from("newer"));
    attach(&store, &id, "alice").await.unwrap();
    execute(&url, &format!("UPDATE {}.installation SET layout = 2", schema_of(&url))).await;
    let refused = message(open_at(&url).check().await);
    assert!(refused.contains("were written by a newer toolgate"), "{refused}");
    // Also by a process that has used them.
    assert_eq!(message(store.check().await), refused);
    assert!(refused.ends_with(&message(check(&url).await).replace("the session store failed: ", "")));
}

#[tokio::test]
async fn a_user_without_rights_on_the_database_uses_a_schema_that_exists() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let schema = schema_of(&url);
    let user = format!("user_{schema}");
    execute(&url, &format!("CREATE USER {user}; CREATE SCHEMA {schema} AUTHORIZATION {user}")).await;
    let store = open_at(&url.replace("postgres@", &format!("{user}@")));
    assert_eq!(attach(&store, &SessionId::from("limited"), "alice").await, Ok(true));
    execute(&url, &format!("CREATE USER no_{user}")).await;
    let refused = message(open_at(&url.replace("postgres@", &format!("no_{user}@"))).check().await);
    assert!(refused.contains("permission denied for schema"), "{refused}");
}

#[tokio::test]
async fn ids_that_the_server_cannot_hold_are_hashed() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let store = open_at(&url);
    for id in ["a\0b", &"x".repeat(100_000), "sha256:1", "", "ü'\"\\"] {
        let id = SessionId::from(id);
        assert_eq!(attach(&store, &id, "alice").await, Ok(true));
        assert!(matches!(claim(&store, &id, "call\0-1").await, Ok(ClaimResult::Granted { .. })), "{id}");
        assert!(matches!(claim(&store, &id, "call\0-1").await, Ok(ClaimResult::Existing(_))), "{id}");
        assert_eq!(attach(&store, &id, "alice").await, Ok(false));
    }
}

#[test]
fn a_row_has_the_name_of_its_key_if_the_server_can_hold_it() {
    let key = |id: &str| RowKey::Call(RecordKey::from_provider_id(&id.into()));
    assert_eq!(row_name(&key("call-1")), key("call-1").to_text());
    let hashed = row_name(&key("call\0-1"));
    assert!(hashed.starts_with("call:") && !hashed.contains('\0'), "{hashed}");
    assert_ne!(hashed, row_name(&key("call\0-2")));
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_is_recognized() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let (store, id) = (open_at(&url), SessionId::from("twice"));
    attach(&store, &id, "alice").await.unwrap();
    // The same as a lost answer and a commit of another process after it: the version is neither the one that was read
    // nor the commit's, and the commit is among the last ones. The trigger hides from the statement that it has changed
    // the session.
    let schema = schema_of(&url);
    execute(
        &url,
        &format!(
            "CREATE FUNCTION {schema}.lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 IF pg_trigger_depth() > 1 THEN RETURN NEW; END IF;
                 UPDATE {schema}.sessions SET version = 'later', document = NEW.document, commits = NEW.commits
                     WHERE number = NEW.number;
                 RETURN NULL;
             END $$;
             CREATE TRIGGER lose BEFORE UPDATE ON {schema}.sessions FOR EACH ROW EXECUTE FUNCTION {schema}.lose();"
        ),
    )
    .await;
    // The document says that the call was granted: seen as a conflict, it would be another call's.
    assert!(matches!(claim(&store, &id, "call-1").await, Ok(ClaimResult::Granted { .. })));
}

#[tokio::test]
async fn connections_that_the_server_ends_are_opened_again() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let (store, id) = (open_at(&url), SessionId::from("ended"));
    attach(&store, &id, "alice").await.unwrap();
    let name = "ended-by-the-test";
    let named = open_at(&format!("{url}&application_name={name}"));
    attach(&named, &id, "alice").await.unwrap();
    for number in 0..3 {
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name";
        execute(&url, &format!("{end} = '{name}'")).await;
        let granted = claim(&named, &id, &format!("call-{number}")).await;
        assert!(matches!(granted, Ok(ClaimResult::Granted { .. })), "{granted:?}");
    }
}

#[tokio::test]
async fn a_server_without_a_further_connection_is_used_with_those_that_are_open() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let schema = schema_of(&url);
    let user = format!("few_{schema}");
    let limited = format!("CREATE USER {user} CONNECTION LIMIT 2; CREATE SCHEMA {schema} AUTHORIZATION {user}");
    execute(&url, &limited).await;
    let store = open_at(&url.replace("postgres@", &format!("{user}@")));
    let ids: Vec<_> = (0..30).map(|number| SessionId::from(format!("s{number}").as_str())).collect();
    for attached in futures_util::future::join_all(ids.iter().map(|id| attach(&store, id, "alice"))).await {
        assert_eq!(attached, Ok(true));
    }
}

#[tokio::test]
async fn sessions_are_listed_and_erased_in_pages() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let store = open_at(&url);
    let count = usize::try_from(SESSIONS_PER_STATEMENT).unwrap() + 30;
    for number in 0..count {
        let principal = if number % 2 == 0 { "alice" } else { "bob" };
        attach(&store, &SessionId::from(format!("s{number}").as_str()), principal).await.unwrap();
    }
    let list = async |principal: Option<&str>| {
        let filter = SessionFilter { principal: principal.map(str::to_owned), limit: 1000 };
        place(&url).list(&filter).await.unwrap().sessions.len()
    };
    assert_eq!((list(None).await, list(Some("alice")).await), (count, count / 2));
    let report = place(&url).erase("alice").await.unwrap();
    assert_eq!(report.erased.sessions, count as u64 / 2);
    assert_eq!((list(None).await, list(Some("alice")).await), (count / 2, 0));
}

#[tokio::test]
async fn a_session_is_ended_once() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let (server, schema) = url.split_once("?schema=").unwrap();
    attach(&open_at(&url), &SessionId::from("ending"), "alice").await.unwrap();
    let place = StorePlace::Postgres { url: server.to_owned(), schema: Some(schema.to_owned()) };
    let end = async |id: &str| place.end(id).await;
    assert_eq!(end("other").await, Ok(None));
    assert_eq!(end("ending").await, Ok(Some(true)));
    assert_eq!(end("ending").await, Ok(Some(false)), "it has ended");
    assert_eq!(message(attach(&open_at(&url), &SessionId::from("ending"), "alice").await), "the session has ended");
}

/// What a session keeps for a day is deleted after it, a few rows a call.
#[tokio::test]
async fn expired_rows_are_deleted() {
    const DAY: EpochMs = 24 * 60 * 60 * 1000;
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let options = PostgresOptions { time_source: TimeSource::Caller, ..PostgresOptions::default() };
    let (store, id) = (open(&url, options).unwrap(), SessionId::from("expiry"));
    attach(&store, &id, "alice").await.unwrap();
    for (now, numbers) in [(1, 0..40), (DAY + 1, 40..60)] {
        for number in numbers {
            let call = format!("call-{number}");
            let claim = Claim { now, ..claim_of(&id, &call) };
            let ClaimResult::Granted { epoch, .. } = store.claim(claim).await.unwrap() else { panic!("not granted") };
            let (session, key) = (id.clone(), RecordKey::from_provider_id(&call.as_str().into()));
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
                        now
                    })
                    .await
                    .unwrap()
            );
        }
    }
    assert_eq!(check(&url).await.unwrap().counts.records, 20, "of the second day");
}

/// The clocks of this machine and of the server are one.
#[tokio::test]
async fn a_claim_has_the_servers_time() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let (store, id) = (open_at(&url), SessionId::from("time"));
    // The server's time is known from when its answer came, so a slow answer makes it earlier.
    let before = SystemClock.now();
    attach(&store, &id, "alice").await.unwrap();
    assert!(matches!(claim(&store, &id, "call-1").await, Ok(ClaimResult::Granted { .. })));
    let Ok(ClaimResult::Existing(record)) = claim(&store, &id, "call-1").await else { panic!("it was claimed") };
    // Parts of milliseconds are cut off, here and there.
    assert!((before - 3..=SystemClock.now() + 3).contains(&record.claimed_at), "{} {before}", record.claimed_at);
}

#[tokio::test]
async fn a_store_is_counted_by_kinds_of_rows_and_its_sessions_are_shown() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let (store, id) = (open_at(&url), SessionId::from("counted"));
    attach(&store, &id, "alice").await.unwrap();
    attach(&store, &SessionId::from("empty"), "bob").await.unwrap();
    for call in ["call-1", "call-2", "call-3"] {
        assert!(matches!(claim(&store, &id, call).await, Ok(ClaimResult::Granted { .. })));
    }
    let schema = schema_of(&url);
    let number = format!("(SELECT min(number) FROM {schema}.sessions)");
    let rows = "('answer:8', '{}'), ('answer:9', '{}'), ('question:a', '{}'), ('text:a', '{}')";
    let insert = format!(
        "INSERT INTO {schema}.session_rows (session, name, content) SELECT {number}, * FROM (VALUES {rows}) AS r"
    );
    execute(&url, &insert).await;
    let found = check(&url).await.unwrap();
    assert_eq!(found.counts, RowCounts { sessions: 2, records: 3, answers: 2, questions: 1 });
    assert_eq!((found.schema.as_str(), found.layout, found.known_layout), (schema, 1, 1));
    assert!(found.durability.starts_with("fsync o"), "{}", found.durability);
    let shown = place(&url).show("counted", 1).await.unwrap().unwrap();
    assert_eq!((shown.summary.principal.as_deref(), shown.records.len(), shown.unreadable), (Some("alice"), 3, 1));
    assert_eq!(place(&url).show("other", 1).await, Ok(None));
}

#[tokio::test]
async fn a_closed_store_leaves_no_connection() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let name = format!("closed-{}", schema_of(&url));
    let store = open_at(&format!("{url}&application_name={name}"));
    attach(&store, &SessionId::from("closed"), "alice").await.unwrap();
    let (client, connection) = tokio_postgres::connect(url.split('?').next().unwrap(), NoTls).await.unwrap();
    tokio::spawn(connection);
    let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1";
    let open = async || client.query_one(count, &[&name]).await.unwrap().get::<_, i64>(0);
    assert!(open().await > 0);
    store.close().await.unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while open().await > 0 {
        assert!(std::time::Instant::now() < until, "the connections end");
    }
    assert_eq!(attach(&store, &SessionId::from("closed"), "alice").await, Ok(false), "another one is opened");
}
