//! The deadline of a call: it stands still while a user is asked about a call of its handler.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

/// How often a deadline can stand still: a handler that asks again and again ends all the same.
const MAX_PAUSES: u32 = 20;

/// The deadline of a call.
#[derive(Debug)]
pub struct Deadline {
    clock: Mutex<DeadlineClock>,
    /// Notified when it runs again.
    resumed: Notify,
    /// The deadline of the call whose handler makes this one: it stands still as well.
    above: Option<Arc<Self>>,
}

#[derive(Debug)]
struct DeadlineClock {
    state: ClockState,
    pauses_left: u32,
}

#[derive(Debug, Clone, Copy)]
enum ClockState {
    Runs { until: Instant },
    Stands { left: Duration, pauses: u32 },
}

impl Deadline {
    /// A deadline that runs.
    #[must_use]
    pub fn new(until: Instant, above: Option<Arc<Self>>) -> Self {
        let clock = DeadlineClock { state: ClockState::Runs { until }, pauses_left: MAX_PAUSES };
        Self { clock: Mutex::new(clock), resumed: Notify::new(), above }
    }

    /// The time that is left.
    #[must_use]
    pub fn left(&self) -> Duration {
        match self.clock.lock().state {
            ClockState::Runs { until } => until.saturating_duration_since(Instant::now()),
            ClockState::Stands { left, .. } => left,
        }
    }

    /// Waits until it has passed.
    pub async fn passed(&self) {
        loop {
            // Created before the look, so that no end of a pause is missed.
            let resumed = self.resumed.notified();
            let state = self.clock.lock().state;
            match state {
                ClockState::Runs { until } if until <= Instant::now() => return,
                // It may stand still by then, or have moved.
                ClockState::Runs { until } => tokio::time::sleep_until(until).await,
                ClockState::Stands { .. } => resumed.await,
            }
        }
    }

    /// Waits until a deadline has passed; without one, for ever.
    pub async fn passed_if_any(deadline: Option<&Self>) {
        match deadline {
            Some(deadline) => deadline.passed().await,
            None => std::future::pending().await,
        }
    }

    /// Stops it, and those above it, until the guard is dropped. One that has stood still too often runs on.
    #[must_use]
    pub fn pause(self: &Arc<Self>) -> DeadlinePause {
        let chain = std::iter::successors(Some(Arc::clone(self)), |deadline| deadline.above.clone());
        DeadlinePause(chain.filter(|deadline| deadline.stop()).collect())
    }

    /// False if it runs on.
    fn stop(&self) -> bool {
        let mut clock = self.clock.lock();
        clock.state = match clock.state {
            ClockState::Runs { .. } if clock.pauses_left == 0 => return false,
            ClockState::Runs { until } => {
                clock.pauses_left -= 1;
                ClockState::Stands { left: until.saturating_duration_since(Instant::now()), pauses: 1 }
            }
            ClockState::Stands { left, pauses } => ClockState::Stands { left, pauses: pauses + 1 },
        };
        true
    }

    fn resume(&self) {
        let mut clock = self.clock.lock();
        clock.state = match clock.state {
            ClockState::Stands { left, pauses: 1 } => ClockState::Runs { until: Instant::now() + left },
            ClockState::Stands { left, pauses } => ClockState::Stands { left, pauses: pauses - 1 },
            running @ ClockState::Runs { .. } => running,
        };
        drop(clock);
        self.resumed.notify_waiters();
    }
}

/// A pause of a deadline; ends when it is dropped.
#[derive(Debug)]
pub struct DeadlinePause(Vec<Arc<Deadline>>);

impl Drop for DeadlinePause {
    fn drop(&mut self) {
        for deadline in &self.0 {
            deadline.resume();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[tokio::test(start_paused = true)]
    async fn a_deadline_stands_still_with_those_above_it() {
        let start = Instant::now();
        let top = Arc::new(Deadline::new(start + ms(100), None));
        let below = Arc::new(Deadline::new(start + ms(60), Some(Arc::clone(&top))));
        let beside = Deadline::new(start + ms(80), Some(Arc::clone(&top)));
        tokio::time::advance(ms(50)).await;
        let (one, other) = (below.pause(), below.pause());
        tokio::time::advance(ms(1000)).await;
        assert_eq!((below.left(), top.left(), beside.left()), (ms(10), ms(50), ms(0)), "a call beside it runs on");
        drop(one);
        tokio::time::advance(ms(1000)).await;
        assert_eq!((below.left(), top.left()), (ms(10), ms(50)), "two were asked about");
        drop(other);
        let resumed = Instant::now();
        below.passed().await;
        assert_eq!(resumed.elapsed(), ms(10));
        top.passed().await;
        assert_eq!(resumed.elapsed(), ms(50));
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_that_begins_and_ends_while_it_is_awaited_moves_it() {
        let deadline = Arc::new(Deadline::new(Instant::now() + ms(100), None));
        let (start, awaited) = (Instant::now(), Arc::clone(&deadline));
        let passed = tokio::spawn(async move { awaited.passed().await });
        tokio::time::sleep(ms(90)).await;
        let pause = deadline.pause();
        tokio::time::sleep(ms(500)).await;
        assert!(!passed.is_finished());
        drop(pause);
        passed.await.unwrap();
        assert_eq!(start.elapsed(), ms(600));
    }

    #[tokio::test(start_paused = true)]
    async fn a_deadline_that_has_stood_still_too_often_passes() {
        let above = Arc::new(Deadline::new(Instant::now() + ms(1000), None));
        for _ in 0..MAX_PAUSES {
            drop(above.pause());
        }
        let below = Arc::new(Deadline::new(Instant::now() + ms(500), Some(Arc::clone(&above))));
        let _pause = below.pause();
        tokio::time::advance(ms(2000)).await;
        assert_eq!((below.left(), above.left()), (ms(500), ms(0)));
        above.passed().await;
    }
}
