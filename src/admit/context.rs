//! The input of admission besides the call: who calls, with which tools, on which store, within which bounds.

use std::sync::Arc;

use crate::admit::deferred::{Reconciling, SchemaCheck};
use crate::clock::EpochMs;
use crate::json::{Limits, LoneSurrogates, NumberRange};
use crate::registry::{CompiledTool, ToolSet};
use crate::schema::RepairRules;
use crate::session::attachment::Attachment;
use crate::session::parent_call::ParentCall;
use crate::store::AnyStore;

/// Bounds of arguments.
#[derive(Debug, Clone, Copy)]
pub struct ArgsLimits {
    /// Bytes of JSON text.
    pub max_bytes: usize,
    /// Nesting depth.
    pub max_depth: u32,
}

impl ArgsLimits {
    /// The limits of a text.
    pub(in crate::admit) const fn of_texts(self) -> Limits {
        Limits {
            max_depth: self.max_depth,
            max_bytes: self.max_bytes,
            lone_surrogates: LoneSurrogates::Refuse,
            numbers: NumberRange::Exact,
        }
    }
}

impl Default for ArgsLimits {
    fn default() -> Self {
        Self { max_bytes: 1024 * 1024, max_depth: 64 }
    }
}

/// The input of admission besides the call.
pub struct AdmissionContext<'a> {
    /// The calling attachment.
    pub attachment: &'a Attachment,
    /// The session's tools.
    pub tools: &'a ToolSet,
    /// The session's store.
    pub store: &'a AnyStore,
    /// Where the store keeps the record.
    pub record_location: RecordLocation,
    /// The concurrency limits.
    pub backpressure: &'a dyn Backpressure,
    /// The call whose handler makes this one; `None` for a call of the model.
    pub parent: Option<&'a Arc<ParentCall>>,
    /// Whether the gate takes no more calls.
    pub closing: bool,
    /// Bounds of the arguments.
    pub limits: ArgsLimits,
    /// The rules by which the registry lets arguments be repaired.
    pub repair: RepairRules,
    /// Whether a record of uncertain outcome that the call meets is reconciled first.
    pub reconciling: Reconciling,
    /// How long a result that no attachment took is owed, in milliseconds.
    pub owed_result_ms: u64,
    /// Whether the code of the tool's schema runs before the call's user is asked.
    pub schema_check: SchemaCheck<'a>,
    /// The time of arrival.
    pub now: EpochMs,
}

impl AdmissionContext<'_> {
    /// The turn of the call: a nested one is of its parent's.
    pub(in crate::admit) fn turn(&self) -> u32 {
        self.parent.map_or_else(|| self.attachment.turn(), |parent| parent.turn)
    }

    /// The rules by which a call of the tool may be repaired: those that registry, mode and tool all allow.
    pub(in crate::admit) fn repair_rules(&self, tool: &CompiledTool) -> RepairRules {
        self.repair.and(self.attachment.mode.repair).and(tool.definition.repair)
    }
}

/// The concurrency limits as admission sees them.
pub trait Backpressure: Sync {
    /// The number of waiting calls if another call of this tool would exceed the limit; `None` if there is room.
    fn queued_if_full(&self, tool: &CompiledTool) -> Option<usize>;
}

/// Where a call's record is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordLocation {
    /// The session's store.
    Store,
    /// This process only, while the store fails.
    Process,
}
