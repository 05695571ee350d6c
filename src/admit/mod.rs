//! Admission: may this call run? [`Stage::ORDER`] declares the order of the stages.
//!
//! A stage is a plain function: it reads what the stages before have made, and either goes on or stops the call with an
//! [`Admission`]. What a call waits for, the store or a worker, is in `admitting`: on a store that never waits, the one
//! future of [`admit`] is ready when it is first polled. Admission starts no handler, and debits nothing before the claim.
//!
//! | here | what it has |
//! |---|---|
//! | `call`, `decision`, `context` | the types: a call on its way, what is decided about it, and by what |
//! | `entry`, `again` | the ways in of a model's call: for the first time, and to continue it |
//! | `admitting` | the way through the stages |
//! | `deferred` | what must be found out first; the call is admitted again after it |
//! | `stages/` | the stages, and their order |
//! | `args/` | the arguments: read, repaired, completed and checked |
//! | `acts/` | what was done before, and what is reserved |
//! | `consent/` | questions, answers, grants and approvers; the ways in of a confirmed call |

mod acts;
mod admitting;
mod again;
mod args;
mod call;
mod consent;
mod context;
mod decision;
mod deferred;
mod entry;
mod stages;

pub use acts::reservation::Reservation;
pub use again::{CallBefore, admit_again};
pub(crate) use args::offload::is_read_at_once;
pub(crate) use args::schema_check::not_checked;
pub use args::validate::{validate, validate_named};
pub use call::{AdmittedCall, CallHeader};
pub use consent::approvers::{Approver, check_approver, needs_more};
pub use consent::confirm::{NoConfirmation, not_confirmed};
pub use consent::confirmed::{UserConfirmation, admit_confirmed};
pub use consent::confirmed_call::admit_confirmed_call;
pub use consent::preview::argument_table;
pub use context::{AdmissionContext, ArgsLimits, Backpressure, RecordLocation};
pub use decision::{Admission, AdmissionResult, Asked, Counted, store_refusal};
pub use deferred::{MetBy, Reconciling, SchemaCheck, SchemaFindings, UncertainRecord, UncheckedCall};
pub use entry::{admit, ask};
pub use stages::backpressure::NO_SLOT_RETRY_AFTER_MS;
pub use stages::order::{AdmissionPath, Stage};
pub(crate) use stages::replay::{forgotten, outcome_unknown, ran_as};
pub use stages::uncertain::args_for_another_run;
