//! The audit lines that handlers write, with what is sensitive in their calls masked.

use serde::Deserialize;
use serde_json::Value;

use crate::gate::Gate;
use crate::json::{Limits, Tape};
use crate::observe::event::Event;
use crate::registry::ToolSet;
use crate::schema::SensitiveTerms;

/// An audit line that a handler writes, without its data.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HandlerLogEntry {
    /// The handler's name for the event.
    pub name: String,
    /// The handler's tool.
    pub tool_id: String,
    /// The provider's id of the call.
    pub call_id: Option<String>,
    /// The arguments of the call, JSON text.
    pub args: String,
}

impl Gate {
    /// Writes a handler's audit line. A member of `data` is masked if its name is that of a sensitive property, or its
    /// value contains a sensitive value of the call's arguments (see [`SensitiveTerms::mask`]); without the tool, which
    /// alone knows what is sensitive, all of `data` is.
    pub fn log(&self, tools: &ToolSet, session: Option<&str>, entry: &HandlerLogEntry, mut data: Value) {
        let terms = match tools.get(&entry.tool_id) {
            Some(tool) => {
                // The host may have the arguments as received.
                let args = Tape::parse(entry.args.clone(), &Limits::widest()).ok();
                let args = args.map(|args| tool.args_schema.complete(args, &[]).tape);
                tool.args_schema.sensitive_terms(args.as_ref())
            }
            None => SensitiveTerms::everything(),
        };
        terms.mask(&mut data);
        let name = terms.mask_text(&entry.name);
        let (tool_id, call_id) = (&entry.tool_id, entry.call_id.as_deref());
        self.emit(session, &Event::ToolLog { name: &name, tool_id, call_id, data: &data });
    }
}
