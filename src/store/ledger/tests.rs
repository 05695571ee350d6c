//! The memory of long call ids, and the number of rows.

use super::eviction_order::MAX_SETTLED;
use super::*;
use crate::definition::EffectClass;
use crate::json::HashKey;
use crate::session::fingerprint::Fingerprint;
use crate::store::rows::MemoryRows;

fn entry(call_id: &str) -> LedgerEntry {
    LedgerEntry {
        fingerprint: Fingerprint::from_text(HashKey::new([7; 16]), "send", "{}"),
        call_id: Some(call_id.into()),
        turn: 1,
        epoch: 0,
        claimed_at: 0,
        effect: EffectClass::Write,
        lease_expires: None,
        claimant: None,
        state: EntryState::Started,
        alias: None,
        answered: false,
        unheard: false,
        left: false,
        keep_ms: None,
        question: None,
        kept: None,
        reconcile: None,
    }
}

#[test]
fn a_hundred_ids_of_a_megabyte_cost_kilobytes() {
    let (mut ledger, mut rows) = (Ledger::default(), MemoryRows::default());
    for n in 0..100 {
        let id = CallId::from(format!("{n:03}{}", "x".repeat(1 << 20)));
        let key = RecordKey::from_provider_id(&id);
        let epoch = ledger.record_started(key.clone(), entry(id.as_str()), None, &mut rows);
        if n % 2 == 0 {
            let state = RecordState::Forgotten { ok: true };
            assert!(ledger.settle(&key, epoch, (Some(state), true), &mut rows, 0).is_some());
        }
        let in_turn = RecordKey::from_provider_id_in_turn(&id, 2);
        ledger.record_started(in_turn, entry(id.as_str()), None, &mut rows);
    }
    let sizes: Vec<usize> =
        rows.calls().map(|(key, row)| key.as_str().len() + Row::Call(row.clone()).to_text().unwrap().len()).collect();
    assert_eq!(sizes.len(), 200, "no two share a key");
    assert!(sizes.iter().all(|size| *size < 600), "{sizes:?}");
    assert!(serde_json::to_string(&ledger).unwrap().len() < 10_000);
}

#[test]
fn lost_reads_are_deleted_in_time() {
    const LEASE: EpochMs = 30_000;
    const DAY: EpochMs = 24 * 60 * 60 * 1000;
    let (mut ledger, mut rows) = (Ledger::default(), MemoryRows::default());
    let mut claim = |n: usize, now: EpochMs, rows: &mut MemoryRows| {
        let id = CallId::from(format!("call-{n}"));
        let lost = LedgerEntry {
            effect: EffectClass::Read,
            claimed_at: now,
            lease_expires: Some(now + LEASE),
            ..entry(id.as_str())
        };
        rows.purge(now);
        ledger.record_started(RecordKey::from_provider_id(&id), lost, None, rows);
    };
    (0..300).for_each(|n| claim(n, 0, &mut rows));
    assert_eq!(rows.calls().count(), 300, "a late settlement is accepted");
    (300..600).for_each(|n| claim(n, 2 * DAY, &mut rows));
    assert_eq!(rows.calls().count(), 300);
}

#[test]
fn a_record_that_took_the_key_of_an_alias_keeps_it() {
    let (mut ledger, mut rows) = (Ledger::default(), MemoryRows::default());
    let [unnamed, named] = ["hash:1:unnamed", "provider:named"].map(RecordKey::from_stored);
    let lost = LedgerEntry { call_id: None, effect: EffectClass::Read, lease_expires: Some(10), ..entry("") };
    let first = ledger.record_started(unnamed.clone(), lost, None, &mut rows);
    assert_eq!(ledger.alias_record(&unnamed, &named, &mut rows, 0).unwrap().epoch, first);
    assert!(ledger.find(&named, &mut rows, 10).is_none(), "it may be made again");
    let second = ledger.record_started(named.clone(), entry("named"), None, &mut rows);
    assert!(ledger.settle(&unnamed, first, (None, true), &mut rows, 0).is_some());
    assert_eq!(ledger.find(&named, &mut rows, 10).unwrap().epoch, second);
}

/// A started read without an id that has an alias.
fn aliased(ledger: &mut Ledger, rows: &mut MemoryRows) -> (RecordKey, RecordKey, u64) {
    let [unnamed, named] = ["hash:1:unnamed", "provider:named"].map(RecordKey::from_stored);
    let read = LedgerEntry { call_id: None, effect: EffectClass::Read, lease_expires: Some(10), ..entry("") };
    let epoch = ledger.record_started(unnamed.clone(), read, None, rows);
    assert_eq!(ledger.alias_record(&unnamed, &named, rows, 0).unwrap().epoch, epoch);
    (unnamed, named, epoch)
}

#[test]
fn an_alias_lasts_as_long_as_its_record() {
    const DAY: EpochMs = 24 * 60 * 60 * 1000;
    let (mut ledger, mut rows) = (Ledger::default(), MemoryRows::default());
    let (unnamed, named, epoch) = aliased(&mut ledger, &mut rows);
    assert!(Ledger::renew(&unnamed, epoch, 3 * DAY, &mut rows));
    rows.purge(2 * DAY);
    assert_eq!(ledger.find(&named, &mut rows, 2 * DAY).unwrap().epoch, epoch);
}

#[test]
fn the_alias_of_a_record_that_is_given_up_is_deleted() {
    let (mut ledger, mut rows) = (Ledger::default(), MemoryRows::default());
    let (unnamed, _, epoch) = aliased(&mut ledger, &mut rows);
    assert_eq!(rows.calls().count(), 2);
    assert!(ledger.settle(&unnamed, epoch, (None, true), &mut rows, 0).is_some());
    assert_eq!(rows.calls().count(), 0);
}

#[test]
fn an_alias_does_not_find_a_later_record_under_the_same_key() {
    let (mut ledger, mut rows) = (Ledger::default(), MemoryRows::default());
    let [unnamed, named] = ["hash:1:unnamed", "provider:named"].map(RecordKey::from_stored);
    let epoch = ledger.record_started(unnamed.clone(), entry("unnamed"), None, &mut rows);
    let stale = Row::Call(CallRow::Alias { of: unnamed.clone(), epoch: epoch + 1 });
    rows.put(RowKey::Call(named.clone()), stale, None);
    assert!(ledger.find(&named, &mut rows, 0).is_none());
    assert_eq!(ledger.find(&unnamed, &mut rows, 0).unwrap().epoch, epoch);
}

#[test]
fn a_read_that_is_made_again_after_its_row_was_deleted_has_one_place_in_the_eviction_order() {
    const DAY: EpochMs = 24 * 60 * 60 * 1000;
    let (mut ledger, mut rows) = (Ledger::default(), MemoryRows::default());
    let mut make = |name: &str, now: EpochMs, rows: &mut MemoryRows| {
        let key = RecordKey::from_provider_id(&name.into());
        rows.purge(now);
        let read = LedgerEntry { effect: EffectClass::Read, claimed_at: now, ..entry(name) };
        let epoch = ledger.record_started(key.clone(), read, None, rows);
        let answered = RecordState::Forgotten { ok: true };
        assert!(ledger.settle(&key, epoch, (Some(answered), true), rows, 0).is_some());
        let written = serde_json::to_value(&ledger).unwrap();
        (
            serde_json::json!([written["settled"], written["next_epoch"]]),
            ledger.find(&key, rows, now).map(|record| record.epoch),
        )
    };
    make("again", 0, &mut rows);
    let (written, found) = make("again", DAY, &mut rows);
    assert_eq!((written, found), (serde_json::json!([[[2, "provider:again"]], 3]), Some(2)));
    // As many others as fit beside it.
    (1..MAX_SETTLED).for_each(|n| _ = make(&n.to_string(), DAY, &mut rows));
    assert_eq!(rows.calls().count(), MAX_SETTLED);
    make("one more", DAY, &mut rows);
    let key = RecordKey::from_provider_id(&"again".into());
    assert!(
        rows.calls().count() == MAX_SETTLED && rows.calls().all(|(other, _)| *other != key),
        "the oldest was evicted"
    );
}
