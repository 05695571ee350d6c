//! The rows of one session during a commit: those that were read, and the changes of the jobs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::clock::EpochMs;
use crate::store::row_names::RowKey;
use crate::store::rows::{Row, Rows};

/// A row to store, with its expiry; `None` to delete it.
pub(super) type RowChange = Option<(Row, Option<EpochMs>)>;

/// What a buffer knows of a row.
pub(super) enum KnownRow {
    Stored(Row),
    Absent,
    NotFetched,
}

impl From<Option<Row>> for KnownRow {
    fn from(row: Option<Row>) -> Self {
        row.map_or(Self::Absent, Self::Stored)
    }
}

/// A buffer of rows. A row that is read before it is fetched is noted as missing and reads as absent: the jobs run again
/// on a session that was read with it.
#[derive(Debug, Default)]
pub(super) struct BufferedRows {
    /// Stored rows; `None` if the store has none under the key.
    fetched: HashMap<RowKey, Option<Row>>,
    missing: BTreeSet<RowKey>,
    /// Rows that the jobs take for absent without having fetched them: the commit checks it.
    assumed_absent: BTreeSet<RowKey>,
    changes: BTreeMap<RowKey, RowChange>,
    /// Rows that expire until then are to be deleted.
    purge: Option<EpochMs>,
}

impl BufferedRows {
    /// Takes the changes as stored, after their commit. The rows of earlier calls are forgotten, and texts, which may be
    /// large.
    pub(super) fn keep_committed(&mut self) {
        let is_small = |key: &RowKey| {
            use RowKey::{Act, Call, Equality, Limit, Question};
            matches!(key, Call(_) | Question(_) | Equality(_) | Act(_) | Limit(_))
        };
        let changes = std::mem::take(&mut self.changes).into_iter().filter(|(key, _)| is_small(key));
        self.fetched = changes.map(|(key, change)| (key, change.map(|(row, _)| row))).collect();
        self.missing.clear();
        self.assumed_absent.clear();
        self.purge = None;
    }

    /// Adds a row that was fetched.
    pub(super) fn add_fetched(&mut self, key: RowKey, row: Option<Row>) {
        self.fetched.insert(key, row);
    }

    /// Takes a row for absent until the commit, unless it is known.
    pub(super) fn assume_absent(&mut self, key: &RowKey) {
        if matches!(self.known(key), KnownRow::NotFetched) {
            self.assumed_absent.insert(key.clone());
        }
    }

    /// The rows that the commit must find absent.
    pub(super) const fn assumed_absent(&self) -> &BTreeSet<RowKey> {
        &self.assumed_absent
    }

    /// Whether the stored row under a key can have an expiry.
    pub(super) fn may_have_expiry(&self, key: &RowKey) -> bool {
        let is_absent = matches!(self.fetched.get(key), Some(None)) || self.assumed_absent.contains(key);
        !is_absent && !matches!(key, RowKey::Answer(_))
    }

    /// What is known of the row under a key.
    pub(super) fn known(&self, key: &RowKey) -> KnownRow {
        match (self.changes.get(key), self.fetched.get(key)) {
            (Some(change), _) => KnownRow::from(change.as_ref().map(|(row, _)| row.clone())),
            (None, Some(fetched)) => KnownRow::from(fetched.clone()),
            (None, None) => KnownRow::NotFetched,
        }
    }

    /// The rows that were read but are not fetched.
    pub(super) const fn missing(&self) -> &BTreeSet<RowKey> {
        &self.missing
    }

    pub(super) const fn changes(&self) -> &BTreeMap<RowKey, RowChange> {
        &self.changes
    }

    pub(super) const fn purge_until(&self) -> Option<EpochMs> {
        self.purge
    }

    /// Whether the arguments of a question are deleted.
    pub(super) fn deletes_question_text(&self) -> bool {
        self.changes.iter().any(|(key, change)| matches!(key, RowKey::QuestionText(_)) && change.is_none())
    }
}

impl Rows for BufferedRows {
    fn get(&mut self, key: &RowKey) -> Option<Row> {
        match self.known(key) {
            KnownRow::Stored(row) => Some(row),
            KnownRow::Absent => None,
            KnownRow::NotFetched if self.assumed_absent.contains(key) => None,
            KnownRow::NotFetched => {
                self.missing.insert(key.clone());
                None
            }
        }
    }

    fn put(&mut self, key: RowKey, row: Row, expires: Option<EpochMs>) {
        self.changes.insert(key, Some((row, expires)));
    }

    fn remove(&mut self, key: &RowKey) {
        self.changes.insert(key.clone(), None);
    }

    fn purge(&mut self, now: EpochMs) {
        self.purge = self.purge.max(Some(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::row_names::HashName;

    #[test]
    fn the_deletion_of_a_questions_arguments_is_noticed() {
        let name = HashName::from_content(b"token");
        let (text, question) = (RowKey::QuestionText(name.clone()), RowKey::Question(name.clone()));
        let deletes = |change: &dyn Fn(&mut BufferedRows)| {
            let mut rows = BufferedRows::default();
            change(&mut rows);
            rows.deletes_question_text()
        };
        assert!(deletes(&|rows| rows.remove(&text)));
        assert!(!deletes(&|rows| rows.remove(&question)));
        assert!(!deletes(&|rows| rows.put(text.clone(), Row::Equality(name.clone()), None)));
        assert!(!deletes(&|_| {}));
    }
}
