//! A simulated store that several gates share: each operation is delayed before it is applied and before it answers,
//! may fail, may be applied without an answer, and a settlement may arrive twice.

use std::collections::HashMap;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::sleep;
use toolgate::call::SessionId;
use toolgate::clock::EpochMs;
use toolgate::definition::EffectClass;
use toolgate::session::key::RecordKey;
use toolgate::store::memory::MemoryStore;
use toolgate::store::{
    Answer, CallLookup, Claim, ClaimResult, Idle, Operation, RecordState, Renewal, Settlement, Store, StoreError,
    StoreFuture, StoreRequests, Swept,
};

use super::chooser::Chooser;

/// How long a claim is held.
pub const LEASE: Duration = Duration::from_millis(200);

/// A defect planted in the store, to show that the checks find it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defect {
    /// A claim does not see that the call is claimed.
    ClaimsTwice,
    /// A settlement is acknowledged and not applied.
    LosesSettlements,
    /// A claim does not check the budget.
    IgnoresBudgets,
    /// A claim's answer never comes.
    NeverAnswersClaims,
}

/// What the store acknowledged as recorded.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub session: SessionId,
    pub key: RecordKey,
    pub effect: EffectClass,
    pub state: RecordState,
}

/// What all processes share.
pub struct SimPlace {
    pub inner: MemoryStore,
    pub recorded: Mutex<Vec<Recorded>>,
    seed: u64,
    fails: bool,
    defect: Option<Defect>,
    /// Both ways of admission are explored.
    claims_first: bool,
    counts: Mutex<HashMap<(&'static str, String), u64>>,
}

impl SimPlace {
    pub fn new(seed: u64, fails: bool, defect: Option<Defect>) -> Arc<Self> {
        let (inner, recorded, counts) = (MemoryStore::default(), Mutex::default(), Mutex::default());
        let claims_first = seed.is_multiple_of(2);
        Arc::new(Self { inner, recorded, seed, fails, defect, claims_first, counts })
    }

    /// What becomes of the next operation of this kind on this key.
    fn fate(&self, kind: &'static str, key: &str) -> Fate {
        let mut counts = self.counts.lock();
        let count = counts.entry((kind, key.to_owned())).or_default();
        *count += 1;
        let mut chooser = Chooser::named(self.seed, (kind, key, *count));
        let delay = |chooser: &mut Chooser| if chooser.once_in(12) { chooser.below(150) } else { chooser.below(12) };
        let (before, after) = (delay(&mut chooser), delay(&mut chooser));
        let fails = self.fails && kind != "attach";
        Fate {
            before: Duration::from_millis(before),
            after: Duration::from_millis(after),
            fails: fails && chooser.once_in(12),
            is_unanswered: fails && chooser.once_in(12),
            again: chooser.once_in(6).then(|| Duration::from_millis(chooser.below(400))),
        }
    }
}

struct Fate {
    before: Duration,
    after: Duration,
    /// It fails before it is applied.
    fails: bool,
    /// It is applied, and its caller gets an error.
    is_unanswered: bool,
    /// It arrives once more.
    again: Option<Duration>,
}

/// One process' way to the store.
pub struct SimStore(pub Arc<SimPlace>);

fn failed() -> StoreError {
    StoreError::Failed("simulated".to_owned())
}

impl SimStore {
    fn run(&self, kind: &'static str, key: &str, operation: Operation) -> StoreFuture<'_, Answer> {
        self.run_with(kind, key, |inner| inner.perform(operation))
    }

    fn run_with<'a, T: Send + 'a>(
        &'a self,
        kind: &'static str,
        key: &str,
        operation: impl FnOnce(&'a MemoryStore) -> StoreFuture<'a, T> + Send + 'a,
    ) -> StoreFuture<'a, T> {
        let fate = self.0.fate(kind, key);
        Box::pin(async move {
            sleep(fate.before).await;
            if fate.fails {
                return Err(failed());
            }
            let done = operation(&self.0.inner).await;
            sleep(fate.after).await;
            if fate.is_unanswered { Err(failed()) } else { done }
        })
    }

    fn claim(&self, claim: Claim) -> StoreFuture<'_, Answer> {
        let (session, key) = (claim.session.clone(), claim.key.clone());
        let fate = self.0.fate("claim", &format!("{key:?}"));
        Box::pin(async move {
            sleep(fate.before).await;
            if fate.fails {
                return Err(failed());
            }
            let done = self.apply_claim(claim).await;
            sleep(fate.after).await;
            if fate.is_unanswered {
                // Without a release the claim is held until its lease ends.
                if let Some(after) = fate.again {
                    self.release(session, key, &done, after);
                }
                return Err(failed());
            }
            done.map(Answer::Claim)
        })
    }

    fn settle(&self, settlement: Settlement) -> StoreFuture<'_, Answer> {
        let fate = self.0.fate("settle", &format!("{:?}", settlement.key));
        // On its way to the store it outlives its process.
        let place = Arc::clone(&self.0);
        let applied = tokio::spawn(async move {
            sleep(fate.before).await;
            if fate.fails {
                return Err(failed());
            }
            let done = apply_settlement(&place, settlement.clone()).await;
            if let Some(after) = fate.again {
                tokio::spawn(async move {
                    sleep(after).await;
                    apply_settlement(&place, settlement).await.expect("the session exists");
                });
            }
            done
        });
        Box::pin(async move {
            let done = applied.await.expect("a settlement does not panic");
            sleep(fate.after).await;
            if fate.is_unanswered { Err(failed()) } else { done.map(Answer::Settle) }
        })
    }

    async fn apply_claim(&self, mut claim: Claim) -> Result<ClaimResult, StoreError> {
        if self.0.defect == Some(Defect::IgnoresBudgets) {
            claim.budget = None;
        }
        match self.0.inner.claim(claim).await? {
            ClaimResult::Existing(record) if self.0.defect == Some(Defect::ClaimsTwice) => {
                Ok(ClaimResult::Granted { epoch: record.epoch, is_held: false, state: None, used: None })
            }
            ClaimResult::Granted { .. } if self.0.defect == Some(Defect::NeverAnswersClaims) => pending().await,
            done => Ok(done),
        }
    }

    /// Gives back the claim of a caller that got no answer, as shared stores do: nothing has run.
    fn release(&self, session: SessionId, key: RecordKey, claimed: &Result<ClaimResult, StoreError>, after: Duration) {
        let Ok(ClaimResult::Granted { epoch, .. }) = *claimed else { return };
        let place = Arc::clone(&self.0);
        tokio::spawn(async move {
            sleep(after).await;
            let settlement = Settlement {
                session,
                key,
                epoch,
                state: None,
                is_heard: false,
                owed: None,
                changes: Vec::new(),
                now: 0,
            };
            place.inner.settle(settlement).await.expect("the session exists");
        });
    }
}

async fn apply_settlement(place: &SimPlace, settlement: Settlement) -> Result<bool, StoreError> {
    let (session, key, state) = (settlement.session.clone(), settlement.key.clone(), settlement.state.clone());
    let applied = match place.defect {
        Some(Defect::LosesSettlements) => true,
        _ => place.inner.settle(settlement).await?,
    };
    if let (true, Some(state)) = (applied, state) {
        let look = CallLookup {
            session: session.clone(),
            key: key.clone(),
            turn: 1,
            limits: Vec::new(),
            known_revision: 0,
            act: None,
            content: None,
            now: 0,
        };
        let effect = place.inner.look_up(look).await?.record.map_or(EffectClass::Write, |record| record.effect);
        place.recorded.lock().push(Recorded { session, key, effect, state });
    }
    Ok(applied)
}

impl Store for SimStore {
    fn lease(&self) -> Option<Duration> {
        Some(LEASE)
    }

    fn claims_first(&self) -> bool {
        self.0.claims_first
    }

    fn perform(&self, operation: Operation) -> StoreFuture<'_, Answer> {
        let key = match &operation {
            Operation::LookUp(CallLookup { key, .. }) | Operation::Renew(Renewal { key, .. }) => format!("{key:?}"),
            _ => String::new(),
        };
        match operation {
            Operation::Claim(claim) => self.claim(claim),
            Operation::Settle(settlement) => self.settle(settlement),
            Operation::Attach(_) => self.run("attach", &key, operation),
            Operation::BeginTurn(_) => self.run("begin_turn", &key, operation),
            Operation::LookUp(_) => self.run("look_up", &key, operation),
            Operation::Renew(_) => self.run("renew", &key, operation),
            _ => self.run("other", &key, operation),
        }
    }

    fn sweep<'a>(&'a self, idle: Idle, in_use: &'a [SessionId]) -> StoreFuture<'a, Swept> {
        self.run_with("sweep", "", move |store| store.sweep(idle, in_use))
    }

    fn oldest_owed_ms(&self, now: EpochMs) -> StoreFuture<'_, Option<u64>> {
        self.run_with("oldest_owed", "", move |store| store.oldest_owed_ms(now))
    }
}
