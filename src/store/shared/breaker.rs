//! A circuit breaker: calls do not wait for a store that has failed repeatedly.
//!
//! Closed, it permits all operations. After [`FAILURE_THRESHOLD`] consecutive failures, or one that took
//! [`SLOW_FAILURE`], it is open: for [`OPEN_DURATION`] operations fail at once. Then it is half-open: one operation is
//! permitted, the probe. Its success closes the breaker, its failure opens it again. Operations that must not be refused
//! are always permitted, and their success closes the breaker as well. Settling and renewing a claim are such operations,
//! so that the breaker loses no result that could be recorded.

use crate::store::error::StoreError;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// The number of consecutive failures that opens it. One or two failures are often transient; each costs its caller the
/// store's full timeout, so the number is small.
pub(super) const FAILURE_THRESHOLD: u32 = 3;
/// The time after which one failure opens it. The store was tried again and again for so long, and a caller that only
/// reads need not wait for that twice.
pub(super) const SLOW_FAILURE: Duration = Duration::from_secs(1);
/// How long it stays open. Short enough not to be noticed in a conversation, and a recovered store is used again within
/// this time; a failing store gets at most one operation per window.
pub(super) const OPEN_DURATION: Duration = Duration::from_secs(1);

#[derive(Debug)]
enum BreakerState {
    Closed {
        failures: u32,
    },
    /// With the last failure.
    Open {
        until: Instant,
        last: StoreError,
    },
    HalfOpen {
        last: StoreError,
    },
}

#[derive(Debug)]
pub(super) struct CircuitBreaker(Mutex<BreakerState>);

impl Default for CircuitBreaker {
    fn default() -> Self {
        Self(Mutex::new(BreakerState::Closed { failures: 0 }))
    }
}

/// Why an operation is permitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PermitReason {
    Closed,
    Probe,
    Always,
}

/// The permission for one operation. Dropped without a result, it counts neither as success nor as failure.
#[derive(Debug)]
pub(super) struct Permit<'a> {
    breaker: &'a CircuitBreaker,
    reason: PermitReason,
    since: Instant,
}

impl CircuitBreaker {
    /// Permits an operation, or returns the store's last failure.
    pub(super) fn acquire(&self) -> Result<Permit<'_>, StoreError> {
        let mut state = self.0.lock();
        let why = match &*state {
            BreakerState::Closed { .. } => PermitReason::Closed,
            BreakerState::Open { until, last } if Instant::now() >= *until => {
                *state = BreakerState::HalfOpen { last: last.clone() };
                PermitReason::Probe
            }
            BreakerState::Open { last, .. } | BreakerState::HalfOpen { last } => return Err(last.clone()),
        };
        Ok(Permit { breaker: self, reason: why, since: Instant::now() })
    }

    /// Permits an operation in any state of the breaker.
    pub(super) fn acquire_always(&self) -> Permit<'_> {
        Permit { breaker: self, reason: PermitReason::Always, since: Instant::now() }
    }
}

impl Permit<'_> {
    /// Whether the operation is the probe, which must not be retried.
    pub(super) fn is_probe(&self) -> bool {
        self.reason == PermitReason::Probe
    }

    /// Records a success.
    pub(super) fn succeeded(self) {
        *self.breaker.0.lock() = BreakerState::Closed { failures: 0 };
    }

    /// Records a failure.
    pub(super) fn failed(self, error: &StoreError) {
        let mut state = self.breaker.0.lock();
        let failures = match &*state {
            BreakerState::Closed { .. } if self.since.elapsed() >= SLOW_FAILURE => FAILURE_THRESHOLD,
            BreakerState::Closed { failures } => failures + 1,
            BreakerState::HalfOpen { .. } if self.is_probe() => FAILURE_THRESHOLD,
            // The operation was in progress when the breaker opened.
            BreakerState::Open { .. } | BreakerState::HalfOpen { .. } => return,
        };
        *state = if failures < FAILURE_THRESHOLD {
            BreakerState::Closed { failures }
        } else {
            BreakerState::Open { until: Instant::now() + OPEN_DURATION, last: error.clone() }
        };
    }
}

impl Drop for Permit<'_> {
    /// Permits the next probe if this probe was dropped without a result.
    fn drop(&mut self) {
        let mut state = self.breaker.0.lock();
        if let (true, BreakerState::HalfOpen { last }) = (self.is_probe(), &*state) {
            *state = BreakerState::Open { until: Instant::now(), last: last.clone() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gone() -> StoreError {
        StoreError::Failed("it is gone".to_owned())
    }

    fn fail(breaker: &CircuitBreaker, times: u32) {
        for _ in 0..times {
            breaker.acquire().unwrap().failed(&gone());
        }
    }

    fn opened() -> CircuitBreaker {
        let breaker = CircuitBreaker::default();
        fail(&breaker, FAILURE_THRESHOLD);
        breaker
    }

    #[tokio::test(start_paused = true)]
    async fn opens_after_failures_one_after_another() {
        let breaker = CircuitBreaker::default();
        fail(&breaker, FAILURE_THRESHOLD - 1);
        breaker.acquire().unwrap().succeeded();
        fail(&breaker, FAILURE_THRESHOLD - 1);
        assert!(!breaker.acquire().unwrap().is_probe(), "a success in between begins the count anew");
        fail(&breaker, 1);
        assert!(breaker.acquire().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn opens_after_one_failure_that_was_long_in_coming() {
        let breaker = CircuitBreaker::default();
        for waited in [SLOW_FAILURE / 2, SLOW_FAILURE] {
            let permit = breaker.acquire().unwrap();
            tokio::time::advance(waited).await;
            permit.failed(&gone());
            assert_eq!(breaker.acquire().is_err(), waited == SLOW_FAILURE, "{waited:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn lets_one_probe_through_after_its_window() {
        let breaker = opened();
        tokio::time::advance(OPEN_DURATION / 2).await;
        assert_eq!(breaker.acquire().unwrap_err(), gone(), "it is still open");
        tokio::time::advance(OPEN_DURATION / 2).await;
        let probe = breaker.acquire().unwrap();
        assert!(probe.is_probe());
        tokio::time::advance(OPEN_DURATION * 10).await;
        assert!(breaker.acquire().is_err(), "however long the probe takes, it is the only one");
        probe.succeeded();
        assert!(!breaker.acquire().unwrap().is_probe(), "it is closed");
        fail(&breaker, FAILURE_THRESHOLD - 1);
        assert!(breaker.acquire().is_ok(), "the failures before count no more");
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_that_fails_opens_it_anew() {
        let breaker = opened();
        tokio::time::advance(OPEN_DURATION).await;
        breaker.acquire().unwrap().failed(&gone());
        assert!(breaker.acquire().is_err());
        tokio::time::advance(OPEN_DURATION).await;
        assert!(breaker.acquire().unwrap().is_probe());
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_that_nobody_waits_for_makes_room() {
        let breaker = opened();
        tokio::time::advance(OPEN_DURATION).await;
        drop(breaker.acquire().unwrap());
        assert!(breaker.acquire().unwrap().is_probe());
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_on_its_way_neither_opens_longer_nor_ends_the_probe() {
        let breaker = CircuitBreaker::default();
        let late: Vec<_> = (0..4).map(|_| breaker.acquire().unwrap()).collect();
        fail(&breaker, FAILURE_THRESHOLD);
        tokio::time::advance(OPEN_DURATION / 2).await;
        let mut late = late.into_iter();
        late.next().unwrap().failed(&gone());
        tokio::time::advance(OPEN_DURATION / 2).await;
        let probe = breaker.acquire().unwrap();
        late.next().unwrap().failed(&gone());
        drop(late.next());
        assert!(breaker.acquire().is_err(), "the probe is under way");
        late.next().unwrap().succeeded();
        assert!(breaker.acquire().is_ok(), "a success is a success");
        drop(probe);
        assert!(!breaker.acquire().unwrap().is_probe(), "and a probe that is late changes nothing");
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_failure_during_the_probe_does_not_open_it_anew() {
        let breaker = CircuitBreaker::default();
        let late = breaker.acquire().unwrap();
        fail(&breaker, FAILURE_THRESHOLD);
        tokio::time::advance(OPEN_DURATION).await;
        let probe = breaker.acquire().unwrap();
        late.failed(&gone());
        drop(probe);
        assert!(breaker.acquire().unwrap().is_probe());
    }

    #[tokio::test(start_paused = true)]
    async fn what_goes_through_always_closes_it_and_counts_where_it_is_closed() {
        let breaker = opened();
        breaker.acquire_always().failed(&gone());
        breaker.acquire_always().succeeded();
        assert!(breaker.acquire().is_ok());
        for _ in 0..FAILURE_THRESHOLD {
            breaker.acquire_always().failed(&gone());
        }
        assert!(breaker.acquire().is_err());
    }
}
