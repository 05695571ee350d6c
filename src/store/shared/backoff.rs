//! The pauses between the tries of one operation.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::backend::BackendFailure;

/// The pause after the first try.
const FIRST_PAUSE_MS: u64 = 10;
const MAX_PAUSE_MS: u64 = 250;

/// Exponential back-off with jitter.
pub(super) struct Backoff(u64);

impl Default for Backoff {
    fn default() -> Self {
        Self(FIRST_PAUSE_MS)
    }
}

impl Backoff {
    pub(super) async fn wait(&mut self) {
        let random = getrandom::u32().unwrap_or(u32::MAX);
        let part = u64::from(random) * self.0 / u64::from(u32::MAX);
        sleep(Duration::from_millis(part.max(1))).await;
        self.0 = (self.0 * 2).min(MAX_PAUSE_MS);
    }
}

/// Tries again after transient failures. No try starts after `until`.
pub(super) async fn try_until<T>(
    until: Instant,
    mut attempt: impl AsyncFnMut() -> Result<T, BackendFailure>,
) -> Result<T, BackendFailure> {
    let mut pause = Backoff::default();
    loop {
        match attempt().await {
            Err(BackendFailure::Transient(_)) if Instant::now() < until => pause.wait().await,
            ended => return ended,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoreError;

    #[tokio::test(start_paused = true)]
    async fn pauses_double_up_to_a_limit_and_vary_below_it() {
        let mut pause = Backoff::default();
        let mut limits = Vec::new();
        for _ in 0..7 {
            limits.push(pause.0);
            pause.wait().await;
        }
        assert_eq!(limits, [10, 20, 40, 80, 160, 250, 250]);
        let (begun, mut longest) = (Instant::now(), Duration::ZERO);
        for _ in 0..100 {
            let before = Instant::now();
            pause.wait().await;
            longest = longest.max(before.elapsed());
        }
        // The time of the test's clock, not of the machine's: 100 random parts of 250 ms are 12 s on average.
        assert!(longest <= Duration::from_millis(MAX_PAUSE_MS + 1), "{longest:?}");
        assert!(begun.elapsed() > Duration::from_secs(5), "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn transient_failures_are_tried_again_until_the_time_is_over() {
        let failed = || BackendFailure::Transient(StoreError::Failed("try again".to_owned()));
        let until = Instant::now() + Duration::from_secs(5);
        let mut tries = 0;
        let found = try_until(until, async || {
            tries += 1;
            if tries < 4 { Err(failed()) } else { Ok(tries) }
        });
        assert!(matches!(found.await, Ok(4)));
        let (mut tries, mut last) = (0, Instant::now());
        let ended = try_until::<()>(until, async || {
            (tries, last) = (tries + 1, Instant::now());
            Err(failed())
        });
        assert!(matches!(ended.await, Err(BackendFailure::Transient(_))));
        assert!(tries > 20 && last >= until, "{tries} tries, the last one after the time");
        // A try that ends when the time is over is the last one.
        let (until, mut tries) = (Instant::now() + Duration::from_secs(1), 0);
        let ended = try_until::<()>(until, async || {
            tries += 1;
            tokio::time::sleep_until(until).await;
            Err(failed())
        });
        assert!(matches!(ended.await, Err(BackendFailure::Transient(_))) && tries == 1, "{tries} tries");
    }

    #[tokio::test(start_paused = true)]
    async fn other_failures_are_not_tried_again() {
        let until = Instant::now() + Duration::from_secs(5);
        for failure in [BackendFailure::Conflict, BackendFailure::Permanent(StoreError::Full)] {
            let mut failure = Some(failure);
            // A second try finds none.
            let ended = try_until::<bool>(until, async || failure.take().map_or(Ok(true), Err)).await;
            assert!(matches!(ended, Err(BackendFailure::Conflict | BackendFailure::Permanent(_))));
        }
    }
}
