//! The row of an act.

use serde::{Deserialize, Serialize};

use crate::clock::EpochMs;
use crate::session::key::RecordKey;

/// The row of an act: the calls that made it, the last one first.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ActRow(pub(super) Vec<ActCall>);

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ActCall {
    pub(super) key: RecordKey,
    pub(super) epoch: u64,
    pub(super) at: EpochMs,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) within: Option<RecordKey>,
}
