//! The order as it is stored, and what is read from a damaged one.

use serde_json::{Value, json};

use super::*;

fn write(epoch: u64) -> (SettledRecord, u64) {
    (SettledRecord::Write(epoch), epoch)
}

fn read(name: &str, epoch: u64) -> (SettledRecord, u64) {
    (SettledRecord::Read(RecordKey::from_provider_id(&name.into())), epoch)
}

fn order(records: impl IntoIterator<Item = (SettledRecord, u64)>) -> EvictionOrder {
    let mut order = EvictionOrder::default();
    for (record, epoch) in records {
        assert_eq!(order.push(record, epoch), None);
    }
    order
}

fn stored(order: &EvictionOrder) -> Value {
    serde_json::to_value(order).unwrap()
}

/// The records of a stored order, the next to be evicted first.
fn records(stored: &Value) -> Vec<(SettledRecord, u64)> {
    let mut order: EvictionOrder = serde_json::from_value(stored.clone()).unwrap();
    std::iter::from_fn(|| order.0.pop_lru()).collect()
}

#[test]
fn writes_are_stored_as_ranges_and_reads_by_their_keys() {
    let all = [write(1), write(2), read("a", 3), write(4), write(6), write(7), write(8)];
    let written = stored(&order(all.clone()));
    assert_eq!(written, json!([[1, 2], [3, "provider:a"], 4, [6, 8]]));
    assert_eq!(records(&written), all);
}

#[test]
fn a_write_that_was_used_again_has_its_place_at_the_end() {
    let mut used = order((1..=5).map(write));
    used.promote(&write(2).0);
    assert_eq!(stored(&used), json!([1, [3, 5], 2]));
    assert_eq!(records(&stored(&used)), [1, 3, 4, 5, 2].map(write));
    assert_eq!(used.pop(&write(4).0), Some(4));
    assert_eq!(stored(&used), json!([1, 3, 5, 2]));
}

#[test]
fn a_stored_range_is_read_up_to_what_is_kept() {
    let kept: Vec<_> = (u64::MAX - 99..=u64::MAX).map(write).collect();
    let range = json!([[0, u64::MAX]]);
    assert_eq!(records(&range), kept);
    assert_eq!(stored(&order(kept)), json!([[u64::MAX - 99, u64::MAX]]));
    assert_eq!(records(&json!([[5, 4]])), [], "a range that ends before it begins");
    for damaged in [json!([[1]]), json!([[1, -1]]), json!([[1, 2, 3]]), json!([[1, {}]]), json!({})] {
        assert!(serde_json::from_value::<EvictionOrder>(damaged.clone()).is_err(), "{damaged}");
    }
}

#[test]
fn the_least_recently_used_of_more_than_a_hundred_is_evicted() {
    let mut order = order((1..=100).map(write));
    order.promote(&write(1).0);
    assert_eq!(order.push(write(101).0, 101), Some(write(2)));
}
