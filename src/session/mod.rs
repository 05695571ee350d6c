//! Sessions as plain data: state, intents, policy profiles, turns and keys. Nothing here waits, reads the time or
//! knows a store; each change is a function of what is given.

pub mod attachment;
pub mod cache;
pub mod fingerprint;
pub mod fulls;
pub mod intent;
pub mod key;
pub mod loops;
pub mod parent;
pub mod policy;
pub mod state;
