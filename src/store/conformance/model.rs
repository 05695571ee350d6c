//! Random interleavings of claims, settlements, renewals, questions and the passing of time, against a model of the
//! contract only: which calls may run, the records, the usage of a turn, the pending questions.

#![allow(clippy::single_match_else, reason = "both arms are equally important")]

use std::collections::HashMap;

use proptest::prelude::*;

use super::super::{AskResult, ExpiryReport, TokenState, question_id};
use super::*;
use crate::store::StoreRequests;

const LEASE: u64 = 1000;
const QUESTION_MS: u64 = 2500;
const TOTAL: u32 = 4;
const RETRIEVALS: u32 = 2;
/// The session's first turn with questions. Claims are of turns 1 and 2, as those of attachments that are behind.
const FIRST_ASKED_IN: u32 = 9;
/// A confirmed question is not asked again in the session's turn of its confirmation, and the next.
const TURNS_TO_ASK_AGAIN: u32 = 2;

#[derive(Debug, Clone)]
enum Op {
    Claim { key: u8, turn: u32, effect: EffectClass, retrieval: bool, yes: Option<u8> },
    Settle { claim: usize, end: End },
    Renew(usize),
    Ask(u8),
    Withdraw(u8),
    Report(u8),
    Pass(u64),
}

#[derive(Debug, Clone, Copy)]
enum End {
    Answered,
    Unknown,
    Nothing,
}

fn op() -> impl Strategy<Value = Op> {
    let effect = prop_oneof![
        Just(EffectClass::Pure),
        Just(EffectClass::Read),
        Just(EffectClass::IdempotentWrite),
        Just(EffectClass::Write)
    ];
    let end = prop_oneof![3 => Just(End::Answered), 1 => Just(End::Unknown), 1 => Just(End::Nothing)];
    let yes = prop_oneof![3 => Just(None), 1 => (0..3_u8).prop_map(Some)];
    prop_oneof![
        8 => (0..4_u8, 1..3_u32, effect, any::<bool>(), yes)
            .prop_map(|(key, turn, effect, retrieval, yes)| Op::Claim { key, turn, effect, retrieval, yes }),
        5 => (0..12_usize, end).prop_map(|(claim, end)| Op::Settle { claim, end }),
        2 => (0..12_usize).prop_map(Op::Renew),
        2 => (0..3_u8).prop_map(Op::Ask),
        1 => (0..3_u8).prop_map(Op::Withdraw),
        1 => (0..3_u8).prop_map(Op::Report),
        3 => prop_oneof![Just(1), Just(LEASE / 2), Just(LEASE)].prop_map(Op::Pass),
    ]
}

/// The expected state of one record.
struct Expected {
    claim: usize,
    effect: EffectClass,
    held_until: EpochMs,
    state: RecordState,
}

impl Expected {
    fn stands(&self, now: EpochMs) -> Option<RecordState> {
        match (&self.state, self.effect) {
            (RecordState::Settled(_), _) => Some(self.state.clone()),
            _ if now < self.held_until => Some(self.state.clone()),
            (_, EffectClass::Write) => Some(RecordState::Unknown),
            _ => None,
        }
    }
}

/// A question and its expiry; `None` once it was confirmed.
struct Waits {
    token: String,
    until: Option<EpochMs>,
    /// Whether its expiry was reported.
    is_reported: bool,
}

struct Model<'a> {
    store: &'a AnyStore,
    id: SessionId,
    now: EpochMs,
    records: HashMap<u8, Expected>,
    /// Every granted claim: its key and epoch.
    claims: Vec<(u8, u64)>,
    used: HashMap<u32, (u32, u32)>,
    questions: HashMap<u8, Waits>,
    /// How often a question was denied.
    denied: HashMap<u8, u32>,
    asked: usize,
    /// The session's turn.
    turn: u32,
}

impl Model<'_> {
    async fn step(&mut self, op: &Op) {
        match *op {
            Op::Claim { key, turn, effect, retrieval, yes } => self.claim(key, turn, effect, retrieval, yes).await,
            Op::Settle { claim, end } => self.settle(claim, end).await,
            Op::Renew(claim) => self.renew(claim).await,
            Op::Ask(name) => self.ask(name).await,
            Op::Withdraw(name) => self.withdraw(name).await,
            Op::Report(name) => self.report(name).await,
            Op::Pass(ms) => self.now += ms,
        }
        self.check().await;
    }

    fn waiting(&self, name: u8) -> bool {
        self.questions.get(&name).and_then(|waits| waits.until).is_some_and(|until| self.now < until)
    }

    fn token(&self, name: u8) -> String {
        self.questions.get(&name).map_or_else(|| "never-asked".to_owned(), |waits| waits.token.clone())
    }

    /// Denials are of a turn.
    async fn begin_turns(&mut self, turns: u32) {
        for _ in 0..turns {
            self.store.begin_turn(&self.id, None, TurnStarter::Host, 0, self.now).await.unwrap();
        }
        self.turn += turns;
        self.denied.clear();
    }

    async fn claim(&mut self, k: u8, turn: u32, effect: EffectClass, retrieval: bool, yes: Option<u8>) {
        let budget = Budget { retrieval_calls: RETRIEVALS, total_calls: TOTAL };
        let claim = Claim {
            key: key(&k.to_string()),
            turn,
            effect,
            is_retrieval: retrieval,
            budget: yes.is_none().then_some(budget),
            consume_token: yes.map(|name| self.token(name).as_str().into()),
            lease_ms: Some(LEASE),
            now: self.now,
            ..claim_of(&self.id, &k.to_string())
        };
        let claimed = self.store.claim(claim).await.unwrap();
        let stands = self.records.get(&k).and_then(|record| record.stands(self.now));
        let (retrievals, total) = self.used.get(&turn).copied().unwrap_or_default();
        let over = total >= TOTAL || (retrieval && retrievals >= RETRIEVALS);
        match (claimed, stands) {
            (ClaimResult::Existing(record), Some(state)) => assert_eq!(record.state, state),
            (ClaimResult::OverBudget(_), None) => assert!(yes.is_none() && over, "within the budget"),
            (ClaimResult::ConfirmationNotPending, None) => {
                assert!(yes.is_some_and(|name| !self.waiting(name)), "it waits");
            }
            (ClaimResult::Granted { epoch, .. }, None) => {
                match yes {
                    Some(name) => {
                        assert!(self.waiting(name), "no question was confirmed");
                        self.questions.get_mut(&name).unwrap().until = None;
                        self.begin_turns(TURNS_TO_ASK_AGAIN).await;
                    }
                    None => {
                        assert!(!over, "the budget is used up");
                        let used = self.used.entry(turn).or_default();
                        *used = (used.0 + u32::from(retrieval), used.1 + 1);
                    }
                }
                // What is still asked of this call can't be answered any more.
                if self.waiting(k) {
                    self.questions.get_mut(&k).unwrap().until = Some(self.now);
                }
                assert!(self.claims.iter().all(|(_, other)| *other != epoch), "an epoch is used once");
                let record = Expected {
                    claim: self.claims.len(),
                    effect,
                    held_until: self.now + LEASE,
                    state: RecordState::Started,
                };
                self.records.insert(k, record);
                self.claims.push((k, epoch));
            }
            (claimed, stands) => panic!("{claimed:?} where {stands:?} stands"),
        }
    }

    /// The claim's record, if it still belongs to the claim and is open.
    fn open(&mut self, claim: usize) -> Option<(&(u8, u64), &mut Expected)> {
        let named = self.claims.get(claim)?;
        let record = self.records.get_mut(&named.0)?;
        let is_open = record.claim == claim && !matches!(record.state, RecordState::Settled(_));
        is_open.then_some((named, record))
    }

    async fn settle(&mut self, claim: usize, end: End) {
        let Some((k, epoch)) = self.claims.get(claim).copied() else { return };
        let name = k.to_string();
        let state = match end {
            End::Answered => Some(answered(&format!("{name} of claim {claim}"))),
            End::Unknown => Some(RecordState::Unknown),
            End::Nothing => None,
        };
        let settled = Settlement { now: self.now, ..settlement(&self.id, &name, epoch, state.clone()) };
        let settled = self.store.settle(settled).await.unwrap();
        let open = self.open(claim).map(|(_, record)| record);
        assert_eq!(settled, open.is_some(), "a settlement of claim {claim}");
        match (open, state) {
            (Some(record), Some(state)) => record.state = state,
            (Some(_), None) => drop(self.records.remove(&k)),
            (None, _) => {}
        }
    }

    async fn renew(&mut self, claim: usize) {
        let Some((k, epoch)) = self.claims.get(claim).copied() else { return };
        let (session, now) = (self.id.clone(), self.now);
        let renewal = Renewal { session, key: key(&k.to_string()), epoch, lease_ms: LEASE, now };
        let renewed = self.store.renew(renewal).await.unwrap();
        let open = self.open(claim).map(|(_, record)| record);
        assert_eq!(renewed, open.is_some(), "a renewal of claim {claim}");
        if let Some(record) = open {
            record.held_until = now + LEASE;
        }
    }

    async fn ask(&mut self, name: u8) {
        self.asked += 1;
        let fresh = format!("token-{}", self.asked);
        let was = self.questions.get(&name).filter(|waits| waits.until.is_none_or(|until| self.now < until));
        let question =
            Question { turn: self.turn, expires: self.now + QUESTION_MS, ..question(&name.to_string(), &fresh) };
        let asked = self.store.ask(AskRequest::new(&self.id, question, self.now)).await.unwrap();
        let is_waiting = was.is_some_and(|waits| waits.until.is_some());
        let pending = match asked {
            AskResult::Pending(pending) => pending,
            AskResult::Denied { times } => {
                assert!(!is_waiting && times == 2 && self.denied.get(&name) == Some(&2), "it was denied twice");
                return;
            }
            AskResult::Confirmed(_) => panic!("a later turn is asked anew"),
            AskResult::Done(_) | AskResult::Granted | AskResult::New => panic!("it is asked, and nothing granted"),
        };
        assert!(is_waiting || self.denied.get(&name) != Some(&2), "it was denied twice");
        match was.filter(|waits| waits.until.is_some()) {
            Some(waits) => assert_eq!(*pending.token, *waits.token, "it waits already"),
            None => {
                assert_eq!(*pending.token, *fresh);
                self.questions
                    .insert(name, Waits { token: fresh, until: Some(self.now + QUESTION_MS), is_reported: false });
            }
        }
    }

    async fn withdraw(&mut self, name: u8) {
        let withdrawn =
            self.store.close_question(&self.id, &self.token(name), Closing::Denied, self.now).await.unwrap();
        assert_eq!(withdrawn.is_some(), self.waiting(name));
        if withdrawn.is_some() {
            self.questions.remove(&name);
            *self.denied.entry(name).or_default() += 1;
        }
    }

    async fn report(&mut self, name: u8) {
        let (id, is_waiting) = (question_id(&self.token(name)), self.waiting(name));
        let report = self.store.report_expiry(&self.id, &id, self.now).await.unwrap();
        let expired = self.questions.get_mut(&name).filter(|waits| waits.until.is_some() && !is_waiting);
        match (report, expired) {
            (ExpiryReport::First(_), Some(waits)) if !waits.is_reported => waits.is_reported = true,
            (ExpiryReport::Pending, None) => assert!(is_waiting),
            (ExpiryReport::Nothing, expired) => assert!(!is_waiting && expired.is_none_or(|waits| waits.is_reported)),
            (report, _) => panic!("{report:?}"),
        }
    }

    async fn check(&self) {
        for k in 0..4_u8 {
            let found = seen(self.store, &self.id, &key(&k.to_string()), 1, self.now).await;
            let expected = self.records.get(&k).and_then(|record| record.stands(self.now));
            assert_eq!(found.record.map(|record| record.state.clone()), expected, "the record of {k}");
        }
        for turn in 1..3 {
            let found = seen(self.store, &self.id, &key("none"), turn, self.now).await;
            let used = self.used.get(&turn).copied().unwrap_or_default();
            assert_eq!((found.retrieval_calls, found.total_calls), used, "turn {turn}");
        }
        for (name, waits) in &self.questions {
            let token = self.store.token_state(&self.id, &waits.token, self.now).await.unwrap();
            match waits.until {
                Some(_) if self.waiting(*name) => assert!(matches!(token, TokenState::Pending(_)), "{token:?}"),
                Some(_) => assert!(matches!(token, TokenState::Expired(_)), "{token:?}"),
                None => assert!(matches!(token, TokenState::Used { .. }), "{token:?}"),
            }
        }
    }
}

fn play(ops: &[Op], store: &AnyStore, name: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let id = session(store, name).await;
        let (records, used, questions, denied) = (HashMap::new(), HashMap::new(), HashMap::new(), HashMap::new());
        let mut model =
            Model { store, id, now: T, records, claims: Vec::new(), used, questions, denied, asked: 0, turn: 0 };
        model.begin_turns(FIRST_ASKED_IN).await;
        for op in ops {
            model.step(op).await;
        }
    });
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(4000))]
    #[test]
    fn whatever_happens_in_memory(ops in prop::collection::vec(op(), 1..40)) {
        play(&ops, &AnyStore::default(), "model");
    }
}

proptest! {
    #![proptest_config(cases(40))]
    #[test]
    fn whatever_happens_in_a_file(ops in prop::collection::vec(op(), 1..25)) {
        play(&ops, &new_file(), "model");
    }

    #[test]
    fn whatever_happens_on_redis(ops in prop::collection::vec(op(), 1..25), n in any::<u128>()) {
        if let Some(store) = new_redis() {
            play(&ops, &store, &format!("model-{n:x}"));
        }
    }

    #[test]
    fn whatever_happens_on_postgres(ops in prop::collection::vec(op(), 1..25), n in any::<u128>()) {
        if let Some(store) = new_postgres() {
            play(&ops, &store, &format!("model-{n:x}"));
        }
    }
}
