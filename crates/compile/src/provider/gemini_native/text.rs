//! What Gemini takes for text.

use serde_json::json;

use super::{Flat, Lowered, Lowering};
use crate::dialect;

impl Lowering<'_> {
    pub(super) fn text(&mut self, schema: &mut Lowered, flat: &Flat) {
        self.lengths(schema, flat, &["minLength", "maxLength"]);
        if let Some(pattern) = flat.text("pattern") {
            if dialect::is_pattern(pattern) {
                schema.insert("pattern".to_owned(), json!(pattern));
            } else {
                self.receipt.lost(flat.pointer("pattern"), "`pattern` can't run without back-tracking and is left out");
            }
        }
        match flat.text("format") {
            Some("date-time") => {
                schema.insert("format".to_owned(), json!("date-time"));
            }
            // "only 'enum' and 'date-time' are supported for STRING type", says the Gemini API.
            Some(format) => {
                let change = format!("for text Gemini takes no `format` but `date-time`, so not `{format}`");
                self.receipt.lost(flat.pointer("format"), change);
            }
            None => {}
        }
    }
}
