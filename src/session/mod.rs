//! Sessions as plain data: state, intents, policy profiles, turns and record keys. Pure functions of their arguments:
//! no waiting, no clock, no store.

pub mod attachment;
pub mod cache;
pub mod deadline;
pub mod delivery;
pub mod early_cancellations;
pub mod fingerprint;
pub mod intent;
pub mod key;
pub(crate) mod lazy_lru;
pub mod loop_guard;
pub mod parent_call;
pub mod policy;
pub mod state;
pub mod turns;
