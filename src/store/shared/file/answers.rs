//! The answers of one session's calls, one row each.

use std::sync::Arc;

use rusqlite::{OptionalExtension, Transaction, params};

use super::sql_integer;
use crate::response::ToolResponse;
use crate::store::answers::Answers;

/// Answers within a transaction. The first failure is kept until the end and aborts the transaction.
pub(super) struct FileAnswers<'a> {
    transaction: &'a Transaction<'a>,
    session: &'a str,
    failed: Option<rusqlite::Error>,
}

impl<'a> FileAnswers<'a> {
    pub(super) fn new(transaction: &'a Transaction<'a>, session: &'a str) -> Self {
        Self { transaction, session, failed: None }
    }

    pub(super) fn finish(self) -> rusqlite::Result<()> {
        self.failed.map_or(Ok(()), Err)
    }

    fn run<T>(&mut self, statement: impl FnOnce(&Transaction<'_>, &str) -> rusqlite::Result<T>) -> Option<T> {
        if self.failed.is_some() {
            return None;
        }
        statement(self.transaction, self.session).map_err(|error| self.failed = Some(error)).ok()
    }
}

impl Answers for FileAnswers<'_> {
    fn get(&mut self, epoch: u64) -> Option<Arc<ToolResponse>> {
        let text = self.run(|transaction, session| {
            transaction
                .prepare_cached("SELECT answer FROM answers WHERE session = ?1 AND epoch = ?2")?
                .query_row(params![session, sql_integer(epoch)], |row| row.get::<_, String>(0))
                .optional()
        })??;
        ToolResponse::from_stored_text(&text).map(Arc::new)
    }

    fn put(&mut self, epoch: u64, answer: Arc<ToolResponse>) {
        self.run(|transaction, session| {
            transaction
                .prepare_cached("INSERT OR REPLACE INTO answers (session, epoch, answer) VALUES (?1, ?2, ?3)")?
                .execute(params![session, sql_integer(epoch), answer.to_stored_text()])
        });
    }

    fn remove(&mut self, epoch: u64) {
        self.run(|transaction, session| {
            transaction
                .prepare_cached("DELETE FROM answers WHERE session = ?1 AND epoch = ?2")?
                .execute(params![session, sql_integer(epoch)])
        });
    }
}
