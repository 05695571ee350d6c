//! The selection of audit lines by session, call and time.

use std::io;

use serde::Deserialize;

use super::reading::AuditReader;

/// What selected lines have in common. `None` selects all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineFilter {
    /// The session.
    pub session_id: Option<String>,
    /// The call; the calls that its handler made are selected too.
    pub call_id: Option<String>,
    /// The earliest time, in the form of `at`: ISO 8601 with milliseconds, UTC.
    pub since: Option<String>,
}

/// The members of a line that a filter compares.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SelectedMembers {
    #[serde(default)]
    at: String,
    session_id: Option<String>,
    call_id: Option<String>,
    parent_call_id: Option<String>,
}

impl LineFilter {
    fn selects(&self, line: &SelectedMembers) -> bool {
        let is_of = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
        is_of(&self.session_id, &line.session_id)
            && (is_of(&self.call_id, &line.call_id) || is_of(&self.call_id, &line.parent_call_id))
            && self.since.as_ref().is_none_or(|since| line.at >= *since)
    }
}

/// Selected lines, read in batches.
pub struct LineSelection {
    reader: AuditReader,
    filter: LineFilter,
    incomplete: u64,
}

impl LineSelection {
    /// The lines of these files that the filter selects.
    #[must_use]
    pub const fn new(reader: AuditReader, filter: LineFilter) -> Self {
        Self { reader, filter, incomplete: 0 }
    }

    /// The next lines, each with its line break, about `bytes` of them. `None` at the end.
    ///
    /// # Errors
    /// If a file can't be read, with its name.
    pub fn next_batch(&mut self, bytes: usize) -> io::Result<Option<String>> {
        let mut batch = String::new();
        while batch.len() < bytes {
            let Some(line) = self.reader.next_line()? else { break };
            let Ok(members) = serde_json::from_slice::<SelectedMembers>(line.bytes) else {
                self.incomplete += 1;
                continue;
            };
            if self.filter.selects(&members) {
                batch.push_str(&String::from_utf8_lossy(line.bytes));
                batch.push('\n');
            }
        }
        Ok(if batch.is_empty() { None } else { Some(batch) })
    }

    /// The number of lines so far that are no audit lines: a killed process left them incomplete.
    #[must_use]
    pub const fn incomplete(&self) -> u64 {
        self.incomplete
    }
}
