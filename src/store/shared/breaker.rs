//! A circuit breaker: a store that has failed again and again is not waited for by every call.
//!
//! Closed, operations go through. After [`FAILURES`] of them failed one after another it is open: for [`WINDOW`] nothing
//! goes through, and whoever asks is told at once. Then it is half-open: one operation goes through, the probe. Its success
//! closes the breaker, its failure opens it anew. What must not be refused goes through always, and its success closes the
//! breaker as well.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::store::StoreError;

/// Failures one after another that open it. One or two are a moment's trouble, which the next operation has behind it;
/// each costs its caller the store's patience, so that there should not be many.
pub(super) const FAILURES: u32 = 3;
/// How long it stays open. A call that waits for less is not felt in a conversation, and a store that is back is used
/// again within this time; a store in trouble is asked no more than once in it.
pub(super) const WINDOW: Duration = Duration::from_secs(1);

#[derive(Debug)]
enum State {
    Closed {
        failures: u32,
    },
    /// With what failed last.
    Open {
        until: Instant,
        last: StoreError,
    },
    HalfOpen {
        last: StoreError,
    },
}

#[derive(Debug)]
pub(super) struct Breaker(Mutex<State>);

impl Default for Breaker {
    fn default() -> Self {
        Self(Mutex::new(State::Closed { failures: 0 }))
    }
}

/// Why an operation goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Closed,
    Probe,
    Always,
}

/// An operation that goes through. One that is dropped has told nothing.
#[derive(Debug)]
pub(super) struct Pass<'a> {
    breaker: &'a Breaker,
    why: Why,
}

impl Breaker {
    /// Goes through, or tells with what the store failed last.
    pub(super) fn pass(&self) -> Result<Pass<'_>, StoreError> {
        let mut state = self.0.lock();
        let why = match &*state {
            State::Closed { .. } => Why::Closed,
            State::Open { until, last } if Instant::now() >= *until => {
                *state = State::HalfOpen { last: last.clone() };
                Why::Probe
            }
            State::Open { last, .. } | State::HalfOpen { last } => return Err(last.clone()),
        };
        Ok(Pass { breaker: self, why })
    }

    /// For what is tried whatever the store did before.
    pub(super) fn pass_always(&self) -> Pass<'_> {
        Pass { breaker: self, why: Why::Always }
    }
}

impl Pass<'_> {
    /// Whether the store is asked to see if it works again: it is not to be tried for long.
    pub(super) fn is_probe(&self) -> bool {
        self.why == Why::Probe
    }

    /// The store has answered.
    pub(super) fn works(self) {
        *self.breaker.0.lock() = State::Closed { failures: 0 };
    }

    /// It has not, or could not do it.
    pub(super) fn fails(self, error: &StoreError) {
        let mut state = self.breaker.0.lock();
        let failures = match &*state {
            State::Closed { failures } => failures + 1,
            State::HalfOpen { .. } if self.is_probe() => FAILURES,
            // One that was on its way when the breaker opened.
            State::Open { .. } | State::HalfOpen { .. } => return,
        };
        *state = if failures < FAILURES {
            State::Closed { failures }
        } else {
            State::Open { until: Instant::now() + WINDOW, last: error.clone() }
        };
    }
}

impl Drop for Pass<'_> {
    /// A probe whose caller has gone makes room for the next one.
    fn drop(&mut self) {
        let mut state = self.breaker.0.lock();
        if let (true, State::HalfOpen { last }) = (self.is_probe(), &*state) {
            *state = State::Open { until: Instant::now(), last: last.clone() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gone() -> StoreError {
        StoreError::Failed("it is gone".to_owned())
    }

    fn fail(breaker: &Breaker, times: u32) {
        for _ in 0..times {
            breaker.pass().unwrap().fails(&gone());
        }
    }

    fn opened() -> Breaker {
        let breaker = Breaker::default();
        fail(&breaker, FAILURES);
        breaker
    }

    #[tokio::test(start_paused = true)]
    async fn opens_after_failures_one_after_another() {
        let breaker = Breaker::default();
        fail(&breaker, FAILURES - 1);
        breaker.pass().unwrap().works();
        fail(&breaker, FAILURES - 1);
        assert!(!breaker.pass().unwrap().is_probe(), "a success in between begins the count anew");
        fail(&breaker, 1);
        assert!(breaker.pass().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn lets_one_probe_through_after_its_window() {
        let breaker = opened();
        tokio::time::advance(WINDOW / 2).await;
        assert_eq!(breaker.pass().unwrap_err(), gone(), "it is still open");
        tokio::time::advance(WINDOW / 2).await;
        let probe = breaker.pass().unwrap();
        assert!(probe.is_probe());
        tokio::time::advance(WINDOW * 10).await;
        assert!(breaker.pass().is_err(), "however long the probe takes, it is the only one");
        probe.works();
        assert!(!breaker.pass().unwrap().is_probe(), "it is closed");
        fail(&breaker, FAILURES - 1);
        assert!(breaker.pass().is_ok(), "the failures before count no more");
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_that_fails_opens_it_anew() {
        let breaker = opened();
        tokio::time::advance(WINDOW).await;
        breaker.pass().unwrap().fails(&gone());
        assert!(breaker.pass().is_err());
        tokio::time::advance(WINDOW).await;
        assert!(breaker.pass().unwrap().is_probe());
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_that_nobody_waits_for_makes_room() {
        let breaker = opened();
        tokio::time::advance(WINDOW).await;
        drop(breaker.pass().unwrap());
        assert!(breaker.pass().unwrap().is_probe());
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_on_its_way_neither_opens_longer_nor_ends_the_probe() {
        let breaker = Breaker::default();
        let late: Vec<_> = (0..4).map(|_| breaker.pass().unwrap()).collect();
        fail(&breaker, FAILURES);
        tokio::time::advance(WINDOW / 2).await;
        let mut late = late.into_iter();
        late.next().unwrap().fails(&gone());
        tokio::time::advance(WINDOW / 2).await;
        let probe = breaker.pass().unwrap();
        late.next().unwrap().fails(&gone());
        drop(late.next());
        assert!(breaker.pass().is_err(), "the probe is under way");
        late.next().unwrap().works();
        assert!(breaker.pass().is_ok(), "a success is a success");
        drop(probe);
        assert!(!breaker.pass().unwrap().is_probe(), "and a probe that is late changes nothing");
    }

    #[tokio::test(start_paused = true)]
    async fn what_goes_through_always_closes_it_and_counts_where_it_is_closed() {
        let breaker = opened();
        breaker.pass_always().fails(&gone());
        breaker.pass_always().works();
        assert!(breaker.pass().is_ok());
        for _ in 0..FAILURES {
            breaker.pass_always().fails(&gone());
        }
        assert!(breaker.pass().is_err());
    }
}
