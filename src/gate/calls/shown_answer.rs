//! The answer of a call for people who watch calls, with what is sensitive in the call masked as in its handler's audit lines.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::error::ToolError;
use crate::gate::Gate;
use crate::registry::ToolSet;
use crate::schema::SensitiveTerms;

/// What of an answer's meta decides how the answer is shown.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ShownMeta {
    tool_id: Option<String>,
    #[serde(default)]
    attempts: u32,
}

impl Gate {
    /// The data or the error of a `ToolResponse`, masked. `args` are those that were sent, or that ran. `None` if the answer may
    /// have sensitive values that can't be found, because its tool or its arguments are not known.
    #[must_use]
    pub fn shown_answer(&self, tools: &ToolSet, args: Option<String>, answer: &str) -> Option<Value> {
        let mut answer: Map<String, Value> = serde_json::from_str(answer).ok()?;
        let meta: ShownMeta = serde_json::from_value(answer.remove("meta")?).ok()?;
        let error: Option<ToolError> = answer.remove("error").map(serde_json::from_value).transpose().ok()?;
        let terms = match &error {
            // Nothing ran: the error is the gate's own, which repeats no sensitive value.
            Some(_) if meta.attempts == 0 => SensitiveTerms::default(),
            _ => self.terms_of_call(tools, &meta.tool_id?, args)?,
        };
        let Some(error) = error else {
            let mut shown = Map::new();
            if let Some(mut data) = answer.remove("data") {
                terms.mask(&mut data);
                shown.insert("data".to_owned(), data);
            }
            return Some(shown.into());
        };
        let mut shown = Map::new();
        shown.insert("type".to_owned(), error.kind.as_str().into());
        shown.insert("message".to_owned(), terms.mask_text(&error.message).into());
        if error.partial_side_effects {
            shown.insert("partialSideEffects".to_owned(), true.into());
        }
        if let Some(question) = error.confirmation_request {
            shown.insert("preview".to_owned(), question.preview.into());
        }
        Some(json!({ "error": shown }))
    }

    fn terms_of_call(&self, tools: &ToolSet, tool_id: &str, args: Option<String>) -> Option<SensitiveTerms> {
        let tool = tools.get(tool_id)?;
        if !tool.args_schema.has_sensitive() {
            return Some(SensitiveTerms::default());
        }
        let args = self.completed_args(tool, args?)?;
        Some(tool.args_schema.sensitive_terms(Some(&args)))
    }
}
