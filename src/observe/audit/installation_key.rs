//! The audit key of an installation: given by the host, or derived from the key that the store keeps, once it is read.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::AuditKey;
use crate::json::HashKey;

/// The keys of an installation as far as they are known.
#[derive(Default)]
pub struct InstallationKey {
    audit: OnceLock<AuditKey>,
    fingerprints: OnceLock<HashKey>,
    /// Whether the store is yet to be read.
    is_pending: Mutex<bool>,
    decided: Condvar,
}

impl InstallationKey {
    /// A key that is known from the start.
    #[must_use]
    pub fn known(key: AuditKey) -> Self {
        Self { audit: key.into(), ..Self::default() }
    }

    /// A key that the store keeps, which is to be read.
    #[must_use]
    pub fn pending() -> Self {
        Self { is_pending: Mutex::new(true), ..Self::default() }
    }

    /// A key that the host gives, in an installation whose key of fingerprints is to be read from the store.
    #[must_use]
    pub fn given(key: AuditKey) -> Self {
        Self { audit: key.into(), ..Self::pending() }
    }

    /// Sets the key of fingerprints of an installation without a shared store.
    #[must_use]
    pub fn with_fingerprint_key(self, key: HashKey) -> Self {
        Self { fingerprints: key.into(), ..self }
    }

    /// The audit key, if it is known.
    #[must_use]
    pub fn audit(&self) -> Option<&AuditKey> {
        self.audit.get()
    }

    /// The key of fingerprints that all processes of the installation share, if it is known.
    #[must_use]
    pub fn fingerprints(&self) -> Option<HashKey> {
        self.fingerprints.get().copied()
    }

    /// Notes the key that the store keeps. A key that the host gave stays.
    pub fn set_from_store(&self, key: HashKey) {
        if self.fingerprints.get().is_some() {
            return;
        }
        self.fingerprints.get_or_init(|| key);
        if let (None, Some(audit)) = (self.audit.get(), AuditKey::of_installation(key)) {
            self.audit.get_or_init(|| audit);
        }
        self.stop_waiting();
    }

    /// Whether the store is yet to be read.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        *self.is_pending.lock()
    }

    /// Notes that the store can't be read now. Its key may be set later.
    pub fn stop_waiting(&self) {
        *self.is_pending.lock() = false;
        self.decided.notify_all();
    }

    /// Waits until the audit key is known or the store could not be read, at most `timeout`.
    pub(super) fn wait(&self, timeout: Duration) {
        if self.audit.get().is_some() {
            return;
        }
        let until = Instant::now() + timeout;
        let mut is_pending = self.is_pending.lock();
        while self.audit.get().is_none() && *is_pending {
            if self.decided.wait_until(&mut is_pending, until).timed_out() {
                *is_pending = false;
            }
        }
    }
}
