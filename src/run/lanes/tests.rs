//! The lanes against a plain model, over random arrivals, ends and departures.

use proptest::prelude::*;

use super::*;

const LIMITS: LaneLimits = LaneLimits { session: 3, tool: 2, queue: 4, patience: Duration::from_secs(1) };

fn enter(lanes: &Arc<Lanes>, tool: &str, overlap: Overlap, seat: Seat) -> Entry {
    lanes.enter(Want::new(&tool.into(), overlap, seat))
}

/// Takes the slot of a call that waits, where it has been granted.
fn granted(waiting: &mut Waiting) -> Option<Slot> {
    let mut context = Context::from_waker(std::task::Waker::noop());
    match Pin::new(waiting).poll(&mut context) {
        Poll::Ready(slot) => Some(slot),
        Poll::Pending => None,
    }
}

#[test]
fn a_tool_that_runs_alone_does_not_hold_up_others() {
    let lanes = Lanes::new(LIMITS);
    let Entry::Now(first) = enter(&lanes, "a", Overlap::Never, Seat::Own) else { panic!("it is free") };
    let Entry::Later(mut second) = enter(&lanes, "a", Overlap::Never, Seat::Own) else { panic!("it runs alone") };
    assert!(matches!(enter(&lanes, "b", Overlap::Allowed, Seat::Own), Entry::Now(_)));
    assert!(granted(&mut second).is_none());
    drop(first);
    assert!(granted(&mut second).is_some());
}

#[test]
fn a_call_within_a_call_takes_none_of_the_sessions_slots() {
    let lanes = Lanes::new(LaneLimits { session: 1, ..LIMITS });
    let parent = enter(&lanes, "a", Overlap::Allowed, Seat::Own);
    assert!(matches!(enter(&lanes, "a", Overlap::Allowed, Seat::OfParent), Entry::Now(_)));
    let child = enter(&lanes, "w", Overlap::Never, Seat::OfParent);
    assert!(matches!(child, Entry::Now(_)));
    assert!(matches!(enter(&lanes, "w", Overlap::Never, Seat::OfParent), Entry::Later(_)));
    assert!(matches!(enter(&lanes, "b", Overlap::Allowed, Seat::Own), Entry::Later(_)));
    drop((parent, child));
    assert_eq!(lanes.state.lock().running, 0);
}

#[test]
fn a_slot_that_is_granted_to_one_who_left_goes_to_the_next() {
    let lanes = Lanes::new(LIMITS);
    let first = enter(&lanes, "a", Overlap::Never, Seat::Own);
    let second = enter(&lanes, "a", Overlap::Never, Seat::Own);
    let Entry::Later(mut third) = enter(&lanes, "a", Overlap::Never, Seat::Own) else { panic!("it runs alone") };
    // Granted, and never looked at.
    drop(first);
    drop(second);
    assert!(granted(&mut third).is_some());
}

#[derive(Debug, Clone)]
enum Op {
    Enter(usize, Seat),
    End(usize),
    Leave(usize),
}

const TOOLS: [(&str, Overlap); 3] = [("a", Overlap::Allowed), ("b", Overlap::Allowed), ("w", Overlap::Never)];

fn op() -> impl Strategy<Value = Op> {
    let seat = prop_oneof![4 => Just(Seat::Own), 1 => Just(Seat::OfParent)];
    prop_oneof![
        4 => (0..TOOLS.len(), seat).prop_map(|(tool, seat)| Op::Enter(tool, seat)),
        3 => (0..8_usize).prop_map(Op::End),
        1 => (0..8_usize).prop_map(Op::Leave),
    ]
}

struct Call {
    number: usize,
    tool: usize,
    seat: Seat,
}

proptest! {
    #[test]
    fn caps_hold_nobody_is_overtaken_and_nobody_is_forgotten(ops in prop::collection::vec(op(), 1..80)) {
        let lanes = Lanes::new(LIMITS);
        let mut running: Vec<(Call, Slot)> = Vec::new();
        let mut waiting: Vec<(Call, Waiting)> = Vec::new();
        for (number, op) in ops.into_iter().enumerate() {
            match op {
                Op::Enter(tool, seat) => {
                    let (name, overlap) = TOOLS[tool];
                    let want = Want::new(&name.into(), overlap, seat);
                    let full = lanes.is_full(&want);
                    prop_assert!(full.is_none_or(|count| count == waiting.len() && count >= LIMITS.queue));
                    if full.is_none() {
                        let call = Call { number, tool, seat };
                        match lanes.enter(want) {
                            Entry::Now(slot) => running.push((call, slot)),
                            Entry::Later(place) => waiting.push((call, place)),
                        }
                    }
                }
                Op::End(place) if place < running.len() => drop(running.remove(place)),
                Op::Leave(place) if place < waiting.len() => drop(waiting.remove(place)),
                Op::End(_) | Op::Leave(_) => {}
            }
            let mut still = Vec::new();
            for (call, mut place) in waiting {
                match granted(&mut place) {
                    Some(slot) => {
                        let earlier = |(other, _): &&(Call, Waiting)| other.tool == call.tool && other.seat == call.seat;
                        prop_assert!(still.iter().find(earlier).is_none(), "{} overtook", call.number);
                        running.push((call, slot));
                    }
                    None => still.push((call, place)),
                }
            }
            waiting = still;
            let own = running.iter().filter(|(call, _)| call.seat == Seat::Own).count();
            prop_assert!(own <= LIMITS.session);
            for (tool, (name, overlap)) in TOOLS.into_iter().enumerate() {
                let alone = matches!(overlap, Overlap::Never);
                let counts = |call: &Call| call.tool == tool && (alone || call.seat == Seat::Own);
                let count = running.iter().filter(|(call, _)| counts(call)).count();
                let cap = if alone { 1 } else { LIMITS.tool };
                prop_assert!(count <= cap, "{count} of {name}");
                let fits = |call: &Call| counts(call) && count < cap && (call.seat == Seat::OfParent || own < LIMITS.session);
                prop_assert!(!waiting.iter().any(|(call, _)| fits(call)), "one of {name} waits that would fit");
            }
        }
        drop(waiting);
        drop(running);
        let state = lanes.state.lock();
        prop_assert_eq!((state.running, state.by_tool.len(), state.waiting.len()), (0, 0, 0));
    }
}
