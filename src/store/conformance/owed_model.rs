//! Random interleavings of background calls, deliveries and the passing of time, against what a delivery promises: each result
//! is accepted once, held by one attachment at a time, and never lost.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::store::owed::{Deferral, DeferralResult, DeferralStep, EndDelivery, Hold, OwedEnd, TakeOwed};

const LEASE: u64 = 40_000;
const HOLD: u64 = 60_000;
const ATTACHMENTS: u64 = 3;

#[derive(Debug, Clone)]
enum DeliveryOp {
    /// A call whose callers are answered early.
    Defer(EffectClass),
    /// A call that is left to be completed.
    Leave(EffectClass),
    /// A write that an attachment answers directly, and whose result it holds.
    Hold(u64),
    Settle(usize),
    Take(u64),
    Renew(u64),
    End {
        by: u64,
        call: usize,
        accepted: bool,
    },
    Pass(u64),
}

fn op() -> impl Strategy<Value = DeliveryOp> {
    let effect = || prop_oneof![Just(EffectClass::Read), Just(EffectClass::Write)];
    let by = || 0..ATTACHMENTS;
    prop_oneof![
        3 => effect().prop_map(DeliveryOp::Defer),
        2 => effect().prop_map(DeliveryOp::Leave),
        3 => by().prop_map(DeliveryOp::Hold),
        4 => (0..8_usize).prop_map(DeliveryOp::Settle),
        5 => by().prop_map(DeliveryOp::Take),
        1 => by().prop_map(DeliveryOp::Renew),
        4 => (by(), 0..8_usize, any::<bool>()).prop_map(|(by, call, accepted)| DeliveryOp::End { by, call, accepted }),
        2 => prop_oneof![Just(1), Just(LEASE), Just(HOLD)].prop_map(DeliveryOp::Pass),
    ]
}

/// A background call, as it must be.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the call, and none follows from another")]
struct Call {
    name: String,
    epoch: u64,
    runs_until: EpochMs,
    is_left: bool,
    is_direct: bool,
    has_ended: bool,
    is_accepted: bool,
    held: Option<(u64, EpochMs)>,
}

impl Call {
    fn is_held(&self, now: EpochMs) -> bool {
        self.held.is_some_and(|(_, until)| now < until)
    }

    /// Whether an attachment can take it.
    fn is_offered(&self, by: u64, now: EpochMs) -> bool {
        let is_due = self.has_ended || self.runs_until <= now;
        let is_others = self.held.is_none_or(|(holder, _)| holder != by);
        let is_kept = if self.is_direct { self.has_ended } else { is_others };
        is_due && !self.is_accepted && !(self.is_held(now) && is_kept)
    }
}

struct DeliveryModel<'a> {
    store: &'a AnyStore,
    id: SessionId,
    now: EpochMs,
    calls: Vec<Call>,
}

impl DeliveryModel<'_> {
    async fn step(&mut self, op: &DeliveryOp) {
        match *op {
            DeliveryOp::Defer(effect) => self.defer(effect, false).await,
            DeliveryOp::Leave(effect) => self.defer(effect, true).await,
            DeliveryOp::Hold(by) => self.hold(by).await,
            DeliveryOp::Settle(call) => self.settle(call).await,
            DeliveryOp::Take(by) => drop(self.take(by).await),
            DeliveryOp::Renew(by) => self.renew(by).await,
            DeliveryOp::End { by, call, accepted } => self.end(by, call, accepted).await,
            DeliveryOp::Pass(ms) => self.now += ms,
        }
    }

    async fn defer(&mut self, effect: EffectClass, leaves: bool) {
        let name = format!("call-{}", self.calls.len());
        let claim = Claim { effect, lease_ms: Some(LEASE), now: self.now, ..claim_of(&self.id, &name) };
        let epoch = granted(self.store, claim).await;
        let until = Some(self.now + LEASE);
        let step =
            if leaves { DeferralStep::Leave { until, answers_callers: true } } else { DeferralStep::AnswerCallers };
        let RecordState::Settled(running) = answered(&name) else { panic!("it is answered") };
        let (session, key, now) = (self.id.clone(), key(&name), self.now);
        let deferral = Deferral { session, key, epoch, running, args: None, step, keep_ms: 7 * DAY, now };
        assert!(matches!(self.store.defer(deferral).await.unwrap(), DeferralResult::Done));
        let runs_until = self.now + LEASE;
        let (has_ended, is_accepted, is_direct, held) = (false, false, false, None);
        self.calls.push(Call { name, epoch, runs_until, is_left: leaves, is_direct, has_ended, is_accepted, held });
    }

    async fn hold(&mut self, by: u64) {
        let name = format!("call-{}", self.calls.len());
        let RecordState::Settled(running) = answered(&name) else { panic!("it is answered") };
        let claim = Claim {
            lease_ms: Some(LEASE),
            hold: Some(Hold { by, running, keep_ms: 7 * DAY }),
            now: self.now,
            ..claim_of(&self.id, &name)
        };
        let epoch = granted(self.store, claim).await;
        let (runs_until, held) = (self.now + LEASE, Some((by, self.now + HOLD)));
        let (has_ended, is_accepted, is_direct, is_left) = (false, false, true, false);
        self.calls.push(Call { name, epoch, runs_until, is_left, is_direct, has_ended, is_accepted, held });
    }

    async fn settle(&mut self, call: usize) {
        let Some(call) = self.calls.get_mut(call) else { return };
        let RecordState::Settled(response) = answered(&call.name) else { panic!("it is answered") };
        let state = Some(RecordState::Settled(Arc::clone(&response)));
        let settlement = settlement(&self.id, &call.name, call.epoch, state);
        let settlement = Settlement { owed: Some(response), now: self.now, ..settlement };
        let settled = self.store.settle(settlement).await.unwrap();
        assert_eq!(settled, !call.has_ended, "a call ends once");
        call.has_ended = true;
        if let (true, true, Some((by, _))) = (settled, call.is_direct, call.held) {
            call.held = Some((by, self.now + HOLD));
        }
    }

    /// The name of the call whose result is taken.
    async fn take(&mut self, by: u64) -> Option<String> {
        let held = self.held_by(by);
        let take = TakeOwed {
            session: self.id.clone(),
            by,
            held: held.clone(),
            skips: Vec::new(),
            takes: true,
            claimant: None,
            now: self.now,
        };
        let taken = self.store.take_owed(take).await.unwrap().result;
        let (now, until) = (self.now, self.now + HOLD);
        let renewed = |call: &&mut Call| held.contains(&call.epoch);
        self.calls.iter_mut().filter(renewed).for_each(|call| call.held = Some((by, until)));
        let expected = self.calls.iter_mut().find(|call| !held.contains(&call.epoch) && call.is_offered(by, now));
        assert_eq!(taken.as_ref().map(|owed| owed.epoch), expected.as_ref().map(|call| call.epoch), "the oldest");
        let (owed, call) = taken.zip(expected)?;
        (call.held, call.is_direct) = (Some((by, until)), false);
        let is_as_it_ended = match owed.end {
            OwedEnd::Ended => call.has_ended,
            OwedEnd::Lost { .. } => !call.has_ended && !call.is_left,
            OwedEnd::Overdue { .. } => !call.has_ended && call.is_left,
        };
        assert!(is_as_it_ended, "{:?}", owed.end);
        Some(call.name.clone())
    }

    /// What the attachment still holds. A hold that ran out is not renewed: another may have it.
    fn held_by(&self, by: u64) -> Vec<u64> {
        let is_held = |call: &&Call| {
            !call.is_accepted && call.held.is_some_and(|(holder, until)| holder == by && self.now < until)
        };
        self.calls.iter().filter(is_held).map(|call| call.epoch).collect()
    }

    async fn renew(&mut self, by: u64) {
        let held = self.held_by(by);
        let until = self.now + HOLD;
        let take = TakeOwed {
            session: self.id.clone(),
            by,
            held: held.clone(),
            skips: Vec::new(),
            takes: false,
            claimant: None,
            now: self.now,
        };
        assert!(self.store.take_owed(take).await.unwrap().result.is_none());
        self.calls.iter_mut().filter(|call| held.contains(&call.epoch)).for_each(|call| call.held = Some((by, until)));
    }

    async fn end(&mut self, by: u64, call: usize, accepted: bool) {
        let Some(call) = self.calls.get_mut(call) else { return };
        let end = EndDelivery { session: self.id.clone(), by, epoch: call.epoch, accepted, now: self.now };
        let is_holder = !call.is_accepted && call.held.is_some_and(|(holder, _)| holder == by);
        assert_eq!(self.store.end_delivery(end).await.unwrap(), is_holder);
        if is_holder {
            call.is_accepted = accepted;
            (call.held, call.is_direct) = (None, false);
        }
    }

    /// At the end every result that was not accepted can be taken, once.
    async fn deliver_the_rest(&mut self) {
        self.now += LEASE + HOLD;
        let mut delivered: HashMap<String, u32> = HashMap::new();
        while let Some(name) = self.take(9).await {
            *delivered.entry(name).or_default() += 1;
        }
        for call in &self.calls {
            let expected = (!call.is_accepted).then_some(1);
            assert_eq!(delivered.get(&call.name).copied(), expected, "{}", call.name);
        }
    }
}

fn play(ops: &[DeliveryOp], store: &AnyStore, name: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let id = session(store, name).await;
        let mut model = DeliveryModel { store, id, now: T, calls: Vec::new() };
        for op in ops {
            model.step(op).await;
        }
        model.deliver_the_rest().await;
    });
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(4000))]
    #[test]
    fn whatever_happens_in_memory(ops in prop::collection::vec(op(), 1..40)) {
        play(&ops, &AnyStore::default(), "owed-model");
    }
}

proptest! {
    #![proptest_config(cases(30))]
    #[test]
    fn whatever_happens_in_a_file(ops in prop::collection::vec(op(), 1..25)) {
        play(&ops, &new_file(), "owed-model");
    }

    #[test]
    fn whatever_happens_on_redis(ops in prop::collection::vec(op(), 1..25), n in any::<u128>()) {
        if let Some(store) = new_redis() {
            play(&ops, &store, &format!("owed-model-{n:x}"));
        }
    }

    #[test]
    fn whatever_happens_on_postgres(ops in prop::collection::vec(op(), 1..25), n in any::<u128>()) {
        if let Some(store) = new_postgres() {
            play(&ops, &store, &format!("owed-model-{n:x}"));
        }
    }
}
