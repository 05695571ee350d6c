//! Whether a `null` for an optional argument means that it is absent.
//!
//! A strict schema makes a model send every argument, so `null` stands for "absent" in its calls. No other caller has a
//! reason to send such a `null`: for them it is a value like others, and wrong if the schema rejects it.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::schema::NullReading;

const AS_SENT: u8 = 0;
const ABSENT: u8 = 1;
const ALWAYS_AS_SENT: u8 = 2;

/// The reading of nulls in a tool's calls; it changes once the tool was declared strictly.
#[derive(Debug, Default)]
pub struct StrictNulls(AtomicU8);

impl StrictNulls {
    /// The tool's strict schema was sent to a model. Has no effect if the host has decided.
    pub fn declared(&self) {
        // The failure means that the reading is decided.
        let _ = self.0.compare_exchange(AS_SENT, ABSENT, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The host decides for all calls.
    pub fn decide(&self, mean_absent: bool) {
        self.0.store(if mean_absent { ABSENT } else { ALWAYS_AS_SENT }, Ordering::Relaxed);
    }

    /// The reading of a call's nulls.
    #[must_use]
    pub fn reading(&self) -> NullReading {
        if self.0.load(Ordering::Relaxed) == ABSENT { NullReading::StrictAsAbsent } else { NullReading::AsSent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nulls_are_values_until_a_strict_schema_is_sent_or_the_host_decides() {
        let nulls = StrictNulls::default();
        assert_eq!(nulls.reading(), NullReading::AsSent);
        nulls.declared();
        assert_eq!(nulls.reading(), NullReading::StrictAsAbsent);
        nulls.decide(false);
        nulls.declared();
        assert_eq!(nulls.reading(), NullReading::AsSent);
        nulls.decide(true);
        assert_eq!(nulls.reading(), NullReading::StrictAsAbsent);
    }
}
