//! The cost of a call, in rows or bytes read and written: it grows neither with the session's records, nor with the
//! arguments of its open questions, nor with the number of sessions.

use super::super::document::{self, SessionDocument};
use super::super::row_names::RowKey;
use super::super::rows::{MemoryRows, Row, Rows};
use super::super::{AskResult, TokenState};
use super::*;
use crate::store::StoreRequests;

/// The most that the cost may grow to hundreds of records or 10,000 sessions: the file's trees can have another level then,
/// and their pages are written whole.
const MAX_GROWTH: f64 = 1.75;
const MEBIBYTE: usize = 1024 * 1024;

/// A store whose traffic is counted.
trait CountedStore {
    fn store(&self) -> &AnyStore;
    /// The bytes that were moved since the last count.
    fn count(&mut self) -> u64;
}

struct CountedFile {
    store: AnyStore,
    path: std::path::PathBuf,
    /// A connection that empties the write-ahead log.
    connection: rusqlite::Connection,
}

impl CountedFile {
    async fn new() -> Self {
        let path = lasting_folder::make().join("sessions.sqlite");
        let store = AnyStore::other(open_file(&path, SharedOptions::default()).unwrap());
        session(&store, "opens-the-file").await;
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
        Self { store, path, connection }
    }
}

impl CountedStore for CountedFile {
    fn store(&self) -> &AnyStore {
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
    store: AnyStore,
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
        let store = AnyStore::other(open_redis(&server.url, options).unwrap());
        Some(Self { store, connection, counted: 0, _server: server })
    }
}

impl CountedStore for CountedRedis {
    fn store(&self) -> &AnyStore {
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

/// The rows of a memory store that were read and written.
struct CountedRows<'a> {
    rows: &'a mut MemoryRows,
    touched: u64,
}

impl Rows for CountedRows<'_> {
    fn get(&mut self, key: &RowKey) -> Option<Row> {
        self.touched += 1;
        self.rows.get(key)
    }

    fn put(&mut self, key: RowKey, row: Row, expires: Option<EpochMs>) {
        self.touched += 1;
        self.rows.put(key, row, expires);
    }

    fn remove(&mut self, key: &RowKey) {
        self.touched += 1;
        self.rows.remove(key);
    }

    fn purge(&mut self, now: EpochMs) {
        let before = self.rows.len();
        self.rows.purge(now);
        self.touched += (before - self.rows.len()) as u64;
    }
}

/// Makes a call on a session in memory. Returns the number of rows that were read or written.
fn touched_by_call(
    document: &mut SessionDocument,
    rows: &mut MemoryRows,
    effect: EffectClass,
    n: usize,
    now: u64,
) -> u64 {
    let (id, name) = (id("memory"), call_name(n));
    let mut counted = CountedRows { rows, touched: 0 };
    let lookup = lookup_of(&id, &key(&name), now);
    assert!(document.look_up(&lookup, &mut counted, now).unwrap().answer.record.is_none());
    let claim = Claim { budget: None, effect, now, ..claim_of(&id, &name) };
    let ClaimResult::Granted { epoch, .. } = document.claim(claim, &mut counted, now).unwrap().answer else {
        panic!("not granted")
    };
    let settlement = Settlement { now, ..settlement(&id, &name, epoch, Some(answered(&name))) };
    assert!(document.settle(settlement, &mut counted).unwrap().answer);
    counted.touched
}

#[test]
fn a_call_in_memory_does_not_grow() {
    for effect in [EffectClass::Write, EffectClass::Read] {
        let (mut slot, mut rows) = (None, MemoryRows::default());
        document::attach(&mut slot, attach_request(&id("memory"), None, T), &mut rows, HashKey::new([7; 16]), T)
            .unwrap();
        let document = slot.as_mut().unwrap();
        let mut touched: Vec<u64> = (0..4100).map(|n| touched_by_call(document, &mut rows, effect, n, T)).collect();
        // All rows expire at once: they are deleted a few at a time.
        touched.extend((4100..4200).map(|n| touched_by_call(document, &mut rows, effect, n, T + DAY)));
        let most = |calls: std::ops::Range<usize>| touched[calls].iter().max().copied().unwrap();
        assert_eq!(most(100..200), most(4000..4100), "{effect:?}: as many at 4,000 records as at 100");
        assert!(most(4100..4200) <= most(100..200) + 32, "{effect:?}: {} rows", most(4100..4200));
        let document_bytes = serde_json::to_string(document).unwrap().len();
        assert!(document_bytes < 16 * 1024, "{effect:?}: {document_bytes} bytes");
    }
}

/// A call id of the length of a provider's.
fn call_name(n: usize) -> String {
    format!("call_{n:024}")
}

/// Makes calls, each looked up, claimed and settled.
async fn make_calls(store: &AnyStore, id: &SessionId, effect: EffectClass, numbers: std::ops::Range<usize>) {
    for n in numbers {
        let name = call_name(n);
        assert!(record(store, id, &name).await.is_none());
        let epoch = granted(store, Claim { budget: None, effect, ..claim_of(id, &name) }).await;
        assert!(settle(store, id, &name, epoch, Some(answered(&name))).await);
    }
}

async fn write_calls(store: &AnyStore, id: &SessionId, numbers: std::ops::Range<usize>) {
    make_calls(store, id, EffectClass::Write, numbers).await;
}

/// The bytes that 8 calls move, two of which delete expired rows: the least of 5 samples, so that a split of the file's tree is not counted.
async fn cost_of(counted: &mut impl CountedStore, id: &SessionId, effect: EffectClass, first: usize) -> u64 {
    let mut samples = Vec::new();
    for sample in 0..5 {
        let first = first + 8 * sample;
        counted.count();
        make_calls(counted.store(), id, effect, first..first + 8).await;
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

/// Makes writes, many at once: they are committed together.
async fn write_many(store: &AnyStore, id: &SessionId, numbers: std::ops::Range<usize>) {
    let numbers: Vec<usize> = numbers.collect();
    for numbers in numbers.chunks(500) {
        let calls = numbers.iter().map(|n| write_calls(store, id, *n..n + 1));
        futures_util::future::join_all(calls).await;
    }
}

async fn does_not_grow_with_sessions(counted: &mut impl CountedStore) {
    let id = session(counted.store(), "sessions").await;
    for n in 0..9 {
        session(counted.store(), &format!("session-{n}")).await;
    }
    write_calls(counted.store(), &id, 0..120).await;
    let few = cost(counted, &id, 120).await;
    let names: Vec<String> = (9..10_000).map(|n| format!("session-{n}")).collect();
    for names in names.chunks(500) {
        futures_util::future::join_all(names.iter().map(|name| session(counted.store(), name))).await;
    }
    let many = cost(counted, &id, 170).await;
    assert_is_within(many, few, MAX_GROWTH);
}

async fn does_not_grow_with_records(counted: &mut impl CountedStore) {
    let id = session(counted.store(), "records").await;
    write_calls(counted.store(), &id, 0..120).await;
    let few = cost(counted, &id, 120).await;
    write_many(counted.store(), &id, 170..1000).await;
    let many = cost(counted, &id, 1000).await;
    assert_is_within(many, few, MAX_GROWTH);
    write_many(counted.store(), &id, 1050..4000).await;
    let many = cost(counted, &id, 4000).await;
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
    // Each call deletes the oldest record then, which is on a page of its own.
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
    // The rows of the open records can give the file's tree another level.
    assert_is_within(many, none, MAX_GROWTH);
}

async fn does_not_grow_with_open_questions(counted: &mut impl CountedStore) {
    let id = session(counted.store(), "questions").await;
    write_calls(counted.store(), &id, 0..120).await;
    let without = cost(counted, &id, 120).await;
    for n in 0..20 {
        let args = format!("{{\"to\":\"{}\"}}", "x".repeat(MEBIBYTE)).into();
        let large = Question { args, ..question(&format!("q-{n}"), &format!("token-{n}")) };
        let asked = counted.store().ask(AskRequest::new(&id, large, T)).await.unwrap();
        assert!(matches!(asked, AskResult::Pending(_)));
    }
    let with = cost(counted, &id, 170).await;
    // The document has the name of each question, not its 1 MiB of arguments.
    assert_is_within(with, without, 2.5);
    let TokenState::Pending(pending) = counted.store().token_state(&id, "token-7", T).await.unwrap() else {
        panic!("it is pending")
    };
    assert!(pending.args.len() > MEBIBYTE);
}

#[tokio::test]
async fn a_call_in_a_file_does_not_grow() {
    let mut file = CountedFile::new().await;
    does_not_grow_with_sessions(&mut file).await;
    does_not_grow_with_records(&mut file).await;
    does_not_grow_with_reads(&mut file).await;
    does_not_grow_with_open_records(&mut file).await;
    does_not_grow_with_open_questions(&mut file).await;
}

#[tokio::test]
async fn a_call_on_a_server_does_not_grow() {
    let Some(mut server) = CountedRedis::new() else { return };
    does_not_grow_with_sessions(&mut server).await;
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
