//! The cost of a call, in bytes read and written: it grows neither with the session's records nor with the arguments of
//! its open questions.

use super::super::{AskResult, TokenState};
use super::*;

/// The most that the cost may grow.
const MAX_GROWTH: f64 = 1.2;
const MEBIBYTE: usize = 1024 * 1024;

/// A store whose traffic is counted.
trait CountedStore {
    fn store(&self) -> &SharedStore;
    /// The bytes that were moved since the last count.
    fn count(&mut self) -> u64;
}

struct CountedFile {
    store: SharedStore,
    path: std::path::PathBuf,
    /// A connection that empties the write-ahead log.
    connection: rusqlite::Connection,
}

impl CountedFile {
    async fn new() -> Self {
        let path = tempfile::tempdir().unwrap().keep().join("sessions.sqlite");
        let store = open_file(&path, SharedOptions::default()).unwrap();
        session(&store, "opens-the-file").await;
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
        Self { store, path, connection }
    }
}

impl CountedStore for CountedFile {
    fn store(&self) -> &SharedStore {
        &self.store
    }

    /// The pages that were written. What is read of a document is written as well.
    fn count(&mut self) -> u64 {
        let written = std::fs::metadata(self.path.with_extension("sqlite-wal")).unwrap().len();
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        written
    }
}

struct CountedRedis {
    store: SharedStore,
    connection: ::redis::Connection,
    counted: u64,
    /// Ends the server.
    _server: redis_server::Server,
}

impl CountedRedis {
    fn new() -> Option<Self> {
        let server = redis_server::start()?;
        let options = RedisOptions { time_source: TimeSource::Caller, ..RedisOptions::default() };
        let connection = ::redis::Client::open(server.url.as_str()).unwrap().get_connection().unwrap();
        let store = open_redis(&server.url, options).unwrap();
        Some(Self { store, connection, counted: 0, _server: server })
    }
}

impl CountedStore for CountedRedis {
    fn store(&self) -> &SharedStore {
        &self.store
    }

    /// The bytes that the server received and sent.
    fn count(&mut self) -> u64 {
        let stats: String = ::redis::cmd("INFO").arg("stats").query(&mut self.connection).unwrap();
        let field = |name: &str| stats.lines().find_map(|line| line.strip_prefix(name)?.parse::<u64>().ok()).unwrap();
        let total = field("total_net_input_bytes:") + field("total_net_output_bytes:");
        total - std::mem::replace(&mut self.counted, total)
    }
}

/// A call id of the length of a provider's.
fn call_name(n: usize) -> String {
    format!("call_{n:024}")
}

/// Makes calls, each looked up, claimed and settled.
async fn make_calls(store: &dyn Store, id: &SessionId, effect: EffectClass, numbers: std::ops::Range<usize>) {
    for n in numbers {
        let name = call_name(n);
        assert!(record(store, id, &name).await.is_none());
        let epoch = granted(store, Claim { budget: None, effect, ..claim_of(id, &name) }).await;
        assert!(settle(store, id, &name, epoch, Some(answered(&name))).await);
    }
}

async fn write_calls(store: &dyn Store, id: &SessionId, numbers: std::ops::Range<usize>) {
    make_calls(store, id, EffectClass::Write, numbers).await;
}

/// The bytes that 10 calls move: the least of 5 samples, so that a split of the file's tree is not counted.
async fn cost_of(counted: &mut impl CountedStore, id: &SessionId, effect: EffectClass, first: usize) -> u64 {
    let mut samples = Vec::new();
    for sample in 0..5 {
        let first = first + 10 * sample;
        counted.count();
        make_calls(counted.store(), id, effect, first..first + 10).await;
        samples.push(counted.count());
    }
    samples.into_iter().min().unwrap()
}

async fn cost(counted: &mut impl CountedStore, id: &SessionId, first: usize) -> u64 {
    cost_of(counted, id, EffectClass::Write, first).await
}

fn assert_is_within(cost: u64, reference: u64, growth: f64) {
    #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
    let (cost, reference) = (cost as f64, reference as f64);
    assert!(cost <= growth * reference, "{cost} bytes, {reference} before");
}

async fn does_not_grow_with_records(counted: &mut impl CountedStore) {
    let id = session(counted.store(), "records").await;
    write_calls(counted.store(), &id, 0..120).await;
    let few = cost(counted, &id, 120).await;
    write_calls(counted.store(), &id, 170..1000).await;
    let many = cost(counted, &id, 1000).await;
    assert_is_within(many, few, MAX_GROWTH);
    let first = record(counted.store(), &id, &call_name(0)).await.unwrap();
    assert_eq!(first.state, RecordState::Forgotten { ok: true }, "each write is known");
}

async fn does_not_grow_with_reads(counted: &mut impl CountedStore) {
    let id = session(counted.store(), "reads").await;
    make_calls(counted.store(), &id, EffectClass::Read, 0..120).await;
    let few = cost_of(counted, &id, EffectClass::Read, 120).await;
    make_calls(counted.store(), &id, EffectClass::Read, 170..400).await;
    let many = cost_of(counted, &id, EffectClass::Read, 400).await;
    assert_is_within(many, few, MAX_GROWTH);
}

async fn does_not_grow_with_open_records(counted: &mut impl CountedStore) {
    let id = session(counted.store(), "open").await;
    write_calls(counted.store(), &id, 0..120).await;
    let none = cost(counted, &id, 120).await;
    for n in 0..400 {
        let lost = Claim { effect: EffectClass::Read, lease_ms: Some(1), ..claim_of(&id, &format!("open-{n}")) };
        granted(counted.store(), lost).await;
    }
    let many = cost(counted, &id, 170).await;
    assert_is_within(many, none, MAX_GROWTH);
}

async fn does_not_grow_with_open_questions(counted: &mut impl CountedStore) {
    let id = session(counted.store(), "questions").await;
    write_calls(counted.store(), &id, 0..120).await;
    let without = cost(counted, &id, 120).await;
    for n in 0..20 {
        let args = format!("{{\"to\":\"{}\"}}", "x".repeat(MEBIBYTE)).into();
        let large = Question { args, ..question(&format!("q-{n}"), &format!("token-{n}")) };
        let asked = counted.store().ask(&id, large, T).await.unwrap();
        assert!(matches!(asked, AskResult::Pending(_)));
    }
    let with = cost(counted, &id, 170).await;
    assert_is_within(with, without, 2.0);
    let TokenState::Pending(pending) = counted.store().token_state(&id, "token-7", T).await.unwrap() else {
        panic!("it is pending")
    };
    assert!(pending.args.len() > MEBIBYTE);
}

#[tokio::test]
async fn a_call_in_a_file_does_not_grow() {
    let mut file = CountedFile::new().await;
    does_not_grow_with_records(&mut file).await;
    does_not_grow_with_reads(&mut file).await;
    does_not_grow_with_open_records(&mut file).await;
    does_not_grow_with_open_questions(&mut file).await;
}

#[tokio::test]
async fn a_call_on_a_server_does_not_grow() {
    let Some(mut server) = CountedRedis::new() else { return };
    does_not_grow_with_records(&mut server).await;
    does_not_grow_with_reads(&mut server).await;
    does_not_grow_with_open_records(&mut server).await;
    does_not_grow_with_open_questions(&mut server).await;
}

/// A session of forgotten writes keeps their rows for a day, and no longer.
#[tokio::test]
async fn expired_rows_are_deleted() {
    let mut file = CountedFile::new().await;
    let id = session(file.store(), "expiry").await;
    write_calls(file.store(), &id, 0..300).await;
    let rows = |file: &CountedFile| -> i64 {
        let select = "SELECT count(*) FROM rows JOIN documents ON session = number WHERE name LIKE 'call:%'";
        file.connection.query_row(select, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(rows(&file), 300);
    for n in 0..60 {
        granted(file.store(), Claim { now: T + DAY, ..claim_of(&id, &format!("later-{n}")) }).await;
    }
    assert_eq!(rows(&file), 60);
    file.count();
}
