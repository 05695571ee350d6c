//! Whether the server of a tool still offers what was locked. The host says so, each time it has looked.

use std::sync::atomic::{AtomicU8, Ordering};

use serde::Deserialize;

/// Why a source's tool is not offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unavailable {
    /// The server publishes another definition than the locked one.
    DefinitionChanged,
    /// The server does not publish the tool any more.
    DefinitionGone,
}

impl Unavailable {
    /// The reason's name in answers and in the audit.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DefinitionChanged => "definition_changed",
            Self::DefinitionGone => "definition_gone",
        }
    }

    /// The reason for a model and its user.
    #[must_use]
    pub const fn as_text(self) -> &'static str {
        match self {
            Self::DefinitionChanged => "its server has changed its definition since it was approved",
            Self::DefinitionGone => "its server does not offer it any more",
        }
    }

    const fn code(reason: Option<Self>) -> u8 {
        match reason {
            None => 0,
            Some(Self::DefinitionChanged) => 1,
            Some(Self::DefinitionGone) => 2,
        }
    }

    const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => None,
            1 => Some(Self::DefinitionChanged),
            _ => Some(Self::DefinitionGone),
        }
    }
}

/// What is known of a tool's server. A tool with a handler is always available.
#[derive(Debug, Default)]
pub struct Availability(AtomicU8);

impl Availability {
    /// Says what was seen; returns whether that is news.
    pub fn set(&self, reason: Option<Unavailable>) -> bool {
        let code = Unavailable::code(reason);
        self.0.swap(code, Ordering::Relaxed) != code
    }

    /// Why the tool is not offered; `None` if it is.
    #[must_use]
    pub fn reason(&self) -> Option<Unavailable> {
        Unavailable::from_code(self.0.load(Ordering::Relaxed))
    }
}
