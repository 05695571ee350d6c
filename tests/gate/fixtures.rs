//! Runs `tests/fixtures/calls/<case>.json`.
//!
//! A fixture names its tools, then steps. Beside each step stands what is expected of it (`expect`), and which calls of
//! earlier steps were answered in it (`answers`); at the end stand the audit lines, how often each handler ran, and
//! which runs were asked to stop. With `TOOLGATE_RECORD=1` what is found is written as what is expected: read it
//! against the contract before it is kept. `TOOLGATE_CASE=<part of a name>` runs some.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::runtime::{Builder, Runtime};
use toolgate::error::ErrorType;
use toolgate::store::shared::{
    PostgresOptions, RedisOptions, SharedOptions, TimeSource, open_file, open_postgres, open_redis,
};

use super::act::{Act, Attach};
use super::perform::Stage;
use super::postgres_server;
use super::print;
use super::redis_server;
use super::store::{Pace, TestStore};

#[test]
fn every_case_is_as_written() {
    let record = std::env::var_os("TOOLGATE_RECORD").is_some();
    let only = std::env::var("TOOLGATE_CASE").unwrap_or_default();
    let mut failures = Vec::new();
    for (case, path) in cases().into_iter().filter(|(case, _)| case.contains(&only)) {
        let expected = read(&path);
        let Ok(found) = catch_unwind(AssertUnwindSafe(|| run(&expected, TestStore::in_memory(Pace::AtOnce)))) else {
            failures.push(format!("{case}: stopped, see above"));
            continue;
        };
        if record {
            fs::write(&path, print::pretty(&found)).unwrap();
        } else if found != expected {
            failures.push(format!("{case}:\n  {}", print::differences(&expected, &found).join("\n  ")));
        }
    }
    assert!(failures.is_empty(), "{} cases differ\n{}", failures.len(), failures.join("\n"));
}

/// The same answers come from a store that takes its time, but where the case is about what happens at one moment.
#[test]
fn every_case_is_the_same_with_a_slow_store() {
    let at_one_moment =
        |case: &Value| case["steps"].as_array().unwrap().iter().any(|step| step.get("together").is_some());
    same_on(|| TestStore::in_memory(Pace::InTurns), at_one_moment);
}

/// A call that is claimed without a look-up gets the same answer.
#[test]
fn every_case_is_the_same_if_calls_are_claimed_first() {
    same_on(|| TestStore::claiming_first(Pace::AtOnce), |_| false);
}

/// What is kept in a file says the same, but where the case is about how much a process' memory holds.
#[test]
fn every_case_is_the_same_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut made = 0;
    let store = || {
        made += 1;
        let file = folder.path().join(format!("{made}.sqlite"));
        TestStore::over(Arc::new(open_file(&file, SharedOptions::default()).unwrap()), Pace::Blocking)
    };
    same_on(store, |case| case["setting"].get("maxSessions").is_some());
}

/// And on a server.
#[test]
fn every_case_is_the_same_on_redis() {
    let Some(url) = redis_server::url() else { return };
    let options = RedisOptions { time_source: TimeSource::Caller, ..RedisOptions::default() };
    let store = || {
        // Each case names its sessions as it likes: it gets the server to itself.
        redis_server::clear(&url);
        TestStore::over(Arc::new(open_redis(&url, options).unwrap()), Pace::Blocking)
    };
    let in_memory = |case: &Value| case["setting"].get("maxSessions").is_some();
    // The server lets idle sessions go by its own time.
    let by_time = |case: &Value| case["setting"].get("sessionIdleMs").is_some();
    same_on(store, |case| in_memory(case) || by_time(case));
}

/// And in a database. Each case names its sessions as it likes: it has a schema to itself.
#[test]
#[ignore = "long: `npm run test:all` runs it"]
fn every_case_is_the_same_on_postgres() {
    let Some(url) = postgres_server::url() else { return };
    let mut schemas = 0;
    let store = || {
        schemas += 1;
        let schema = Some(format!("case_{schemas}"));
        let options = PostgresOptions { time_source: TimeSource::Caller, schema, ..PostgresOptions::default() };
        TestStore::over(Arc::new(open_postgres(&url, options).unwrap()), Pace::Blocking)
    };
    same_on(store, |case| case["setting"].get("maxSessions").is_some());
}

fn same_on(mut store: impl FnMut() -> TestStore, is_left_out: impl Fn(&Value) -> bool) {
    let only = std::env::var("TOOLGATE_CASE").unwrap_or_default();
    let mut failures = Vec::new();
    for (case, path) in cases().into_iter().filter(|(case, _)| case.contains(&only)) {
        let expected = read(&path);
        if is_left_out(&expected) {
            continue;
        }
        let store = store();
        match catch_unwind(AssertUnwindSafe(|| run(&expected, store))) {
            Err(_) => failures.push(format!("{case}: stopped, see above")),
            Ok(found) if found == expected => {}
            Ok(found) => failures.push(format!("{case}:\n  {}", print::differences(&expected, &found).join("\n  "))),
        }
    }
    assert!(failures.is_empty(), "{} cases differ\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_error_type_is_in_a_case() {
    let mut seen = BTreeSet::new();
    for path in cases().into_values() {
        collect_types(&read(&path)["steps"], &mut seen);
    }
    let missing: Vec<&str> =
        ErrorType::ALL.iter().map(|kind| kind.as_str()).filter(|kind| !seen.contains(*kind)).collect();
    assert!(missing.is_empty(), "no case has {missing:?}");
}

fn collect_types(value: &Value, seen: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            if let Some(kind) = members.get("error").and_then(|error| error["type"].as_str()) {
                seen.insert(kind.to_owned());
            }
            members.values().for_each(|member| collect_types(member, seen));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_types(item, seen)),
        _ => {}
    }
}

fn cases() -> BTreeMap<String, PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/calls");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let cases: BTreeMap<String, PathBuf> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    assert!(!cases.is_empty(), "there are cases");
    cases
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Time stands still unless a step lets it pass; one worker, so that a step can keep it busy.
pub fn paused() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).max_blocking_threads(1).build().unwrap()
}

/// What a fixture comes to: itself, with what was found in place of what is expected.
fn run(fixture: &Value, store: TestStore) -> Value {
    let fixture = fixture.as_object().expect("a case is an object");
    for name in fixture.keys() {
        const KNOWN: [&str; 10] =
            ["about", "setting", "session", "tools", "steps", "hears", "secrets", "audit", "runs", "aborted"];
        assert!(KNOWN.contains(&name.as_str()), "a case has no member `{name}`");
    }
    assert!(fixture["about"].as_str().is_some_and(|about| !about.is_empty()), "a case says what it is about");
    paused().block_on(run_steps(fixture, store))
}

async fn run_steps(fixture: &Map<String, Value>, store: TestStore) -> Value {
    let setting = fixture.get("setting").cloned().unwrap_or_else(|| json!({}));
    let tools = fixture["tools"].as_object().expect("tools by id");
    let mut stage = Stage::new(serde_json::from_value(setting).expect("a setting"), tools, store);
    match fixture.get("session") {
        Some(Value::Null) => {}
        session => {
            let session = session.cloned().unwrap_or_else(|| json!({}));
            let attach: Attach = serde_json::from_value(session).expect("options of a session");
            let attached = stage.world.attach(&attach).await;
            assert!(attached.get("error").is_none(), "{attached}");
        }
    }
    let mut steps = Vec::new();
    for step in fixture["steps"].as_array().expect("a list of steps") {
        steps.push(found_in(&mut stage, step).await);
    }
    let mut found = fixture.clone();
    found.insert("steps".to_owned(), Value::Array(steps));
    for secret in fixture.get("secrets").and_then(Value::as_array).into_iter().flatten() {
        let secret = secret.as_str().expect("a text");
        assert_eq!(stage.world.lines.telling(secret), None, "`{secret}` is not told");
    }
    let hears: Option<Vec<String>> =
        fixture.get("hears").map(|hears| serde_json::from_value(hears.clone()).expect("kinds of events"));
    let categories = stage.world.categories();
    let audit = stage.world.lines.heard(hears.as_deref(), &categories, &mut stage.world.names);
    found.insert("audit".to_owned(), audit);
    found.insert("runs".to_owned(), stage.world.script.runs());
    found.insert("aborted".to_owned(), stage.world.script.aborted());
    Value::Object(found)
}

async fn found_in(stage: &mut Stage, step: &Value) -> Value {
    let mut found = step.as_object().expect("a step is an object").clone();
    for ours in ["expect", "answers"] {
        found.shift_remove(ours);
    }
    let mut plain = found.clone();
    plain.shift_remove("why");
    let act: Act = serde_json::from_value(Value::Object(plain)).unwrap_or_else(|error| panic!("step {step}: {error}"));
    let (result, answers) = stage.perform(act).await;
    if !result.is_null() {
        found.insert("expect".to_owned(), result);
    }
    if !answers.is_empty() {
        found.insert("answers".to_owned(), Value::Object(answers));
    }
    Value::Object(found)
}
