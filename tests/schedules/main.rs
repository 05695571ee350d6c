//! Schedule exploration: two gates, as two processes have them, share one simulated store on a paused clock. A seed
//! chooses the calls and the delay, failure or duplication of each store operation, so that it chooses the interleaving
//! at each await. The history of each schedule is checked against what must hold ([`history`]).
//!
//! The core holds no lock over an await, so the delays choose every interleaving that its tasks have. Shuttle, turmoil and
//! madsim give no more of them, and each would need a change of the core.
//!
//! `TOOLGATE_SCHEDULES=<count>` explores more schedules, `TOOLGATE_SCHEDULE_SEED=<seed>` replays one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "a test stops at what it did not expect"
)]

mod chooser;
mod history;
mod process;
mod schedule;
mod sim_store;

use std::env;
use std::thread;

use schedule::Schedule;
use sim_store::Defect;

/// The number of schedules of a usual run.
const SCHEDULES: u64 = 40_000;

fn setting(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("`{name}` must be a whole number")))
}

/// The first failing schedule among the seeds, shrunk, with what was wrong.
fn explore(seeds: impl Iterator<Item = u64>, defect: Option<Defect>) -> Option<String> {
    for seed in seeds {
        let schedule = Schedule::of_seed(seed);
        if let Err(wrong) = schedule.play(defect) {
            let small = schedule.shrunk(defect);
            let wrong = small.play(defect).err().unwrap_or(wrong);
            return Some(format!("seed {seed}: {wrong}\n{small:#?}"));
        }
    }
    None
}

#[test]
fn every_schedule_keeps_the_promises() {
    if let Some(seed) = setting("TOOLGATE_SCHEDULE_SEED") {
        assert_eq!(explore([seed].into_iter(), None), None);
        return;
    }
    let count = setting("TOOLGATE_SCHEDULES").unwrap_or(SCHEDULES);
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let failures: Vec<String> = thread::scope(|scope| {
        let runs: Vec<_> = (0..threads)
            .map(|first| scope.spawn(move || explore((first..count).step_by(usize::try_from(threads).unwrap()), None)))
            .collect();
        runs.into_iter().filter_map(|run| run.join().expect("a schedule does not panic")).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// A call joined another one under its key, with other arguments: during a store failure, and after the record of the first
/// one was deleted.
#[test]
fn schedules_that_found_a_defect_keep_the_promises() {
    assert_eq!(explore([89_146, 135_334].into_iter(), None), None);
}

/// A defect of the store that schedules must find, by the words of the failure.
fn finds(defect: Defect, words: &str) {
    let wrong = (0..2000).find_map(|seed| {
        let schedule = Schedule::of_seed(seed);
        schedule.play(Some(defect)).err().filter(|wrong| wrong.contains(words)).map(|_| schedule)
    });
    let schedule = wrong.unwrap_or_else(|| panic!("no schedule finds {defect:?}"));
    let small = schedule.shrunk(Some(defect));
    assert!(small.play(Some(defect)).is_err() && small.play(None).is_ok(), "{small:#?}");
}

#[test]
fn a_claim_that_is_not_atomic_is_found() {
    finds(Defect::ClaimsTwice, "ran again");
}

#[test]
fn a_lost_settlement_is_found() {
    finds(Defect::LosesSettlements, "is lost");
}

#[test]
fn an_exceeded_budget_is_found() {
    finds(Defect::IgnoresBudgets, "over the budget");
}

#[test]
fn an_unanswered_call_is_found() {
    finds(Defect::NeverAnswersClaims, "no answer");
}

#[test]
fn a_schedule_is_the_same_each_time() {
    for seed in 0..50 {
        let schedule = Schedule::of_seed(seed);
        assert_eq!(schedule.trace(), schedule.trace(), "seed {seed}");
    }
}
