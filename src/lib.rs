//! Toolgate: the gate that every tool call of an LLM agent passes through.
//!
//! A call flows one way, and each stage is a type that only the stage before can make:
//!
//! ```text
//! provider frame → RawCall → ParsedCall → AdmittedCall → Attempted → ToolResponse → provider frame
//!                  └── admit: may it run? ──┘ └── run: do it ──┘ └── settle: record the outcome ─┘
//! ```
//!
//! `ARCHITECTURE.md` lists the folders with their invariants.

pub mod admit;
#[cfg(feature = "node")]
pub mod bindings;
pub mod call;
pub mod clock;
pub mod error;
pub mod gate;
pub mod observe;
pub mod registry;
pub mod response;
pub mod run;
pub mod session;
pub mod settle;
pub mod store;
pub mod tool_search;
pub mod view;

pub use toolgate_compile as compile;
pub use toolgate_definition as definition;
pub use toolgate_json as json;
pub use toolgate_schema as schema;
