//! Arguments between the stages parse and completion. A large text is hashed, completed and validated on the worker that
//! reads it; the result counts only at the stage completion. If the call has a record already, it is most likely answered
//! from it: then completion waits until the stage is reached.

use std::sync::Arc;

use crate::admit::args::offload::{is_large, on_worker};
use crate::admit::args::parse::issues_error;
use crate::admit::call::CallHeader;
use crate::admit::context::{AdmissionContext, ArgsLimits};
use crate::error::{ErrorType, ToolError};
use crate::json::{CanonicalJson, Limits, Tape};
use crate::registry::CompiledTool;
use crate::schema::{Clamp, Completed, RepairRules, RepairSettings, Repaired, RepairedArgs};

/// Parsed arguments.
pub(in crate::admit) enum ParsedArgs {
    /// Of a small text: nothing is done before the stage completion.
    Small(Tape, ArgsCheck),
    /// Of a large text: its canonical form, and what the check found. Of a text that was no JSON object and was repaired:
    /// the text as a JSON string, and what was read from it.
    Checked(CanonicalJson<'static>, Box<Result<CheckedArgs, ToolError>>),
    /// Of a large text of a call that has a record already: the check has not begun.
    Recorded(CanonicalJson<'static>, Tape, ArgsCheck),
}

/// Arguments that fit their schema.
#[derive(Debug)]
pub(in crate::admit) struct CheckedArgs {
    pub(in crate::admit) completed: Completed,
    /// What was repaired in them; `None` for arguments that fit as received.
    pub(in crate::admit) repair: Option<Box<ArgsRepair>>,
}

/// A repair of arguments.
#[derive(Debug)]
pub(in crate::admit) struct ArgsRepair {
    pub(in crate::admit) repaired: Vec<Repaired>,
    /// The refusal of the arguments as received.
    pub(in crate::admit) refusal: ToolError,
}

impl ParsedArgs {
    /// The canonical form of the arguments as received.
    pub(in crate::admit) fn canonical(&self) -> CanonicalJson<'_> {
        match self {
            Self::Small(tape, _) => CanonicalJson::from_node(tape.root()),
            Self::Checked(canonical, _) | Self::Recorded(canonical, ..) => canonical.borrowed(),
        }
    }

    /// Completes and validates the arguments.
    pub(in crate::admit) async fn completed(self) -> Result<CheckedArgs, ToolError> {
        match self {
            Self::Small(tape, check) => check.run(tape),
            Self::Checked(_, checked) => *checked,
            // Boxed, so that this rare case does not enlarge the future of every call.
            Self::Recorded(_, tape, check) => Box::pin(check.offloaded(tape)).await,
        }
    }
}

/// Completion and validation: strict nulls become absent, defaults are filled, values are clamped; then the schema is
/// checked. Arguments that do not fit are repaired if exactly one reading of them does.
pub(in crate::admit) struct ArgsCheck {
    pub(in crate::admit) tool: Arc<CompiledTool>,
    pub(in crate::admit) clamps: Vec<Clamp>,
    pub(in crate::admit) repair: RepairRules,
    pub(in crate::admit) limits: ArgsLimits,
}

impl ArgsCheck {
    /// The check of arguments that were shown or meant as they are: nothing is repaired in them.
    pub(in crate::admit) fn without_repair(
        context: &AdmissionContext<'_>,
        header: &CallHeader,
        tool: &Arc<CompiledTool>,
    ) -> Self {
        Self {
            tool: Arc::clone(tool),
            clamps: tool.clamps(&header.mode.name, header.mode.top_k),
            repair: RepairRules::NONE,
            limits: context.limits,
        }
    }

    /// As [`run`](Self::run), of a large text on a worker.
    pub(in crate::admit) async fn offloaded(self, tape: Tape) -> Result<CheckedArgs, ToolError> {
        if !is_large(tape.text()) {
            return self.run(tape);
        }
        let panicked = || Err(ToolError::new(ErrorType::Internal, "the arguments could not be checked"));
        on_worker(move || self.run(tape)).await.unwrap_or_else(panicked)
    }

    /// Returns the final arguments.
    pub(in crate::admit) fn run(self, tape: Tape) -> Result<CheckedArgs, ToolError> {
        let nulls = self.tool.strict_nulls.reading();
        let invalid = match self.tool.args_schema.check(tape, &self.clamps, nulls) {
            Ok(completed) => return Ok(CheckedArgs { completed, repair: None }),
            Err(invalid) => invalid,
        };
        let refusal = issues_error(&self.tool.id, &invalid.issues);
        let settings =
            RepairSettings { clamps: &self.clamps, nulls, rules: self.repair, max_depth: self.limits.max_depth };
        match self.tool.args_schema.repair(invalid, &settings) {
            Some(RepairedArgs { completed, repaired, .. }) => {
                Ok(CheckedArgs { completed, repair: Some(Box::new(ArgsRepair { repaired, refusal })) })
            }
            None => Err(refusal),
        }
    }

    /// The arguments of a text that was refused because it is no JSON object, if it can be repaired.
    ///
    /// # Errors
    /// The refusal.
    pub(in crate::admit) fn run_on_text(
        self,
        text: &str,
        limits: &Limits,
        refusal: ToolError,
    ) -> Result<CheckedArgs, ToolError> {
        let rules = self.repair;
        let read = if rules.is_empty() { None } else { self.tool.args_schema.repair_text(text, limits) };
        let is_allowed = |repaired: &Repaired| rules.contains(repaired.rule);
        let Some((tape, mut repaired)) = read.filter(|(_, repaired)| repaired.iter().all(is_allowed)) else {
            return Err(refusal);
        };
        let Ok(CheckedArgs { completed, repair }) = self.run(tape) else { return Err(refusal) };
        repaired.extend(repair.into_iter().flat_map(|inside| inside.repaired));
        Ok(CheckedArgs { completed, repair: Some(Box::new(ArgsRepair { repaired, refusal })) })
    }
}
