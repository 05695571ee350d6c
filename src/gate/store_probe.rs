//! Whether the store takes writes, and how long it has owed a result: asked seldom, however often anyone asks a server whether it is ready.

use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::store::{StoreError, StoreFuture};

/// How long the store may take to answer.
pub(super) const ANSWER_LIMIT: Duration = Duration::from_secs(1);
/// How long an answer is used. Anyone may ask a server whether it is ready; the store hears of it once in this time.
const ANSWER_LIFETIME: Duration = Duration::from_secs(2);
/// The failures in a row after which a store counts as unusable. One may be a restart of its server, or a failover.
const FAILURE_THRESHOLD: u32 = 2;

/// What is known of the store.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct StoreReport {
    /// Why it can't be used; `None` if it can.
    pub(super) error: Option<String>,
    /// How long its oldest owed result has been owed; `None` if it does not say.
    pub(super) oldest_age_ms: Option<u64>,
}

/// Asks the store whether it takes writes: one question at a time, and none while the last answer is recent.
#[derive(Debug, Default)]
pub(super) struct StoreProbe(Mutex<Option<StoreAnswer>>);

#[derive(Debug)]
struct StoreAnswer {
    at: Instant,
    /// The times in a row that the store failed.
    failures: u32,
    report: StoreReport,
}

impl StoreProbe {
    /// What is known of the store by now. A look is a write, and the answer how long a result has been owed.
    pub(super) async fn ask<'a>(&self, look: impl FnOnce() -> StoreFuture<'a, Option<u64>>) -> StoreReport {
        let mut last = self.0.lock().await;
        if let Some(answer) = last.as_ref().filter(|answer| answer.at.elapsed() < ANSWER_LIFETIME) {
            return answer.report.clone();
        }
        let failures = last.as_ref().map_or(0, |answer| answer.failures);
        let (failures, report) = match within_limit(look()).await {
            Ok(oldest_age_ms) => (0, StoreReport { error: None, oldest_age_ms }),
            Err(error) => {
                // Lost data does not come back.
                let failures = if matches!(error, StoreError::LostData(_)) { FAILURE_THRESHOLD } else { failures + 1 };
                let error = (failures >= FAILURE_THRESHOLD).then(|| error.to_string());
                (failures, StoreReport { error, oldest_age_ms: None })
            }
        };
        last.insert(StoreAnswer { at: Instant::now(), failures, report }).report.clone()
    }

    /// Forgets the last answer: the store is another one.
    pub(super) async fn forget(&self) {
        *self.0.lock().await = None;
    }
}

async fn within_limit<T>(mut look: StoreFuture<'_, T>) -> Result<T, StoreError> {
    // Without a timer: a store in memory is asked outside of an event loop.
    if let Some(answer) = (&mut look).now_or_never() {
        return answer;
    }
    timeout(ANSWER_LIMIT, look).await.unwrap_or_else(|_| {
        Err(StoreError::Unreachable(format!("it did not answer within {} ms", ANSWER_LIMIT.as_millis())))
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::store::ready_answer;

    const GONE: &str = "the session store failed: it is gone";

    /// What a probe reports, asked once in each lifetime of an answer.
    async fn reports<const N: usize>(answers: [Result<(), StoreError>; N]) -> [Option<String>; N] {
        let probe = StoreProbe::default();
        let mut reports = [const { None }; N];
        for (report, answer) in reports.iter_mut().zip(answers) {
            *report = probe.ask(|| ready_answer(answer.map(|()| None))).await.error;
            tokio::time::advance(ANSWER_LIFETIME).await;
        }
        reports
    }

    fn gone() -> Result<(), StoreError> {
        Err(StoreError::Unreachable("it is gone".to_owned()))
    }

    #[tokio::test(start_paused = true)]
    async fn a_failing_store_is_reported_from_the_second_failure_until_it_answers() {
        let refused = || Err(StoreError::Failed("it is gone".to_owned()));
        for failed in [gone, refused] {
            let found = reports([Ok(()), failed(), failed(), failed(), Ok(()), failed(), Ok(()), failed()]).await;
            assert_eq!(found.map(|error| error.as_deref() == Some(GONE)), [0, 0, 1, 1, 0, 0, 0, 0].map(|is| is == 1));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn lost_data_is_reported_at_once() {
        let lost = StoreError::LostData("it is empty".to_owned());
        let lasting = lost.to_string();
        let found = reports([Err(lost), gone(), Ok(())]).await;
        assert_eq!(found, [Some(lasting), Some(GONE.to_owned()), None]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_does_not_answer_is_waited_for_once_in_a_while() {
        let (probe, asked) = (StoreProbe::default(), Cell::new(0));
        let look = || -> StoreFuture<'_, Option<u64>> {
            asked.set(asked.get() + 1);
            Box::pin(std::future::pending())
        };
        let begun = Instant::now();
        let all = futures_util::future::join_all((0..100).map(|_| probe.ask(look))).await;
        assert_eq!((asked.get(), begun.elapsed()), (1, ANSWER_LIMIT), "one question serves all who ask");
        assert_eq!(all, vec![StoreReport::default(); 100]);
        tokio::time::advance(ANSWER_LIFETIME).await;
        let error = probe.ask(look).await.error;
        assert_eq!(error.as_deref(), Some("the session store failed: it did not answer within 1000 ms"));
        assert_eq!((probe.ask(look).await.error, asked.get()), (error, 2));
        probe.forget().await;
        assert_eq!((probe.ask(look).await.error, asked.get()), (None, 3));
    }

    #[tokio::test(start_paused = true)]
    async fn an_age_is_that_of_the_last_answer_and_unknown_after_a_failure() {
        let probe = StoreProbe::default();
        let age = async |answer| probe.ask(|| ready_answer(answer)).await.oldest_age_ms;
        assert_eq!(age(Ok(Some(7))).await, Some(7));
        assert_eq!(age(Ok(Some(9))).await, Some(7), "the store is asked seldom");
        tokio::time::advance(ANSWER_LIFETIME).await;
        assert_eq!(age(gone().map(|()| None)).await, None);
    }
}
