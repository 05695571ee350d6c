//! Latencies of calls: percentiles for people, and counts in fixed buckets, which add up over processes.

use hdrhistogram::Histogram;
use serde_json::{Value, json};

/// The significant figures of percentiles. Latencies are kept in microseconds.
const SIGNIFICANT_FIGURES: u8 = 2;

/// The number of buckets with an upper bound. Each bound is twice the one before.
const BOUNDED: usize = 17;

/// The largest value of a bucket, in milliseconds: 1, 2, 4, up to 65,536. The bounds are constants, so that all processes
/// agree. A change of them is a change for readers: series with both bounds can't be added.
fn bounds_ms() -> impl Iterator<Item = u64> {
    (0..BOUNDED).map(|doubling| 1 << doubling)
}

/// The latencies of a tool's calls in a mode.
#[derive(Default)]
pub(super) struct Latencies {
    percentiles: Option<Histogram<u64>>,
    /// The calls of each bucket, without those of the buckets below; the last one has no upper bound.
    counts: [u64; BOUNDED + 1],
    sum_micros: u64,
}

impl Latencies {
    pub(super) fn record(&mut self, millis: f64) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration is positive and short")]
        let micros = (millis * 1000.0).round().max(0.0) as u64;
        if self.percentiles.is_none() {
            self.percentiles = Histogram::new(SIGNIFICANT_FIGURES).ok();
        }
        if let Some(percentiles) = &mut self.percentiles {
            // The histogram grows automatically and accepts every `u64` but 0.
            let _ = percentiles.record(micros.max(1));
        }
        let bucket = bounds_ms().take_while(|bound| micros > bound * 1000).count();
        if let Some(count) = self.counts.get_mut(bucket) {
            *count += 1;
        }
        self.sum_micros = self.sum_micros.saturating_add(micros);
    }

    pub(super) fn add(&mut self, other: &Self) {
        match (&mut self.percentiles, &other.percentiles) {
            // Both grow automatically, so any value fits.
            (Some(percentiles), Some(more)) => _ = percentiles.add(more),
            (percentiles @ None, Some(more)) => *percentiles = Some(more.clone()),
            (_, None) => {}
        }
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        self.sum_micros = self.sum_micros.saturating_add(other.sum_micros);
    }

    /// `{ p50, p95, p99 }` in milliseconds; each is null if no call ran.
    pub(super) fn percentiles(&self) -> Value {
        let quantile = |q: f64| self.percentiles.as_ref().map(|latency| in_millis(latency.value_at_quantile(q)));
        json!({ "p50": quantile(0.5), "p95": quantile(0.95), "p99": quantile(0.99) })
    }

    /// `{ boundsMs, counts, sumMs }`; null if no call ran.
    pub(super) fn histogram(&self) -> Option<Value> {
        self.percentiles.as_ref()?;
        let bounds: Vec<u64> = bounds_ms().collect();
        Some(json!({ "boundsMs": bounds, "counts": self.counts, "sumMs": in_millis(self.sum_micros) }))
    }
}

#[expect(clippy::cast_precision_loss, reason = "microseconds of calls are far below 2^52")]
fn in_millis(micros: u64) -> f64 {
    micros as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(millis: &[f64]) -> Latencies {
        let mut latencies = Latencies::default();
        for &value in millis {
            latencies.record(value);
        }
        latencies
    }

    #[test]
    fn a_latency_at_a_bound_is_in_the_bucket_of_the_bound() {
        let latencies = recorded(&[0.0, 1.0, 1.001, 2.0, 65_536.0, 65_536.001, 1e9]);
        let bounds: Vec<u64> =
            vec![1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];
        let counts = [2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2];
        assert_eq!(
            latencies.histogram(),
            Some(json!({ "boundsMs": bounds, "counts": counts, "sumMs": 1_000_131_076.002 }))
        );
    }

    #[test]
    fn two_histograms_added_are_the_histogram_of_both() {
        let (one, other) = ([0.4, 3.0, 900.5], [2.5, 3.5, 70_000.0]);
        let mut added = recorded(&one);
        added.add(&recorded(&other));
        let both = recorded(&[one, other].concat());
        assert_eq!(added.histogram(), both.histogram());
        assert_eq!(added.percentiles(), both.percentiles());
    }

    #[test]
    fn no_call_has_no_histogram() {
        assert_eq!(Latencies::default().histogram(), None);
        let mut added = Latencies::default();
        added.add(&Latencies::default());
        assert_eq!(added.histogram(), None);
    }
}
