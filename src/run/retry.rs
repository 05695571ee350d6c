//! The retry decision: whether another attempt follows a failed one, and after which pause. Pure functions: time and
//! randomness are arguments.
//!
//! The pause is drawn uniformly between zero and a ceiling that grows with each attempt ("full jitter", see
//! <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>): callers that failed together do not
//! retry together.

use std::time::Duration;

/// The longest pause that is drawn, however often a call has failed; also the longest that a service may ask for if no
/// deadline bounds the pause.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The retry settings of a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryPolicy {
    /// The number of attempts, the first one included.
    pub max_attempts: u32,
    /// The ceiling of the first pause.
    pub base_delay: Duration,
    /// The factor from one ceiling to the next.
    pub multiplier: f64,
}

/// A failure after which another attempt may succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TransientFailure {
    /// The delay that the failing service asks for (`Retry-After`).
    pub retry_after: Option<Duration>,
}

/// The elapsed time of a call, since the start of its first attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElapsedTime {
    /// The time until now.
    pub so_far: Duration,
    /// The time from the start to the deadline; `None` without a deadline.
    pub deadline: Option<Duration>,
}

/// The step after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryDecision {
    /// Another attempt.
    Retry {
        /// The pause before it.
        after: Duration,
    },
    /// No further attempt: the failure is the answer.
    GiveUp,
}

/// Decides what follows attempt number `attempt` (from 1), which ended in `failure`. `random` is any number: `u64::MAX`
/// draws the longest pause, 0 none.
///
/// If the pause would reach the deadline, the call gives up at once: waiting would only turn a known failure into a
/// timeout.
#[must_use]
pub fn decide(
    attempt: u32,
    failure: TransientFailure,
    policy: RetryPolicy,
    elapsed: ElapsedTime,
    random: u64,
) -> RetryDecision {
    if attempt >= policy.max_attempts {
        return RetryDecision::GiveUp;
    }
    let drawn = ceiling(attempt, policy).mul_f64(unit_fraction(random));
    let after = failure.retry_after.map_or(drawn, |asked| asked.max(drawn));
    let fits = match elapsed.deadline {
        Some(deadline) => elapsed.so_far.saturating_add(after) < deadline,
        None => after <= LONGEST_PAUSE,
    };
    if fits { RetryDecision::Retry { after } } else { RetryDecision::GiveUp }
}

/// The longest pause after the `attempt`-th attempt.
fn ceiling(attempt: u32, policy: RetryPolicy) -> Duration {
    let exponent = i32::try_from(attempt.saturating_sub(1)).unwrap_or(i32::MAX);
    let seconds = policy.base_delay.as_secs_f64() * policy.multiplier.max(1.0).powi(exponent);
    // The product may exceed every finite number, or be NaN: `min` returns the longest pause then too.
    Duration::from_secs_f64(seconds.min(LONGEST_PAUSE.as_secs_f64()).max(0.0))
}

/// Maps a random number to 0..=1.
fn unit_fraction(random: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a few random bits less do not matter")]
    let (part, whole) = (random as f64, u64::MAX as f64);
    part / whole
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    const USUAL: RetryPolicy = RetryPolicy { max_attempts: 4, base_delay: ms(1000), multiplier: 2.0 };
    const UNBOUNDED: ElapsedTime = ElapsedTime { so_far: ms(0), deadline: None };
    const PLAIN: TransientFailure = TransientFailure { retry_after: None };

    #[test]
    fn ceilings_grow_and_chance_draws_below_them() {
        for (attempt, ceiling) in [(1, 1000), (2, 2000), (3, 4000)] {
            let after = |random| decide(attempt, PLAIN, USUAL, UNBOUNDED, random);
            assert_eq!(after(u64::MAX), RetryDecision::Retry { after: ms(ceiling) });
            assert_eq!(after(u64::MAX / 2), RetryDecision::Retry { after: ms(ceiling / 2) });
            assert_eq!(after(0), RetryDecision::Retry { after: ms(0) });
        }
        assert_eq!(decide(4, PLAIN, USUAL, UNBOUNDED, 0), RetryDecision::GiveUp);
    }

    #[test]
    fn what_a_service_asks_for_is_the_least() {
        let asked = TransientFailure { retry_after: Some(ms(1500)) };
        assert_eq!(decide(1, asked, USUAL, UNBOUNDED, u64::MAX), RetryDecision::Retry { after: ms(1500) });
        assert_eq!(decide(2, asked, USUAL, UNBOUNDED, u64::MAX), RetryDecision::Retry { after: ms(2000) });
    }

    #[test]
    fn a_pause_that_reaches_the_deadline_is_not_made() {
        let at = |so_far| ElapsedTime { so_far: ms(so_far), deadline: Some(ms(5000)) };
        assert_eq!(decide(1, PLAIN, USUAL, at(3999), u64::MAX), RetryDecision::Retry { after: ms(1000) });
        assert_eq!(decide(1, PLAIN, USUAL, at(4000), u64::MAX), RetryDecision::GiveUp);
        let asked = TransientFailure { retry_after: Some(ms(5000)) };
        assert_eq!(decide(1, asked, USUAL, at(0), 0), RetryDecision::GiveUp);
        let hours = TransientFailure { retry_after: Some(Duration::from_hours(2)) };
        assert_eq!(decide(1, hours, USUAL, UNBOUNDED, 0), RetryDecision::GiveUp);
    }

    proptest! {
        #[test]
        fn never_past_the_attempts_the_deadline_or_what_was_asked(
            attempt in 1_u32..2000, max_attempts in 0_u32..2000, base in 0_u64..u64::MAX, multiplier in -1e9_f64..1e300,
            so_far in 0_u64..100_000, deadline in proptest::option::of(0_u64..100_000),
            asked in proptest::option::of(0_u64..200_000), random: u64,
        ) {
            let policy = RetryPolicy { max_attempts, base_delay: ms(base), multiplier };
            let elapsed = ElapsedTime { so_far: ms(so_far), deadline: deadline.map(ms) };
            match decide(attempt, TransientFailure { retry_after: asked.map(ms) }, policy, elapsed, random) {
                RetryDecision::GiveUp => prop_assert!(
                    attempt >= max_attempts || deadline.is_some() || asked.is_some_and(|asked| ms(asked) > LONGEST_PAUSE)
                ),
                RetryDecision::Retry { after } => {
                    prop_assert!(attempt < max_attempts);
                    prop_assert!(asked.is_none_or(|asked| after >= ms(asked)));
                    prop_assert!(deadline.is_none_or(|deadline| ms(so_far) + after < ms(deadline)));
                    prop_assert!(after <= LONGEST_PAUSE.max(ms(asked.unwrap_or(0))));
                }
            }
        }

        #[test]
        fn more_chance_is_a_longer_pause(attempt in 1_u32..4, one: u64, other: u64) {
            let pause = |random| match decide(attempt, PLAIN, USUAL, UNBOUNDED, random) {
                RetryDecision::Retry { after } => after,
                RetryDecision::GiveUp => Duration::MAX,
            };
            let (less, more) = (one.min(other), one.max(other));
            prop_assert!(pause(less) <= pause(more));
        }
    }
}
