//! What Gemini takes for numbers: bounds that are part of the range, and the formats of its number types.

use serde_json::{Number, Value, json};

use super::{Flat, Lowered, Lowering, Type};

/// One side of the range.
struct Side {
    inclusive: &'static str,
    exclusive: &'static str,
    /// From an integer that is out to the next that is in.
    step: f64,
}

const SIDES: [Side; 2] = [
    Side { inclusive: "minimum", exclusive: "exclusiveMinimum", step: 1.0 },
    Side { inclusive: "maximum", exclusive: "exclusiveMaximum", step: -1.0 },
];

/// Beyond it a double does not tell an integer from the next.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

impl Lowering<'_> {
    pub(super) fn number(&mut self, schema: &mut Lowered, kind: Type, flat: &Flat) {
        for side in &SIDES {
            let own = flat.get(side.inclusive).filter(|bound| bound.is_number());
            if let Some(own) = own {
                schema.insert(side.inclusive.to_owned(), own.clone());
            }
            if let Some(Value::Number(beyond)) = flat.get(side.exclusive) {
                self.exclusive(schema, kind, flat, side, beyond);
            }
        }
        let known: &[&str] = if kind == Type::Integer { &["int32", "int64"] } else { &["float", "double"] };
        match flat.text("format") {
            Some(format) if known.contains(&format) => {
                schema.insert("format".to_owned(), json!(format));
            }
            // `format` bears on texts in JSON Schema, so nothing is lost.
            Some(_) => self.receipt.changed(flat.pointer("format"), "Gemini has no such `format` for this type"),
            None => {}
        }
    }

    fn exclusive(&mut self, schema: &mut Lowered, kind: Type, flat: &Flat, side: &Side, beyond: &Number) {
        let at = flat.pointer(side.exclusive);
        let Side { inclusive, exclusive, step } = side;
        let outside = beyond.as_f64().unwrap_or_default();
        // The other bound may be the tighter one.
        let own = schema.get(*inclusive).and_then(Value::as_f64);
        if own.is_some_and(|own| (own - outside) * step > 0.0) {
            self.receipt.changed(at, format!("`{exclusive}` says no more than `{inclusive}`"));
        } else if kind == Type::Integer && outside.abs() < MAX_SAFE {
            let inside = if *step > 0.0 { outside.floor() } else { outside.ceil() } + step;
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and within the safe integers")]
            schema.insert((*inclusive).to_owned(), json!(inside as i64));
            self.receipt.changed(at, format!("`{exclusive}` is told as `{inclusive}` of the next integer"));
        } else {
            schema.insert((*inclusive).to_owned(), Value::Number(beyond.clone()));
            self.receipt.lost(at, format!("`{exclusive}` is told as `{inclusive}`: the bound itself seems allowed"));
        }
    }
}
