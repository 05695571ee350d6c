//! A stored session as an operator sees it: metadata, the states of its calls and questions, and its grants. Never a value of
//! its state, an argument, a result, or a question's token.

use std::ops::ControlFlow;

use serde::Serialize;

use super::document::{OperationOutput, OperationResult, SessionDocument};
use super::grants::{Grant, GrantScope};
use super::ledger::{CallRow, EntryState, LedgerEntry};
use super::owed::DroppedResult;
use super::questions::{QuestionRow, QuestionState};
use super::rows::Rows;
use crate::clock::{EpochMs, to_iso8601};
use crate::session::state::{ChangeAuthor, StateChange};
use crate::store::error::StoreError;

/// A session without its calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// The session's id; a hash of a long one.
    pub id: String,
    /// The owner.
    pub principal: Option<String>,
    /// The mode of the last attachment.
    pub mode: Option<String>,
    /// Whether it has not ended.
    pub active: bool,
    /// The turn, from 1.
    pub turn: u32,
    /// The tool set.
    pub registry_version: String,
    /// The time of the last use, ISO 8601.
    pub used_at: String,
}

/// A recorded call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordSummary {
    /// The tool as called.
    pub tool: String,
    /// The provider's id.
    pub call_id: Option<String>,
    /// The turn in which it ran.
    pub turn: u32,
    /// `started`, `unknown`, `succeeded`, `failed`; `lost` if its process stopped renewing it.
    pub state: &'static str,
    /// The time of the claim, ISO 8601.
    pub claimed_at: String,
}

/// A question to the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionSummary {
    /// The tool.
    pub tool: String,
    /// The provider's id of the asking call.
    pub call_id: Option<String>,
    /// The turn in which it was asked.
    pub turn: u32,
    /// `pending`, `expired`, `denied` or `confirmed`.
    pub state: &'static str,
    /// The time of its expiry, ISO 8601.
    pub expires: String,
    /// How many of its approvers have confirmed it; `None` if who asks answers it.
    pub approvers: Option<CountedApprovers>,
}

/// How many approvers have confirmed a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CountedApprovers {
    /// Those who have.
    pub confirmations: usize,
    /// Those who must.
    pub count: u32,
}

/// A grant that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GrantSummary {
    /// Its name, also in `confirmation_granted` of the audit, whose hashes name the arguments.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its version.
    pub tool_version: String,
    /// Which later calls of the tool run without a question.
    pub scope: GrantScope,
    /// How many still do.
    pub calls_left: u32,
    /// The time at which it ends, ISO 8601.
    pub expires: String,
    /// The time at which it was given, ISO 8601.
    pub granted_at: String,
    /// The way in which the user's answer came.
    pub via: Option<String>,
}

impl From<Grant> for GrantSummary {
    fn from(grant: Grant) -> Self {
        Self {
            id: (*grant.id).to_owned(),
            tool: (*grant.call.tool).to_owned(),
            tool_version: (*grant.call.tool_version).to_owned(),
            scope: grant.scope,
            calls_left: grant.calls_left,
            expires: to_iso8601(grant.expires),
            granted_at: to_iso8601(grant.granted_at),
            via: grant.via.as_deref().map(str::to_owned),
        }
    }
}

/// A session with its calls, questions and grants, each in the order of their times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionOverview {
    /// The session.
    #[serde(flatten)]
    pub summary: SessionSummary,
    /// The recorded calls.
    pub records: Vec<RecordSummary>,
    /// The questions.
    pub questions: Vec<QuestionSummary>,
    /// The grants.
    pub grants: Vec<GrantSummary>,
    /// The number of rows that can't be read.
    pub unreadable: u32,
}

/// A stored document.
pub(super) fn parse(text: &str) -> Result<SessionDocument, serde_json::Error> {
    serde_json::from_str(text)
}

/// The results that are owed to a session; none if it owes none, or can't be read.
pub(super) fn owed_in(document: Option<&str>) -> Vec<DroppedResult> {
    document.and_then(|text| parse(text).ok()).map(|document| document.owed.all_dropped()).unwrap_or_default()
}

/// The summary of a document.
pub(super) fn summarize(id: String, document: &SessionDocument) -> SessionSummary {
    let mode = document.state.get("mode").and_then(|mode| mode.as_str()).map(str::to_owned);
    SessionSummary {
        id,
        principal: document.owner.principal().map(str::to_owned),
        mode,
        active: !document.has_ended(),
        turn: document.usage.turn(),
        registry_version: (*document.tools_version).to_owned(),
        used_at: to_iso8601(document.used_at()),
    }
}

/// Ends a session as it is now. False if it had ended.
pub(super) fn end_active(document: &mut SessionDocument, rows: &mut dyn Rows, now: EpochMs) -> OperationResult<bool> {
    let changes = ending(document, now);
    let was_active = !changes.is_empty();
    document.end(changes, rows, now)?;
    Ok(OperationOutput { answer: was_active, changed: was_active })
}

/// The changes that end a session; none if it has ended.
fn ending(document: &SessionDocument, now: EpochMs) -> Vec<StateChange> {
    let mut state = document.state.clone();
    state.end(ChangeAuthor { by: "host", call_id: None, at: now });
    state.changes_since(document.state.revision())
}

/// Collects the rows of a session.
#[derive(Debug, Default)]
pub(super) struct OverviewBuilder {
    records: Vec<(EpochMs, RecordSummary)>,
    questions: Vec<(EpochMs, QuestionSummary)>,
    unreadable: u32,
}

impl OverviewBuilder {
    /// Adds a row by its name in the file or on the server. Other rows than records and questions are left out.
    pub(super) fn add_row(&mut self, name: &str, content: &str, now: EpochMs) {
        let added = match name.split_once(':') {
            Some(("call", _)) => serde_json::from_str(content).map(|row| self.add_call(row, now)),
            Some(("question", _)) => serde_json::from_str(content).map(|row| self.add_question(row, now)),
            _ => Ok(()),
        };
        self.unreadable += u32::from(added.is_err());
    }

    fn add_call(&mut self, row: CallRow, now: EpochMs) {
        let CallRow::Record(entry) = row else { return };
        let record = RecordSummary {
            tool: entry.fingerprint.tool().to_owned(),
            call_id: entry.call_id.as_ref().map(ToString::to_string),
            turn: entry.turn,
            state: state_of(&entry, now),
            claimed_at: to_iso8601(entry.claimed_at),
        };
        self.records.push((entry.claimed_at, record));
    }

    fn add_question(&mut self, QuestionRow { question, state, .. }: QuestionRow, now: EpochMs) {
        let state = match state {
            QuestionState::Pending if question.expires <= now => "expired",
            QuestionState::Pending => "pending",
            QuestionState::Expired => "expired",
            QuestionState::Denied => "denied",
            QuestionState::Confirmed { .. } | QuestionState::AnsweredBy { .. } => "confirmed",
        };
        let summary = QuestionSummary {
            tool: (*question.tool).to_owned(),
            call_id: question.call_id.as_ref().map(ToString::to_string),
            turn: question.turn,
            state,
            expires: to_iso8601(question.expires),
            approvers: question.approvers.as_ref().map(|approvers| CountedApprovers {
                confirmations: question.confirmed_by.len(),
                count: approvers.count,
            }),
        };
        self.questions.push((question.expires, summary));
    }

    pub(super) fn finish(mut self, summary: SessionSummary, grants: Vec<Grant>) -> SessionOverview {
        self.records.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| one.call_id.cmp(&other.call_id)));
        self.questions.sort_by_key(|(expires, _)| *expires);
        SessionOverview {
            summary,
            records: self.records.into_iter().map(|(_, record)| record).collect(),
            questions: self.questions.into_iter().map(|(_, question)| question).collect(),
            grants: grants.into_iter().map(GrantSummary::from).collect(),
            unreadable: self.unreadable,
        }
    }
}

fn state_of(entry: &LedgerEntry, now: EpochMs) -> &'static str {
    match entry.state {
        EntryState::Started if entry.is_running(now) => "started",
        EntryState::Started => "lost",
        EntryState::Unknown => "unknown",
        EntryState::Settled { ok: true } | EntryState::Forgotten { ok: true } => "succeeded",
        EntryState::Settled { ok: false } | EntryState::Forgotten { ok: false } => "failed",
    }
}

/// The failure of a document that can't be read.
pub(super) fn unreadable(id: &str, error: &serde_json::Error) -> StoreError {
    StoreError::SessionFailed(format!("session `{id}` can't be read: {error}"))
}

/// Which sessions are listed.
#[derive(Debug, Clone, Default)]
pub struct SessionFilter {
    /// Of this principal only.
    pub principal: Option<String>,
    /// The maximum that is listed.
    pub limit: usize,
}

/// Listed sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SessionList {
    /// The sessions: of a file and a database the last used first, of a Redis server in no order.
    pub sessions: Vec<SessionSummary>,
    /// Whether there are more.
    pub more: bool,
    /// The number of sessions that were looked at and can't be read.
    pub unreadable: u32,
}

impl SessionList {
    /// Adds a session. Breaks if the list is full.
    pub(super) fn add(&mut self, key: &str, document: &str, filter: &SessionFilter) -> ControlFlow<()> {
        let Ok(document) = parse(document) else {
            self.unreadable += 1;
            return ControlFlow::Continue(());
        };
        if filter.principal.is_some() && filter.principal.as_deref() != document.owner.principal() {
            return ControlFlow::Continue(());
        }
        self.more = self.sessions.len() >= filter.limit;
        if self.more {
            return ControlFlow::Break(());
        }
        self.sessions.push(summarize(key.to_owned(), &document));
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests;
