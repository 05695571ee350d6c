//! What is particular to a database: its tables, its connections, and commits whose answer is lost.

use tokio_postgres::NoTls;

use super::*;
use crate::call::CallId;
use crate::definition::EffectClass;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::session::state::SessionState;
use crate::store::conformance::postgres_server;
use crate::store::overview::SessionFilter;
use crate::store::shared::{check_postgres, erase_on_postgres, list_postgres_sessions};
use crate::store::{AttachRequest, Claim, ClaimResult, Store};

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

async fn attach(store: &dyn Store, id: &SessionId, principal: &str) -> Result<bool, StoreError> {
    let (session, state, tools_version) = (id.clone(), SessionState::new("text"), "v1".into());
    let principal = Some(principal.to_owned());
    let request = AttachRequest { session, principal, state, tools_version, resume_only: false, now: 1 };
    store.attach(request).await.map(|attached| attached.created)
}

async fn claim(store: &dyn Store, id: &SessionId, call: &str) -> Result<ClaimResult, StoreError> {
    let call = CallId::from(call);
    let claim = Claim {
        session: id.clone(),
        key: RecordKey::from_provider_id(&call),
        fingerprint: Fingerprint::from_text(HashKey::new([7; 16]), "send", "{}"),
        tool: "send".into(),
        call_id: Some(call),
        turn: 1,
        effect: EffectClass::Write,
        is_retrieval: false,
        budget: None,
        rate_limit: None,
        consume_token: None,
        lease_ms: Some(30_000),
        known_revision: 0,
        is_looked_up: true,
        now: 1,
    };
    store.claim(claim).await
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
    assert_eq!(message(attach(&other, &id, "bob").await), "the session belongs to another principal");
}

#[tokio::test]
async fn a_session_that_was_used_is_dropped_a_second_late_at_most_and_never_early() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let options = PostgresOptions { time_source: TimeSource::Caller, ..PostgresOptions::default() };
    let (store, id) = (open(&url, options).unwrap(), SessionId::from("used"));
    assert_eq!(attach(&store, &id, "alice").await, Ok(true));
    for now in [5_000, 5_500, 6_000] {
        store.begin_turn(&id, None, 0, now).await.unwrap();
        assert_eq!(store.sweep(now, &[]).await, Ok(Vec::new()));
    }
    assert_eq!(store.sweep(7_001, &[]).await, Ok(vec![id]));
}

#[tokio::test]
async fn processes_that_start_at_once_make_one_installation() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let stores: Vec<SharedStore> = (0..8).map(|_| open_at(&url)).collect();
    let id = SessionId::from("first");
    let attached = futures_util::future::join_all(stores.iter().map(|store| attach(store, &id, "alice"))).await;
    let created = attached.into_iter().map(Result::unwrap).filter(|created| *created).count();
    assert_eq!(created, 1);
    let found = check_postgres(&url, None).await.unwrap();
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
async fn tables_of_a_newer_version_are_refused() {
    let Some(url) = postgres_server::url_of_new_schema() else { return };
    let (store, id) = (open_at(&url), SessionId::from("newer"));
    attach(&store, &id, "alice").await.unwrap();
    execute(&url, &format!("UPDATE {}.installation SET layout = 2", schema_of(&url))).await;
    let refused = message(open_at(&url).check().await);
    assert!(refused.contains("were written by a newer toolgate"), "{refused}");
    // Also by a process that has used them.
    assert_eq!(message(store.check().await), refused);
    assert!(refused.ends_with(&message(check_postgres(&url, None).await).replace("the session store failed: ", "")));
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
        list_postgres_sessions(&url, None, &filter).await.unwrap().sessions.len()
    };
    assert_eq!((list(None).await, list(Some("alice")).await), (count, count / 2));
    let report = erase_on_postgres(&url, None, "alice").await.unwrap();
    assert_eq!(report.erased.sessions, count as u64 / 2);
    assert_eq!((list(None).await, list(Some("alice")).await), (count / 2, 0));
}
