//! The canonical form of JSON and its hash, for `js/values/canonical-json.js`.

use napi_derive::napi;

use super::misuse;
use crate::json::{CanonicalJson, Limits, LoneSurrogates, Tape};
use crate::session::fingerprint::canonical_digest;
use crate::session::key::hex;

/// RFC 8785 covers I-JSON, whose strings contain no lone surrogates.
const CANONICAL_LIMITS: Limits = Limits { lone_surrogates: LoneSurrogates::Refuse, ..Limits::widest() };

fn parse(text: String) -> napi::Result<Tape> {
    Tape::parse(text, &CANONICAL_LIMITS).map_err(|error| misuse(error.reason()))
}

/// The canonical form (RFC 8785) of a JSON text. The last value of a duplicate name counts, as in a call's arguments.
#[napi(catch_unwind)]
pub fn canonical_json(text: String) -> napi::Result<String> {
    Ok(CanonicalJson::from_node(parse(text)?.root()).as_str().to_owned())
}

/// The SHA-256 of the canonical form, as lower-case hex: what a confirmation is bound to.
#[napi(catch_unwind)]
pub fn args_hash(text: String) -> napi::Result<String> {
    Ok(hex(&canonical_digest(&CanonicalJson::from_node(parse(text)?.root()))))
}
