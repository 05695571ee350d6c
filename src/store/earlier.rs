//! The layout of earlier versions: one document with all records and questions, and the answers beside it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use serde::Deserialize;

use super::document::SessionDocument;
use super::ledger::{CallRow, EntryState, Ledger, LedgerEntry, put_record};
use super::question::{ConfirmedBy, Question};
use super::questions::{QuestionRow, QuestionState, Questions};
use super::rows::{Row, RowKey, Rows};
use super::usage::Usage;
use crate::clock::EpochMs;
use crate::session::key::RecordKey;
use crate::session::state::SessionState;

/// A session as an earlier version stored it.
#[derive(Deserialize)]
pub(super) struct EarlierDocument {
    principal: Option<String>,
    tools_version: Arc<str>,
    state: SessionState,
    usage: Usage,
    ledger: EarlierLedger,
    questions: EarlierQuestions,
    used_at: EpochMs,
}

#[derive(Deserialize)]
struct EarlierLedger {
    open: HashMap<RecordKey, LedgerEntry>,
    /// In eviction order, the next to be evicted first.
    settled: Vec<(RecordKey, LedgerEntry)>,
    forgotten: HashMap<RecordKey, LedgerEntry>,
    #[serde(rename = "twins")]
    aliases: HashMap<RecordKey, RecordKey>,
    next_epoch: u64,
}

#[derive(Deserialize)]
struct EarlierQuestions {
    pending: VecDeque<Question>,
    answered: VecDeque<EarlierConfirmed>,
    expired: VecDeque<Question>,
}

#[derive(Deserialize)]
struct EarlierConfirmed {
    key: RecordKey,
    question: Question,
    turn: u32,
    reopened: bool,
}

impl EarlierDocument {
    /// The epochs of the answers that the document's records have.
    pub(super) fn answer_epochs(&self) -> HashSet<u64> {
        let settled = self.ledger.settled.iter().map(|(_, entry)| entry);
        settled.filter(|entry| matches!(entry.state, EntryState::Settled { .. })).map(|entry| entry.epoch).collect()
    }

    /// The session in the present layout. The answers of its records, by epoch, stay as they are.
    pub(super) fn upgrade(self, rows: &mut dyn Rows) -> SessionDocument {
        let mut questions = Questions::default();
        let mut confirmed = HashMap::new();
        for earlier in self.questions.answered {
            let state =
                QuestionState::Confirmed { turn: earlier.turn, reopened: earlier.reopened, by: ConfirmedBy::Token };
            let question = with_present_key(earlier.question);
            let key = question.key.clone();
            let name = questions.add_confirmed(QuestionRow { question: Arc::new(question), state }, rows);
            confirmed.insert(earlier.key, name.clone());
            confirmed.insert(key, name);
        }
        for question in self.questions.expired {
            questions.add_expired(&with_present_key(question), rows);
        }
        for question in self.questions.pending {
            questions.add_pending(&with_present_key(question), rows);
        }
        let alias_of = self.ledger.aliases.iter().map(|(alias, of)| (of.clone(), alias.clone())).collect();
        let mut migration = LedgerMigration {
            ledger: Ledger::with_next_epoch(self.ledger.next_epoch),
            alias_of,
            question_of: confirmed,
            rows,
        };
        for (key, entry) in self.ledger.open.into_iter().chain(self.ledger.forgotten) {
            let (key, entry) = migration.add_alias(key, entry);
            put_record(migration.rows, key, Arc::new(entry));
        }
        for (key, entry) in self.ledger.settled {
            let (key, entry) = migration.add_alias(key, entry);
            migration.ledger.insert_settled(&key, entry, migration.rows);
        }
        SessionDocument {
            principal: self.principal,
            tools_version: self.tools_version,
            state: self.state,
            usage: self.usage,
            ledger: migration.ledger,
            questions,
            used_at: self.used_at,
        }
    }
}

struct LedgerMigration<'a> {
    ledger: Ledger,
    alias_of: HashMap<RecordKey, RecordKey>,
    question_of: HashMap<RecordKey, super::questions::QuestionName>,
    rows: &'a mut dyn Rows,
}

impl LedgerMigration<'_> {
    /// The record under its present key, with its alias, whose row is stored, and its question.
    fn add_alias(&mut self, key: RecordKey, entry: LedgerEntry) -> (RecordKey, LedgerEntry) {
        let alias = self.alias_of.get(&key).cloned();
        let question = self.question_of.get(&key).cloned();
        let present = entry.call_id.as_ref().and_then(|id| key.upgrade(id)).unwrap_or(key);
        let entry = LedgerEntry { alias, question, ..entry.with_kept_id() };
        if let Some(alias) = &entry.alias {
            let row = Row::Call(CallRow::Alias { of: present.clone(), epoch: entry.epoch });
            self.rows.put(RowKey::Call(alias.clone()), row, entry.row_expires());
        }
        (present, entry)
    }
}

/// The question with its key in the present form: earlier versions had other keys.
fn with_present_key(question: Question) -> Question {
    let present = question.call_id.as_ref().and_then(|id| question.key.upgrade(id));
    Question { key: present.unwrap_or_else(|| question.key.clone()), ..question }
}
