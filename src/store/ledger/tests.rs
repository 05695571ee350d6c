//! Keys of earlier versions, and the memory of long call ids.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::json::HashKey;

fn entry(call_id: &str) -> LedgerEntry {
    LedgerEntry {
        fingerprint: Fingerprint::from_text(HashKey::new([7; 16]), "send", "{}"),
        call_id: Some(call_id.into()),
        turn: 1,
        epoch: 0,
        claimed_at: 0,
        effect: EffectClass::Write,
        lease_expires: None,
        state: EntryState::Started,
    }
}

/// A ledger with these records, under keys of an earlier version.
fn stored(keys: &[(&str, &str)], place: &str) -> Ledger {
    let mut ledger = serde_json::to_value(Ledger::default()).unwrap();
    let state = if place == "open" { EntryState::Started } else { EntryState::Forgotten { ok: true } };
    for (place_in_order, (key, id)) in keys.iter().enumerate() {
        let entry = json!(LedgerEntry { epoch: place_in_order as u64, state, ..entry(id) });
        match &mut ledger[place] {
            serde_json::Value::Array(settled) => settled.push(json!([key, entry])),
            entries => entries[key] = entry,
        }
    }
    let mut ledger: Ledger = serde_json::from_value(ledger).unwrap();
    ledger.upgrade_keys();
    ledger
}

#[test]
fn records_under_earlier_keys_are_found_and_not_confused() {
    let long = "x".repeat(1000);
    let (plain, in_turn) = (format!("provider:{long}"), format!("provider:{long}@3"));
    let keys = [
        ("provider:call-a", "call-a"),
        ("provider:call-a@2", "call-a"),
        ("provider:call-b@2", "call-b@2"),
        (plain.as_str(), long.as_str()),
        (in_turn.as_str(), long.as_str()),
        ("hash:1:0011223344556677", "temp"),
    ];
    for place in ["open", "settled", "forgotten"] {
        let mut ledger = stored(&keys, place);
        let mut epoch_of = |key| ledger.find(&key, &mut BTreeMap::new(), 1).map(|record| record.epoch);
        let (id, id_in) = (
            |id: &str| RecordKey::from_provider_id(&id.into()),
            |id: &str, turn| RecordKey::from_provider_id_in_turn(&id.into(), turn),
        );
        assert_eq!(epoch_of(id("call-a")), Some(0), "{place}");
        assert_eq!(epoch_of(id_in("call-a", 2)), Some(1), "{place}");
        assert_eq!(epoch_of(id("call-b@2")), Some(2), "{place}");
        assert_eq!(epoch_of(id(&long)), Some(3), "{place}");
        assert_eq!(epoch_of(id_in(&long, 3)), Some(4), "{place}");
        assert_eq!(epoch_of(id("call-a@2")), None, "{place}");
        assert_eq!(epoch_of(id_in("call-b", 2)), None, "{place}");
    }
}

#[test]
fn upgrading_keeps_the_order_of_eviction() {
    let names: Vec<String> = (0..100).map(|n| format!("call-{n}")).collect();
    let keys: Vec<String> = names.iter().map(|name| format!("provider:{name}@2")).collect();
    let pairs: Vec<(&str, &str)> = keys.iter().zip(&names).map(|(key, name)| (key.as_str(), name.as_str())).collect();
    let mut ledger = stored(&pairs, "settled");
    let newest = RecordKey::from_provider_id(&"newest".into());
    ledger.insert_settled(&newest, entry("newest"), &mut BTreeMap::new(), 1);
    let order: Vec<u64> = ledger.settled.iter().rev().map(|(_, entry)| entry.epoch).collect();
    assert_eq!(order[..2], [1, 2], "the first has been evicted");
}

#[test]
fn a_hundred_ids_of_a_megabyte_cost_kilobytes() {
    let (mut ledger, mut answers) = (Ledger::default(), BTreeMap::new());
    for n in 0..100 {
        let id = CallId::from(format!("{n:03}{}", "x".repeat(1 << 20)));
        let key = RecordKey::from_provider_id(&id);
        let epoch = ledger.record_started(key.clone(), entry(id.as_str()), 0);
        if n % 2 == 0 {
            let state = RecordState::Forgotten { ok: true };
            assert!(ledger.settle(&key, epoch, Some(state), &mut answers, 0));
        }
        let in_turn = RecordKey::from_provider_id_in_turn(&id, 2);
        ledger.record_started(in_turn, entry(id.as_str()), 0);
    }
    let kept = |key: &RecordKey, entry: &LedgerEntry| {
        key.as_str().len() + entry.call_id.as_ref().map_or(0, |id| id.as_str().len())
    };
    let settled: usize = ledger.settled.iter().map(|(key, entry)| kept(key, entry)).sum();
    let open: usize = ledger.open.iter().map(|(key, entry)| kept(key, entry)).sum();
    assert_eq!(ledger.settled.len() + ledger.open.len(), 200, "no two share a key");
    assert!(settled + open < 40_000, "{} bytes", settled + open);
    assert!(serde_json::to_string(&ledger).unwrap().len() < 100_000);
}
