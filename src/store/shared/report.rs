//! What the commands of an operator report about a store. Never an argument, a result or a value of a session's state.

use std::ops::AddAssign;
use std::path::PathBuf;

use serde::Serialize;

/// The number of things that a store keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RowCounts {
    /// Sessions, active and ended.
    pub sessions: u64,
    /// Records of calls. A call without an id that was later named counts twice.
    pub records: u64,
    /// Answers of calls.
    pub answers: u64,
    /// Questions to users, pending and answered.
    pub questions: u64,
}

/// A copy that a backup or a restoration made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoreCopy {
    /// The new file.
    pub file: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// The version of its table layout.
    pub layout: i32,
    /// What it keeps.
    pub counts: RowCounts,
}

/// The check of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum StoreCheck {
    /// Of a file.
    File(FileCheck),
    /// Of a Redis server.
    Redis(RedisCheck),
    /// Of a Postgres database.
    Postgres(PostgresCheck),
}

/// The check of a file store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileCheck {
    /// The file.
    pub file: PathBuf,
    /// The version of its table layout.
    pub layout: i32,
    /// The newest layout that this version of the package knows.
    pub known_layout: i32,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The size of its write-ahead log in bytes.
    pub log_bytes: u64,
    /// What it keeps; `None` if the file is damaged so that it can't be counted.
    pub counts: Option<RowCounts>,
    /// What is wrong. Empty if the store is whole.
    pub problems: Vec<String>,
}

/// The check of a Redis store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RedisCheck {
    /// The setting `maxmemory-policy`; `None` if the server does not show its settings.
    pub eviction_policy: Option<String>,
    /// The settings that decide what a restart loses, such as `appendonly yes, appendfsync everysec`.
    pub persistence: Option<String>,
    /// What it keeps. Other processes change it while it is counted.
    pub counts: RowCounts,
    /// Settings with which calls can be forgotten. Empty if the server keeps all it is given.
    pub problems: Vec<String>,
}

/// The check of a Postgres store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PostgresCheck {
    /// The schema of the tables.
    pub schema: String,
    /// The version of their layout.
    pub layout: i32,
    /// The newest layout that this version of the package knows.
    pub known_layout: i32,
    /// The settings that decide what a crash loses, such as `fsync on, synchronous_commit on`.
    pub durability: String,
    /// What it keeps.
    pub counts: RowCounts,
    /// Settings with which calls can be forgotten. Empty if the server keeps all it is given.
    pub problems: Vec<String>,
}

/// The deleted rows of a place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Erased {
    pub(super) counts: RowCounts,
    /// As in [`ErasureReport`].
    pub(super) left_in_log: bool,
}

/// What an erasure deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErasureReport {
    /// The rows that were deleted.
    pub erased: RowCounts,
    /// The keys of sessions that can't be read, and so belong to an unknown principal. They stay. At most 100.
    pub unreadable: Vec<String>,
    /// Whether deleted values may still be in the write-ahead log, which other processes use, until they empty it.
    pub left_in_log: bool,
}

impl ErasureReport {
    /// Adds the key of a session that can't be read.
    pub(super) fn add_unreadable(&mut self, key: &str) {
        if self.unreadable.len() < MAX_UNREADABLE {
            self.unreadable.push(key.to_owned());
        }
    }
}

/// The maximum of keys that a report lists.
const MAX_UNREADABLE: usize = 100;

impl RowCounts {
    /// Counts a row by its name.
    pub(super) fn add_row(&mut self, name: &str) {
        match name.split_once(':') {
            Some(("call", _)) => self.records += 1,
            Some(("answer", _)) => self.answers += 1,
            Some(("question", _)) => self.questions += 1,
            _ => {}
        }
    }
}

impl AddAssign for RowCounts {
    fn add_assign(&mut self, other: Self) {
        self.sessions += other.sessions;
        self.records += other.records;
        self.answers += other.answers;
        self.questions += other.questions;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_by_their_names() {
        let mut counts = RowCounts { sessions: 1, ..RowCounts::default() };
        for name in ["call:a", "call:b", "call:c", "answer:1", "answer:2", "question:q", "text:q", "equal:x", "call"] {
            counts.add_row(name);
        }
        assert_eq!(counts, RowCounts { sessions: 1, records: 3, answers: 2, questions: 1 });
        counts += RowCounts { sessions: 10, records: 20, answers: 30, questions: 40 };
        assert_eq!(counts, RowCounts { sessions: 11, records: 23, answers: 32, questions: 41 });
    }

    #[test]
    fn a_hundred_unreadable_sessions_are_listed() {
        let mut report = ErasureReport::default();
        (0..101).for_each(|n| report.add_unreadable(&n.to_string()));
        let listed: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        assert_eq!(report.unreadable, listed);
    }
}
