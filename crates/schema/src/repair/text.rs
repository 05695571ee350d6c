//! Repair of a text that is no JSON object: in a code fence, with trailing commas, or encoded twice.

use super::{RepairRule, Repaired, code_fence, json_text, trailing_comma};
use toolgate_json::{Kind, Limits, Tape};

/// The object that a text stands for. Each rule is applied once: the fence, then the commas, then the second encoding.
pub(super) fn repair(text: &str, limits: &Limits) -> Option<(Tape, Vec<Repaired>)> {
    if text.len() > limits.max_bytes {
        return None;
    }
    let mut repaired = Vec::new();
    let mut text = text;
    if let Some(inner) = code_fence::read(text) {
        text = inner;
        repaired.push(Repaired::whole(RepairRule::CodeFence));
    }
    let mut tape = Tape::parse(text, limits).ok().filter(|tape| tape.text() == text);
    if tape.is_none() {
        let without = trailing_comma::read(text)?;
        tape = Tape::parse(without.as_str(), limits).ok().filter(|tape| tape.text() == without);
        repaired.push(Repaired::whole(RepairRule::TrailingComma));
    }
    let mut tape = tape?;
    if let Some(inner) = tape.root().as_str() {
        tape = json_text::decode(&inner, limits)?;
        repaired.push(Repaired::whole(RepairRule::JsonText));
    }
    (tape.root().kind() == Kind::Object && !repaired.is_empty()).then_some((tape, repaired))
}
