//! A place that keeps a store, open for an operator's command. A store implements it beside its backend.

use std::ops::ControlFlow;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;

use super::SharedStore;
use super::report::{Erased, StoreCheck};
use crate::call::SessionId;
use crate::json::HashKey;
use crate::store::error::StoreError;

/// The time to live of a session that a server keeps without one.
pub(super) const WITHOUT_EXPIRY: Duration = Duration::from_hours(24 * 365);

/// The result of an inspection's step.
pub(super) type Inspected<'a, T> = LocalBoxFuture<'a, Result<T, StoreError>>;

/// Looks at the key and the document of a session. Breaks a scan that has found enough.
pub(super) type Visit<'a> = &'a mut dyn FnMut(&str, &str) -> ControlFlow<()>;

/// Whether a session is erased, by its key and its document.
pub(super) type IsErased<'a> = &'a mut dyn FnMut(&str, &str) -> bool;

/// A stored session.
pub(super) struct FoundSession {
    /// Its key, as a list shows it.
    pub(super) key: String,
    pub(super) document: String,
    /// The names and contents of its rows.
    pub(super) rows: Vec<(String, String)>,
}

/// A place that keeps a store, open for an operator's command.
pub(super) trait Inspection {
    /// Visits all sessions: the last used first, if the place has that order. One that is used meanwhile may be left out.
    fn scan<'a>(&'a mut self, visit: Visit<'a>) -> Inspected<'a, ()>;
    /// Finds a session by its id, or by the key that a list shows.
    fn find<'a>(&'a mut self, id: &'a str) -> Inspected<'a, Option<FoundSession>>;
    /// Deletes sessions with all of their rows. A session that begins meanwhile may stay.
    fn erase<'a>(&'a mut self, is_erased: IsErased<'a>) -> Inspected<'a, Erased>;
    /// Checks the place, and counts what it keeps.
    fn check(&mut self) -> Inspected<'_, StoreCheck>;
    /// The installation's key.
    fn installation_key(&mut self) -> Inspected<'_, HashKey>;
    /// The store, to change a session of it. The session keeps its time to live.
    fn store_to_change<'a>(&'a mut self, id: &'a SessionId) -> Inspected<'a, SharedStore>;
}
