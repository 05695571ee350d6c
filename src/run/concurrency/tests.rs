//! The concurrency limits against a plain model, over random arrivals, ends and departures.

use proptest::prelude::*;

use super::*;

const LIMITS: ConcurrencyLimits =
    ConcurrencyLimits { session: 3, tool: 2, queue: 4, queue_timeout: Duration::from_secs(1) };

fn enter(concurrency: &Arc<Concurrency>, tool: &str, overlap: Overlap, owner: SlotOwner) -> SlotGrant {
    concurrency.request(SlotRequest::new(&tool.into(), overlap, owner))
}

/// Returns the slot of a waiting call if it has been granted.
fn granted(waiting: &mut QueuedSlot) -> Option<Slot> {
    let mut context = Context::from_waker(std::task::Waker::noop());
    match Pin::new(waiting).poll(&mut context) {
        Poll::Ready(slot) => Some(slot),
        Poll::Pending => None,
    }
}

#[test]
fn a_tool_that_runs_alone_does_not_hold_up_others() {
    let concurrency = Concurrency::new(LIMITS);
    let SlotGrant::Now(first) = enter(&concurrency, "a", Overlap::Never, SlotOwner::Call) else { panic!("it is free") };
    let SlotGrant::Queued(mut second) = enter(&concurrency, "a", Overlap::Never, SlotOwner::Call) else {
        panic!("it runs alone")
    };
    assert!(matches!(enter(&concurrency, "b", Overlap::Allowed, SlotOwner::Call), SlotGrant::Now(_)));
    assert!(granted(&mut second).is_none());
    drop(first);
    assert!(granted(&mut second).is_some());
}

#[test]
fn a_nested_call_takes_none_of_the_sessions_slots() {
    let concurrency = Concurrency::new(ConcurrencyLimits { session: 1, ..LIMITS });
    let parent = enter(&concurrency, "a", Overlap::Allowed, SlotOwner::Call);
    assert!(matches!(enter(&concurrency, "a", Overlap::Allowed, SlotOwner::Parent), SlotGrant::Now(_)));
    let child = enter(&concurrency, "w", Overlap::Never, SlotOwner::Parent);
    assert!(matches!(child, SlotGrant::Now(_)));
    assert!(matches!(enter(&concurrency, "w", Overlap::Never, SlotOwner::Parent), SlotGrant::Queued(_)));
    assert!(matches!(enter(&concurrency, "b", Overlap::Allowed, SlotOwner::Call), SlotGrant::Queued(_)));
    drop((parent, child));
    assert_eq!(concurrency.state.lock().running, 0);
}

#[test]
fn a_slot_that_is_granted_to_a_dropped_call_goes_to_the_next() {
    let concurrency = Concurrency::new(LIMITS);
    let first = enter(&concurrency, "a", Overlap::Never, SlotOwner::Call);
    let second = enter(&concurrency, "a", Overlap::Never, SlotOwner::Call);
    let SlotGrant::Queued(mut third) = enter(&concurrency, "a", Overlap::Never, SlotOwner::Call) else {
        panic!("it runs alone")
    };
    // Granted, and never polled.
    drop(first);
    drop(second);
    assert!(granted(&mut third).is_some());
}

#[derive(Debug, Clone)]
enum Op {
    Enter(usize, SlotOwner),
    End(usize),
    Leave(usize),
}

const TOOLS: [(&str, Overlap); 3] = [("a", Overlap::Allowed), ("b", Overlap::Allowed), ("w", Overlap::Never)];

fn op() -> impl Strategy<Value = Op> {
    let owner = prop_oneof![4 => Just(SlotOwner::Call), 1 => Just(SlotOwner::Parent)];
    prop_oneof![
        4 => (0..TOOLS.len(), owner).prop_map(|(tool, owner)| Op::Enter(tool, owner)),
        3 => (0..8_usize).prop_map(Op::End),
        1 => (0..8_usize).prop_map(Op::Leave),
    ]
}

struct Call {
    number: usize,
    tool: usize,
    owner: SlotOwner,
}

proptest! {
    #[test]
    fn caps_hold_and_no_call_is_overtaken_or_forgotten(ops in prop::collection::vec(op(), 1..80)) {
        let concurrency = Concurrency::new(LIMITS);
        let mut running: Vec<(Call, Slot)> = Vec::new();
        let mut waiting: Vec<(Call, QueuedSlot)> = Vec::new();
        for (number, op) in ops.into_iter().enumerate() {
            match op {
                Op::Enter(tool, owner) => {
                    let (name, overlap) = TOOLS[tool];
                    let request = SlotRequest::new(&name.into(), overlap, owner);
                    let full = concurrency.queued_if_full(&request);
                    prop_assert!(full.is_none_or(|count| count == waiting.len() && count >= LIMITS.queue));
                    if full.is_none() {
                        let call = Call { number, tool, owner };
                        match concurrency.request(request) {
                            SlotGrant::Now(slot) => running.push((call, slot)),
                            SlotGrant::Queued(place) => waiting.push((call, place)),
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
                        let earlier = |(other, _): &&(Call, QueuedSlot)| other.tool == call.tool && other.owner == call.owner;
                        prop_assert!(still.iter().find(earlier).is_none(), "{} overtook", call.number);
                        running.push((call, slot));
                    }
                    None => still.push((call, place)),
                }
            }
            waiting = still;
            let own = running.iter().filter(|(call, _)| call.owner == SlotOwner::Call).count();
            prop_assert!(own <= LIMITS.session);
            for (tool, (name, overlap)) in TOOLS.into_iter().enumerate() {
                let alone = matches!(overlap, Overlap::Never);
                let counts = |call: &Call| call.tool == tool && (alone || call.owner == SlotOwner::Call);
                let count = running.iter().filter(|(call, _)| counts(call)).count();
                let cap = if alone { 1 } else { LIMITS.tool };
                prop_assert!(count <= cap, "{count} of {name}");
                let fits = |call: &Call| counts(call) && count < cap && (call.owner == SlotOwner::Parent || own < LIMITS.session);
                prop_assert!(!waiting.iter().any(|(call, _)| fits(call)), "one of {name} waits that would fit");
            }
        }
        drop(waiting);
        drop(running);
        let state = concurrency.state.lock();
        prop_assert_eq!((state.running, state.by_tool.len(), state.waiting.len()), (0, 0, 0));
    }
}
