//! Numbers: inclusive bounds, and the formats of Gemini's number types.

use serde_json::{Number, Value, json};

use super::{FlatSchema, GeminiLowering, GeminiSchema, GeminiType};

/// One side of a range.
struct RangeSide {
    inclusive: &'static str,
    exclusive: &'static str,
    /// The step from an excluded integer to the next included one.
    step: f64,
}

const RANGE_SIDES: [RangeSide; 2] = [
    RangeSide { inclusive: "minimum", exclusive: "exclusiveMinimum", step: 1.0 },
    RangeSide { inclusive: "maximum", exclusive: "exclusiveMaximum", step: -1.0 },
];

/// The largest safe integer: a larger `f64` may stand for several integers.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

impl GeminiLowering<'_> {
    pub(super) fn lower_number(&mut self, schema: &mut GeminiSchema, kind: GeminiType, flat: &FlatSchema) {
        for side in &RANGE_SIDES {
            let own = flat.get(side.inclusive).filter(|bound| bound.is_number());
            if let Some(own) = own {
                schema.insert(side.inclusive.to_owned(), own.clone());
            }
            if let Some(Value::Number(beyond)) = flat.get(side.exclusive) {
                self.lower_exclusive_bound(schema, kind, flat, side, beyond);
            }
        }
        let known: &[&str] = if kind == GeminiType::Integer { &["int32", "int64"] } else { &["float", "double"] };
        match flat.string("format") {
            Some(format) if known.contains(&format) => {
                schema.insert("format".to_owned(), json!(format));
            }
            // In JSON Schema these formats apply to strings only, so nothing is lost.
            Some(_) => self.receipt.changed(flat.pointer("format"), "Gemini has no such `format` for this type"),
            None => {}
        }
    }

    fn lower_exclusive_bound(
        &mut self,
        schema: &mut GeminiSchema,
        kind: GeminiType,
        flat: &FlatSchema,
        side: &RangeSide,
        beyond: &Number,
    ) {
        let at = flat.pointer(side.exclusive);
        let RangeSide { inclusive, exclusive, step } = side;
        let outside = beyond.as_f64().unwrap_or_default();
        // The inclusive bound may be tighter.
        let own = schema.get(*inclusive).and_then(Value::as_f64);
        if own.is_some_and(|own| (own - outside) * step > 0.0) {
            self.receipt.changed(at, format!("`{exclusive}` adds nothing to `{inclusive}`"));
        } else if kind == GeminiType::Integer && outside.abs() < MAX_SAFE_INTEGER {
            let inside = if *step > 0.0 { outside.floor() } else { outside.ceil() } + step;
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and within the safe integers")]
            schema.insert((*inclusive).to_owned(), json!(inside as i64));
            self.receipt.changed(at, format!("`{exclusive}` is declared as `{inclusive}` of the next integer"));
        } else {
            schema.insert((*inclusive).to_owned(), Value::Number(beyond.clone()));
            self.receipt
                .lost(at, format!("`{exclusive}` is declared as `{inclusive}`: the bound itself seems allowed"));
        }
    }
}
