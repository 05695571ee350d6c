//! The text of audit lines: time, session, then the event, which serializes itself.

use serde::Serialize;

use super::event::Event;
use crate::json::visible_json;

/// An audit line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditLine<'a> {
    /// The time, ISO 8601.
    pub at: &'a str,
    /// The session, if the event belongs to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<&'a str>,
    /// The event.
    #[serde(flatten)]
    pub event: &'a Event<'a>,
}

impl AuditLine<'_> {
    /// The line as one JSON object, without a line break. Hidden characters are escaped: a name or reason must not change
    /// how a terminal shows the line.
    #[must_use]
    pub fn to_text(&self) -> String {
        // Plain data always serializes.
        visible_json(serde_json::to_string(self).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
