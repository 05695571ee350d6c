//! The limits of the tombstones.

use super::*;
use crate::definition::EffectClass;
use crate::json::HashKey;
use crate::session::fingerprint::Fingerprint;
use crate::store::ledger::{EntryState, Ledger, LedgerEntry};
use crate::store::rows::MemoryRows;
use crate::store::usage::Usage;

fn started() -> LedgerEntry {
    LedgerEntry {
        fingerprint: Fingerprint::from_text(HashKey::new([7; 16]), "send", "{}"),
        call_id: None,
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

fn write(ledger: &mut Ledger, rows: &mut MemoryRows, name: &str) {
    let key = RecordKey::from_provider_id(&name.into());
    let entry = LedgerEntry { call_id: Some(name.into()), ..started() };
    let epoch = ledger.record_started(key.clone(), entry, None, rows);
    ledger.settle(&key, epoch, (Some(RecordState::Forgotten { ok: true }), true), rows, 0);
}

fn tombstone(principal: Option<&str>, writes: usize) -> Tombstone {
    let (mut ledger, mut rows) = (Ledger::default(), MemoryRows::default());
    for n in 0..writes {
        write(&mut ledger, &mut rows, &format!("call-{n:06}"));
    }
    Tombstone {
        owner: principal.map(str::to_owned).into(),
        has_ended: false,
        used_at: 1,
        turns: Usage::default().turn_numbers(),
        writes: ledger.remains(&rows, 1, false),
    }
}

fn tombstones(number: usize, bytes: usize) -> Tombstones {
    Tombstones::with_limits(TombstoneLimits { number, bytes })
}

/// Adds tombstones of sessions `0`, `1`, … as long as there is room. Returns the number added.
fn fill(tombstones: &mut Tombstones, number: usize, new: &Tombstone) -> usize {
    let ids = (0..number).map(|n| SessionId::from(n.to_string()));
    ids.take_while(|id| {
        let has_room = tombstones.has_room(id, new);
        if has_room {
            tombstones.add(id.clone(), new.clone());
        }
        has_room
    })
    .count()
}

#[test]
fn a_session_without_an_owner_and_writes_leaves_none() {
    let mut tombstones = tombstones(10, 10_000);
    fill(&mut tombstones, 10, &tombstone(None, 0));
    assert!(tombstones.get(&"1".into()).is_none());
    let ended = Tombstone { has_ended: true, ..tombstone(None, 0) };
    fill(&mut tombstones, 10, &ended);
    assert_eq!(tombstones.get(&"1".into()).unwrap().check(&Owner::default()), Err(StoreError::SessionEnded));
}

#[test]
fn those_without_writes_give_way() {
    let mut tombstones = tombstones(10, 1 << 20);
    assert_eq!(fill(&mut tombstones, 20, &tombstone(Some("alice"), 0)), 20);
    assert!(tombstones.get(&"9".into()).is_none() && tombstones.get(&"10".into()).is_some());
    tombstones.add("writes".into(), tombstone(Some("alice"), 1));
    assert!(tombstones.get(&"10".into()).is_none() && tombstones.get(&"11".into()).is_some());
    assert_eq!(fill(&mut tombstones, 20, &tombstone(Some("bob"), 1)), 9, "those with writes stay");
    assert!(tombstones.get(&"writes".into()).is_some() && tombstones.get(&"11".into()).is_none());
}

#[test]
fn the_bytes_are_bounded() {
    let mut tombstones = tombstones(usize::MAX, 100_000);
    let added = fill(&mut tombstones, 1000, &tombstone(None, 100));
    assert!((3..10).contains(&added), "{added} tombstones of 100 writes");
    assert!(!tombstones.has_room(&"x".into(), &tombstone(None, 100)));
    assert!(tombstones.has_room(&"x".into(), &tombstone(Some("alice"), 0)));
    for n in 0..added {
        tombstones.take(&n.to_string().into()).unwrap();
    }
    assert_eq!((tombstones.with_writes.bytes, tombstones.without_writes.bytes), (0, 0));
}

#[test]
fn idle_ones_are_dropped() {
    let mut tombstones = tombstones(10, 1 << 20);
    fill(&mut tombstones, 1, &tombstone(None, 1));
    tombstones.drop_idle(1);
    assert!(tombstones.get(&"0".into()).is_some());
    tombstones.drop_idle(2);
    assert!(tombstones.get(&"0".into()).is_none());
    assert_eq!(tombstones.with_writes.bytes, 0);
}

#[test]
fn the_bytes_are_those_of_all_parts() {
    let mut usage = Usage::default();
    usage.begin_turn(Some("a turn's id"), None);
    let turns = usage.turn_numbers();
    let writes = tombstone(None, 3).writes;
    let (turn_bytes, write_bytes) = (turns.bytes(), writes.bytes());
    assert!(turn_bytes > "a turn's id".len() && write_bytes > 3 * "call-000000".len());
    let whole = Tombstone { owner: Some("alice".to_owned()).into(), has_ended: false, used_at: 1, turns, writes };
    let parts = size_of::<Tombstone>() + "session".len() + "alice".len() + turn_bytes + write_bytes;
    assert_eq!(whole.bytes(&"session".into()), parts);
}

#[test]
fn the_bytes_of_those_without_writes_are_bounded() {
    let new = tombstone(Some("alice"), 0);
    let bytes = new.bytes(&"0".into());
    let mut tombstones = tombstones(usize::MAX, 3 * bytes);
    fill(&mut tombstones, 5, &new);
    let kept = (0..5).map(|n| tombstones.get(&n.to_string().into()).is_some());
    assert_eq!(kept.collect::<Vec<_>>(), [false, false, true, true, true]);
    assert_eq!(tombstones.without_writes.bytes, 3 * bytes);
}

#[test]
fn a_write_that_is_settled_later_is_counted_by_its_bytes() {
    let (mut ledger, mut rows) = (Ledger::default(), MemoryRows::default());
    write(&mut ledger, &mut rows, "settled");
    let key = RecordKey::from_provider_id(&"open".into());
    let open = LedgerEntry { call_id: Some("open".into()), ..started() };
    let epoch = ledger.record_started(key.clone(), open, None, &mut rows);
    let evicted = Tombstone { writes: ledger.remains(&rows, 1, false), ..tombstone(None, 0) };
    let mut tombstones = tombstones(10, 1 << 20);
    fill(&mut tombstones, 2, &evicted);
    let whole = evicted.bytes(&"0".into());
    assert_eq!(tombstones.with_writes.bytes, 2 * whole);
    assert!(tombstones.settle(&"0".into(), &key, epoch, None));
    assert!(!tombstones.settle(&"0".into(), &key, epoch, None), "it is settled");
    let kept = tombstones.get(&"0".into()).unwrap().bytes(&"0".into());
    assert!(kept < whole);
    assert_eq!(tombstones.with_writes.bytes, whole + kept);
}
