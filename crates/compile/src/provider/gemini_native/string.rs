//! Strings.

use serde_json::json;

use super::{FlatSchema, GeminiLowering, GeminiSchema};
use toolgate_schema::is_linear_pattern;

impl GeminiLowering<'_> {
    pub(super) fn lower_string(&mut self, schema: &mut GeminiSchema, flat: &FlatSchema) {
        self.lower_int64_bounds(schema, flat, &["minLength", "maxLength"]);
        if let Some(pattern) = flat.string("pattern") {
            if is_linear_pattern(pattern) {
                schema.insert("pattern".to_owned(), json!(pattern));
            } else {
                self.receipt.lost(flat.pointer("pattern"), "`pattern` can't run without back-tracking and is left out");
            }
        }
        match flat.string("format") {
            Some("date-time") => {
                schema.insert("format".to_owned(), json!("date-time"));
            }
            // Gemini API: "only 'enum' and 'date-time' are supported for STRING type".
            Some(format) => {
                let change = format!("Gemini supports only `date-time` as `format` of strings, not `{format}`");
                self.receipt.lost(flat.pointer("format"), change);
            }
            None => {}
        }
    }
}
