//! The rows of a stored session: what its document does not hold.
//!
//! The layout's invariants:
//! - The document holds what is small and bounded: the state, the usage counters, the eviction order of at most 100
//!   settled records, the names of at most 220 questions, the last 20
//!   denials. Everything that grows with the number of calls is a row.
//! - A record is one row under its key; its answer is another, under the claim's epoch. A settled record without its
//!   answer reads as forgotten, so an eviction deletes the answer of a write and leaves its record's row.
//! - An alias is a row under the alias' key, valid as long as the record that it names has its epoch.
//! - What is owed of a call, and its result, are two rows under the claim's epoch. They are there as long as the document
//!   lists them.
//! - An act is one row under a hash of what makes calls equal. It names the last calls that made the act, and ends with
//!   the window in which an equal call is a duplicate.
//! - The calls of a principal that count for one limit are one row, which ends with the limit's window.
//! - A question is one row under a hash of its token. Its arguments and preview are a row of their own, which exists
//!   only while the question is pending. A third row finds the last question about equal arguments, and one for each
//!   call id the first questions that it was given.
//! - A row that ends with time has its expiry, after which it reads as absent or is never read. Expired rows are deleted
//!   by later operations, a bounded number each.
//!
//! So an operation reads and writes the document and the rows of its own call or question, and nothing else.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Deserialize;

use super::act_row::ActRow;
use super::ledger::CallRow;
use super::limits::CallWindow;
use super::owed::OwedRow;
use super::questions::{GivenRow, QuestionRow, QuestionText};
use crate::clock::EpochMs;
use crate::response::ToolResponse;
use crate::session::key::RecordKey;
use crate::store::row_names::{EqualityHash, QuestionName};
use crate::store::row_names::{HashName, RowKey};

/// The number of expired rows that one operation deletes in memory: more than is added until the next one that does, so that
/// none accumulate.
const MAX_PURGED_ROWS: usize = 32;

/// The content of a row.
#[derive(Debug, Clone)]
pub(super) enum Row {
    Call(CallRow),
    Answer(Arc<ToolResponse>),
    Question(QuestionRow),
    QuestionText(Arc<QuestionText>),
    /// The question that was last asked about these arguments.
    Equality(QuestionName),
    Given(GivenRow),
    Owed(Arc<OwedRow>),
    Act(ActRow),
    Limit(CallWindow),
}

impl Row {
    /// The epoch of a started record.
    fn started_epoch(&self) -> Option<u64> {
        if let Self::Call(row) = self { row.started_epoch() } else { None }
    }

    /// The content in a file or on a server.
    pub(super) fn to_text(&self) -> Result<String, serde_json::Error> {
        match self {
            Self::Call(row) => serde_json::to_string(row),
            Self::Answer(answer) => Ok(answer.to_stored_text()),
            Self::Question(row) => serde_json::to_string(row),
            Self::QuestionText(text) => serde_json::to_string(text),
            Self::Equality(name) => serde_json::to_string(name),
            Self::Given(row) => serde_json::to_string(row),
            Self::Owed(row) => serde_json::to_string(row),
            Self::Act(row) => serde_json::to_string(row),
            Self::Limit(row) => serde_json::to_string(row),
        }
    }

    /// Parses the content of the row under `key`. An unreadable answer reads as absent: its record is then forgotten.
    pub(super) fn from_text(key: &RowKey, text: &str) -> Result<Option<Self>, serde_json::Error> {
        fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, serde_json::Error> {
            serde_json::from_str(text)
        }
        Ok(match key {
            RowKey::Call(_) => Some(Self::Call(parse(text)?)),
            RowKey::Answer(_) | RowKey::Result(_) => {
                ToolResponse::from_stored_text(text).map(|answer| Self::Answer(Arc::new(answer)))
            }
            RowKey::Question(_) => Some(Self::Question(parse(text)?)),
            RowKey::QuestionText(_) => Some(Self::QuestionText(parse(text)?)),
            RowKey::Equality(_) => Some(Self::Equality(parse(text)?)),
            RowKey::Given(_) => Some(Self::Given(parse(text)?)),
            RowKey::Owed(_) => Some(Self::Owed(parse(text)?)),
            RowKey::Act(_) => Some(Self::Act(parse(text)?)),
            RowKey::Limit(_) => Some(Self::Limit(parse(text)?)),
        })
    }
}

/// The rows of one session.
pub(super) trait Rows {
    /// Returns a row.
    fn get(&mut self, key: &RowKey) -> Option<Row>;
    /// Stores a row. It may be deleted from `expires` on.
    fn put(&mut self, key: RowKey, row: Row, expires: Option<EpochMs>);
    /// Deletes a row.
    fn remove(&mut self, key: &RowKey);
    /// Deletes some of the rows that have expired.
    fn purge(&mut self, now: EpochMs);
}

impl dyn Rows + '_ {
    pub(super) fn call(&mut self, key: &RecordKey) -> Option<CallRow> {
        if let Row::Call(row) = self.get(&RowKey::Call(key.clone()))? { Some(row) } else { None }
    }

    pub(super) fn answer(&mut self, epoch: u64) -> Option<Arc<ToolResponse>> {
        if let Row::Answer(answer) = self.get(&RowKey::Answer(epoch))? { Some(answer) } else { None }
    }

    pub(super) fn owed(&mut self, epoch: u64) -> Option<Arc<OwedRow>> {
        if let Row::Owed(row) = self.get(&RowKey::Owed(epoch))? { Some(row) } else { None }
    }

    pub(super) fn result(&mut self, epoch: u64) -> Option<Arc<ToolResponse>> {
        if let Row::Answer(answer) = self.get(&RowKey::Result(epoch))? { Some(answer) } else { None }
    }

    pub(super) fn act(&mut self, name: &HashName) -> Option<ActRow> {
        if let Row::Act(row) = self.get(&RowKey::Act(name.clone()))? { Some(row) } else { None }
    }

    pub(super) fn limit(&mut self, key: &RowKey) -> Option<CallWindow> {
        if let Row::Limit(row) = self.get(key)? { Some(row) } else { None }
    }

    pub(super) fn question(&mut self, name: &QuestionName) -> Option<QuestionRow> {
        if let Row::Question(row) = self.get(&RowKey::Question(name.clone()))? { Some(row) } else { None }
    }

    pub(super) fn question_text(&mut self, name: &QuestionName) -> Option<Arc<QuestionText>> {
        if let Row::QuestionText(text) = self.get(&RowKey::QuestionText(name.clone()))? { Some(text) } else { None }
    }

    pub(super) fn given(&mut self, name: &HashName) -> Option<GivenRow> {
        if let Row::Given(row) = self.get(&RowKey::Given(name.clone()))? { Some(row) } else { None }
    }

    pub(super) fn equal_question(&mut self, hash: &EqualityHash) -> Option<QuestionName> {
        if let Row::Equality(name) = self.get(&RowKey::Equality(hash.clone()))? { Some(name) } else { None }
    }
}

/// The rows of a session in memory.
#[derive(Debug, Default)]
pub(super) struct MemoryRows {
    /// The rows of calls and questions. Their keys are chosen by strangers.
    rows: HashMap<RowKey, (Row, Option<Expiry>)>,
    /// The answers by epoch. None expires.
    answers: BTreeMap<u64, Arc<ToolResponse>>,
    /// The epochs and keys of started records. Few are started at once: a list is faster than a map.
    started: Vec<(u64, RecordKey)>,
    /// The rows that expire, by time.
    expiries: BTreeMap<Expiry, RowKey>,
    /// The number of expiries so far.
    expiry_count: u64,
}

/// When a row expires. The number distinguishes rows that expire at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Expiry {
    at: EpochMs,
    number: u64,
}

impl MemoryRows {
    /// The records and aliases.
    pub(super) fn calls(&self) -> impl Iterator<Item = (&RecordKey, &CallRow)> {
        self.rows.iter().filter_map(|(key, (row, _))| match (key, row) {
            (RowKey::Call(key), Row::Call(row)) => Some((key, row)),
            _ => None,
        })
    }

    /// The number of rows.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.rows.len() + self.answers.len()
    }

    /// Whether a call has been started and has not ended. Without leases the first started record is one.
    pub(super) fn has_running(&self, now: EpochMs) -> bool {
        self.started.iter().any(|(_, key)| match self.rows.get(&RowKey::Call(key.clone())) {
            Some((Row::Call(CallRow::Record(entry)), _)) => entry.is_running(now),
            _ => false,
        })
    }

    /// Takes back what is noted about a row that was replaced or deleted.
    fn forget(&mut self, (row, expiry): &(Row, Option<Expiry>)) {
        let started = row.started_epoch().and_then(|epoch| self.started.iter().position(|(other, _)| *other == epoch));
        if let Some(place) = started {
            self.started.swap_remove(place);
        }
        if let Some(expiry) = expiry {
            self.expiries.remove(expiry);
        }
    }
}

impl Rows for MemoryRows {
    fn get(&mut self, key: &RowKey) -> Option<Row> {
        match key {
            RowKey::Answer(epoch) => self.answers.get(epoch).cloned().map(Row::Answer),
            _ => self.rows.get(key).map(|(row, _)| row.clone()),
        }
    }

    fn put(&mut self, key: RowKey, row: Row, expires: Option<EpochMs>) {
        if let (RowKey::Answer(epoch), Row::Answer(answer)) = (&key, &row) {
            self.answers.insert(*epoch, Arc::clone(answer));
            return;
        }
        let started = row.started_epoch();
        let expiry = expires.map(|at| {
            self.expiry_count += 1;
            Expiry { at, number: self.expiry_count }
        });
        if let Some(before) = self.rows.insert(key.clone(), (row, expiry)) {
            self.forget(&before);
        }
        if let (Some(epoch), RowKey::Call(key)) = (started, &key) {
            self.started.push((epoch, key.clone()));
        }
        if let Some(expiry) = expiry {
            self.expiries.insert(expiry, key);
        }
    }

    fn remove(&mut self, key: &RowKey) {
        if let RowKey::Answer(epoch) = key {
            self.answers.remove(epoch);
        } else if let Some(row) = self.rows.remove(key) {
            self.forget(&row);
        }
    }

    fn purge(&mut self, now: EpochMs) {
        for _ in 0..MAX_PURGED_ROWS {
            let Some((_, key)) = self.expiries.first_key_value().filter(|(expiry, _)| expiry.at <= now) else { return };
            let key = key.clone();
            self.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> QuestionName {
        HashName::from_content(text.as_bytes())
    }

    #[test]
    fn a_row_that_is_put_again_expires_at_its_new_time() {
        let (mut rows, key) = (MemoryRows::default(), RowKey::Equality(HashName::from_content(b"args")));
        rows.put(key.clone(), Row::Equality(name("first")), Some(10));
        rows.put(key.clone(), Row::Equality(name("second")), Some(20));
        rows.purge(19);
        assert!(rows.get(&key).is_some());
        rows.purge(20);
        assert!(rows.get(&key).is_none() && rows.expiries.is_empty());
    }
}
