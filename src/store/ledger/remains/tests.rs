//! What is kept of each kind of record, and what it costs.

use super::*;
use crate::definition::EffectClass;
use crate::json::HashKey;
use crate::session::fingerprint::Fingerprint;

const DAY: EpochMs = 24 * 60 * 60 * 1000;

fn started(id: &str, effect: EffectClass, claimed_at: EpochMs) -> LedgerEntry {
    LedgerEntry {
        fingerprint: Fingerprint::from_text(HashKey::new([7; 16]), "send", "{}"),
        call_id: Some(id.into()),
        turn: 1,
        epoch: 0,
        claimed_at,
        effect,
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

fn key(id: &str) -> RecordKey {
    if id == "unnamed" { RecordKey::from_stored("hash:1:unnamed") } else { RecordKey::from_provider_id(&id.into()) }
}

/// A ledger with a record of each kind, and the epoch of `open`.
fn ledger(rows: &mut MemoryRows) -> (Ledger, u64) {
    let mut ledger = Ledger::default();
    let settled = Some(RecordState::Forgotten { ok: true });
    for (id, claimed_at) in [("expired", 0), ("settled", DAY)] {
        let epoch = ledger.record_started(key(id), started(id, EffectClass::Write, claimed_at), None, rows);
        ledger.settle(&key(id), epoch, (settled.clone(), true), rows, 0);
    }
    ledger.record_started(key("read"), started("read", EffectClass::Read, DAY), None, rows);
    let open = ledger.record_started(key("open"), started("open", EffectClass::Write, 0), None, rows);
    let unnamed = LedgerEntry { call_id: None, ..started("", EffectClass::Write, DAY) };
    ledger.record_started(key("unnamed"), unnamed, None, rows);
    ledger.alias_record(&key("unnamed"), &key("named"), rows, DAY).unwrap();
    (ledger, open)
}

fn kept(remains: &LedgerRemains) -> Vec<(&str, EntryState, Option<&str>)> {
    let mut kept: Vec<_> = remains
        .writes
        .iter()
        .map(|(key, entry)| (key.as_str(), entry.state, entry.alias.as_ref().map(RecordKey::as_str)))
        .collect();
    kept.sort_unstable_by_key(|(key, ..)| *key);
    kept
}

#[test]
fn unknown_and_forgotten_writes_are_kept() {
    let mut rows = MemoryRows::default();
    let (ledger, _) = ledger(&mut rows);
    let [open, settled, unnamed, named] = ["open", "settled", "unnamed", "named"].map(key);
    let remains = ledger.remains(&rows, DAY, false);
    let (is_open, is_named) = ((open.as_str(), EntryState::Unknown, None), Some(named.as_str()));
    let is_unnamed = (unnamed.as_str(), EntryState::Unknown, is_named);
    assert_eq!(kept(&remains), [is_unnamed, is_open, (settled.as_str(), EntryState::Forgotten { ok: true }, None)]);
    let ended = ledger.remains(&rows, DAY, true);
    assert_eq!(kept(&ended), [is_unnamed, is_open], "no call of an ended session is made again");
}

#[test]
fn only_the_claim_of_an_unknown_write_is_settled() {
    let mut rows = MemoryRows::default();
    let (ledger, epoch) = ledger(&mut rows);
    let mut remains = ledger.remains(&rows, DAY, false);
    let settled = RecordState::Forgotten { ok: false };
    assert!(!remains.settle(&key("open"), epoch + 100, Some(&settled)), "of another claim");
    assert!(!remains.settle(&key("settled"), epoch, Some(&settled)), "of another key");
    let (_, earlier) = remains.writes.iter().find(|(other, _)| *other == key("settled")).unwrap();
    let earlier = earlier.epoch;
    assert!(!remains.settle(&key("settled"), earlier, Some(&settled)), "settled before");
    assert!(remains.settle(&key("open"), epoch, Some(&settled)));
    assert!(kept(&remains).contains(&(key("open").as_str(), EntryState::Forgotten { ok: false }, None)));
}

#[test]
fn the_bytes_are_those_of_the_keys_and_ids() {
    let mut rows = MemoryRows::default();
    let remains = ledger(&mut rows).0.remains(&rows, DAY, false);
    let texts = [key("open"), key("settled"), key("unnamed"), key("named")].map(|key| key.as_str().len());
    let ids = "open".len() + "settled".len();
    let entries = 3 * (size_of::<(RecordKey, Arc<LedgerEntry>)>() + size_of::<LedgerEntry>());
    assert_eq!(remains.bytes(), entries + texts.iter().sum::<usize>() + ids);
}

/// If it were kept, the record would be found under a key of another call.
#[test]
fn an_alias_whose_key_another_call_has_is_not_kept() {
    let (mut ledger, mut rows) = (Ledger::default(), MemoryRows::default());
    let first = LedgerEntry { alias: Some(key("taken")), ..started("first", EffectClass::Write, DAY) };
    ledger.record_started(key("first"), first, None, &mut rows);
    ledger.record_started(key("taken"), started("taken", EffectClass::Write, DAY), None, &mut rows);
    let remains = ledger.remains(&rows, DAY, false);
    assert!(remains.writes.iter().all(|(_, entry)| entry.alias.is_none()) && remains.writes.len() == 2);
}
