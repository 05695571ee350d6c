//! The stages of admission: the one list of their order, and which ways into the gate pass which of them.
//!
//! Every way reports each stage that it enters to a [`StageOrder`]. Builds with debug assertions, which all tests are,
//! check there that the way follows the list.

/// A stage of admission. Its name is used in the documentation and in ARCHITECTURE.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The session is active, and the attachment belongs to it.
    Session,
    /// The tool is known, and its services are present.
    Tool,
    /// The arguments are a JSON object within bounds.
    Parse,
    /// A recorded call is answered from its record; a running one is joined.
    Replay,
    /// The mode allows the tool.
    Mode,
    /// The session holds the tool's roles.
    Roles,
    /// A call of a handler stays within the depth limit and calls no tool that waits for it.
    NestedCalls,
    /// The call does not repeat itself.
    LoopGuard,
    /// The turn's budgets and the tool's rate limit have room.
    Budget,
    /// Nulls, defaults and clamps; then the schema is checked, and the arguments are final.
    Completion,
    /// A user is asked if the tool needs it. Without a session such a tool is refused.
    Confirmation,
    /// There is a free slot or a place in the queue.
    Backpressure,
    /// One atomic step: record, debit, consume the confirmation.
    Claim,
}

/// A way into the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdmissionPath {
    /// A call of a model or of a handler.
    Call,
    /// A call that its user has confirmed: the user's act, which is not budgeted. Its arguments are those that were
    /// shown; they are completed anew only if the tool's definition has changed. It needs no replay: its claim consumes the
    /// confirmation, which only one claim can. Its place among nested calls was checked before its user was asked.
    Confirmed,
}

impl Stage {
    /// All stages, in the order of the contract.
    pub const ORDER: [Self; 13] = [
        Self::Session,
        Self::Tool,
        Self::Parse,
        Self::Replay,
        Self::Mode,
        Self::Roles,
        Self::NestedCalls,
        Self::LoopGuard,
        Self::Budget,
        Self::Completion,
        Self::Confirmation,
        Self::Backpressure,
        Self::Claim,
    ];

    /// The name in the documentation.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Tool => "tool",
            Self::Parse => "parse",
            Self::Replay => "replay",
            Self::Mode => "mode",
            Self::Roles => "roles",
            Self::NestedCalls => "nested calls",
            Self::LoopGuard => "loop guard",
            Self::Budget => "budget",
            Self::Completion => "completion",
            Self::Confirmation => "confirmation",
            Self::Backpressure => "back-pressure",
            Self::Claim => "claim",
        }
    }

    /// Whether calls that take a path pass this stage.
    #[must_use]
    pub const fn is_on(self, path: AdmissionPath) -> bool {
        match path {
            AdmissionPath::Call => true,
            AdmissionPath::Confirmed => {
                matches!(
                    self,
                    Self::Session
                        | Self::Tool
                        | Self::Mode
                        | Self::Roles
                        | Self::Completion
                        | Self::Backpressure
                        | Self::Claim
                )
            }
        }
    }
}

/// The progress of one call along its path.
#[derive(Debug)]
pub(in crate::admit) struct StageOrder {
    path: AdmissionPath,
    last: Option<Stage>,
}

impl StageOrder {
    pub(in crate::admit) const fn new(path: AdmissionPath) -> Self {
        Self { path, last: None }
    }

    /// The path.
    pub(in crate::admit) const fn path(&self) -> AdmissionPath {
        self.path
    }

    /// Enters the next stage.
    pub(in crate::admit) fn enter(&mut self, stage: Stage) {
        debug_assert!(stage.is_on(self.path), "{stage:?} is not on the path {:?}", self.path);
        debug_assert!(self.last < Some(stage), "{stage:?} comes before {:?}", self.last);
        // No stage of the path lies between the last one and this one.
        debug_assert!(
            Stage::ORDER.iter().all(|&other| { !other.is_on(self.path) || Some(other) <= self.last || other >= stage }),
            "a stage between {:?} and {stage:?} was left out",
            self.last
        );
        self.last = Some(stage);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_lists_every_stage_once() {
        assert!(Stage::ORDER.is_sorted());
        let names: std::collections::BTreeSet<_> = Stage::ORDER.iter().map(|stage| stage.name()).collect();
        assert_eq!(names.len(), Stage::ORDER.len());
    }

    #[test]
    fn the_architecture_page_draws_the_stages_in_order() {
        let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/ARCHITECTURE.md")).unwrap();
        let drawing = page.split("```").nth(1).unwrap();
        let mut rest = drawing;
        for stage in Stage::ORDER {
            let after = rest.split_once(stage.name());
            rest = after.unwrap_or_else(|| panic!("`{}` is drawn in its place", stage.name())).1;
        }
    }

    #[test]
    #[should_panic(expected = "was left out")]
    fn a_stage_that_is_left_out_is_noticed() {
        let mut order = StageOrder::new(AdmissionPath::Call);
        order.enter(Stage::Session);
        order.enter(Stage::Parse);
    }
}
