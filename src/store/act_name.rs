//! The names of acts.

use serde::{Deserialize, Serialize};

use crate::json::KeyedHash;
use crate::session::key::hex;
use crate::store::row_names::HashName;

/// The name of an act, equal for equal acts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ActName(pub(super) HashName);

impl From<KeyedHash> for ActName {
    fn from(hash: KeyedHash) -> Self {
        Self(HashName::from_content(hex(&hash.to_bytes()).as_bytes()))
    }
}
