//! Session stores: turns, ledger, confirmations, state.
//!
//! One trait for sessions in memory, in a file or on a server. Every [`operation`] is atomic on its own; a claim decides
//! whether a call runs. Each operation is implemented once, as a plain function on a [`document`] and its [`rows`]; the
//! stores load, apply and commit. With the memory store each returned future is ready when it is first polled.

mod act_name;
mod act_row;
mod acts;
mod any_store;
mod api;
mod attaching;
mod claim;
mod claimant;
#[cfg(test)]
mod conformance;
mod document;
mod error;
mod grants;
mod ledger;
mod limits;
pub mod memory;
mod operation;
pub mod outcome;
pub mod overview;
pub mod owed;
mod owed_results;
mod owner;
mod question;
mod question_requests;
mod questions;
pub mod reconcile;
mod record;
mod row_names;
mod rows;
pub mod shared;
mod tombstone;
mod usage;

pub use act_name::ActName;
pub use acts::{Act, ActOutcome, DoneAct, DoneBefore};
pub use any_store::AnyStore;
pub use api::{Idle, Store, StoreFuture, Swept, ready_answer};
pub use attaching::{AttachRequest, AttachedSession, BegunTurn, TurnStarter};
pub use claim::{Budget, CallLookup, CallLookupResult, Claim, ClaimResult, Renewal, Settlement};
pub use claimant::Claimant;
pub use error::{FULL_RETRY_AFTER_MS, StoreError};
pub use grants::{Grant, GrantId, GrantScope, GrantedCall, MAX_GRANTS, NewGrant, UsedGrant};
pub use ledger::TTL_MS as RECORD_TTL_MS;
pub use limits::{CallCount, CallLimit, CountCall, CountStep, LimitReached};
pub use operation::{Answer, Operation, StoreRequests};
pub use owner::Owner;
pub use question::{
    AddedByCode, ApproverName, AskResult, Closing, ConfirmedBy, ConfirmedCall, ConfirmedToken, GivenQuestion,
    ParentClaim, Question, Token, TokenState,
};
pub use question_requests::{AskRequest, ExpiryReport, FoundQuestion};
pub use record::{Record, RecordState};
pub use row_names::question_id;
