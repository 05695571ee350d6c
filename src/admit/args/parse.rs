//! Stage parse: the arguments are a JSON object within bounds.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;

use crate::admit::args::argument_text::{ArgsCheck, ParsedArgs};
use crate::admit::args::offload::is_large;
use crate::admit::call::CallHeader;
use crate::admit::context::{AdmissionContext, ArgsLimits};
use crate::call::{CallId, RawArgs, RawCall};
use crate::error::{Details, ErrorType, ToolError};
use crate::json::{CanonicalJson, HashKey, Kind, Limits, ParseError, ParseErrorKind, Tape, write_string};
use crate::registry::CompiledTool;
use crate::schema::{ArgsSchema, Clamp, Issue, RepairRules};
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::session::parent_call::ParentCall;

/// A call whose arguments are parsed.
pub(in crate::admit) struct ParsedCall {
    pub(in crate::admit) tool: Arc<CompiledTool>,
    pub(in crate::admit) args: ParsedArgs,
    pub(in crate::admit) fingerprint: Fingerprint,
    pub(in crate::admit) identity: CallIdentity,
}

/// What identifies a second arrival of the same call.
pub(in crate::admit) enum CallIdentity {
    /// A stable id of the provider.
    ProviderId(CallId),
    /// The position among the calls of another handler.
    Position(RecordKey),
    /// The content of the call.
    Content(RecordKey),
}

/// A call's text and what reads it; VALIDATION for arguments that are no text.
pub(in crate::admit) fn reader(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    tool: Arc<CompiledTool>,
    call: RawCall,
) -> Result<(ArgsReader, String), UnreadArgs> {
    let RawCall { id, args, .. } = call;
    let fingerprint_key = context.attachment.session.fingerprint_key;
    let text = match args {
        RawArgs::Text(text) => text,
        RawArgs::NotJson(problem) => {
            let fingerprint = Fingerprint::from_raw(fingerprint_key, &tool.id, &problem);
            return Err((not_serializable(&problem), fingerprint));
        }
    };
    let reader = ArgsReader {
        limits: context.limits,
        fingerprint_key,
        turn: header.turn,
        provider_id: id.filter(|id| id.is_stable(&tool.id)),
        parent: header.parent.clone(),
        position: context.schema_check.position().cloned(),
        clamps: tool.clamps(&context.attachment.mode.name, context.attachment.mode.top_k),
        repair: context.repair_rules(&tool),
        is_recorded: false,
        tool,
    };
    Ok((reader, text))
}

/// The refusal of arguments that can't be read, and what the loop guard counts.
pub(in crate::admit) type UnreadArgs = (ToolError, Fingerprint);

/// The input of parsing, owned, so that it can move to a worker.
pub(in crate::admit) struct ArgsReader {
    limits: ArgsLimits,
    fingerprint_key: HashKey,
    turn: u32,
    /// The provider's id if it is stable.
    provider_id: Option<CallId>,
    parent: Option<Arc<ParentCall>>,
    /// The place of a call of `parent` that has been admitted before.
    position: Option<RecordKey>,
    clamps: Vec<Clamp>,
    repair: RepairRules,
    is_recorded: bool,
    tool: Arc<CompiledTool>,
}

impl ArgsReader {
    /// Whether reading a text is a worker's work.
    pub(in crate::admit) fn is_work(&self, text: &str) -> bool {
        is_large(text) && !is_plainly_too_long(text, self.limits)
    }

    /// The key of the call's record if it is known before its text is read.
    pub(in crate::admit) fn known_key(&self) -> Option<RecordKey> {
        let named = self.provider_id.as_ref().filter(|_| self.parent.is_none());
        named.map(RecordKey::from_provider_id)
    }

    /// Notes that a worker will read the text. If the call `is_recorded`, it is not validated before its stage: the
    /// answer is most likely the recorded one.
    pub(in crate::admit) fn reads_on_worker(&mut self, is_recorded: bool) {
        self.is_recorded = is_recorded;
    }

    /// Reads the text.
    pub(in crate::admit) fn read(self, text: String) -> Result<ParsedCall, UnreadArgs> {
        let is_large = is_large(&text);
        let limits = self.limits.of_texts();
        let check =
            ArgsCheck { tool: Arc::clone(&self.tool), clamps: self.clamps, repair: self.repair, limits: self.limits };
        let args = match parse_object(text, &limits, &self.tool.args_schema) {
            Err((error, text)) => match check.run_on_text(&text, &limits, error) {
                Ok(checked) => ParsedArgs::Checked(canonical_text(&text), Box::new(Ok(checked))),
                Err(error) => {
                    return Err((error, Fingerprint::from_raw(self.fingerprint_key, &self.tool.id, &text)));
                }
            },
            Ok(tape) if !is_large => ParsedArgs::Small(tape, check),
            Ok(tape) => {
                let canonical = CanonicalJson::from_node(tape.root()).into_owned();
                if self.is_recorded {
                    ParsedArgs::Recorded(canonical, tape, check)
                } else {
                    ParsedArgs::Checked(canonical, Box::new(check.run(tape)))
                }
            }
        };
        let (tool, tool_id) = (Arc::clone(&self.tool), Arc::clone(&self.tool.id));
        let (fingerprint, identity) = {
            let canonical = args.canonical();
            let identity = match (self.parent, self.provider_id) {
                (Some(parent), _) => CallIdentity::Position(
                    self.position.unwrap_or_else(|| parent.next_nested_key(&tool_id, &canonical)),
                ),
                (None, Some(named)) => CallIdentity::ProviderId(named),
                (None, None) => CallIdentity::Content(RecordKey::from_content(self.turn, &tool_id, &canonical)),
            };
            (Fingerprint::from_canonical(self.fingerprint_key, tool_id, &canonical), identity)
        };
        Ok(ParsedCall { tool, args, fingerprint, identity })
    }
}

/// Whether the length alone refuses a text, without a worker. A text that begins or ends with white space may be blank
/// or `null`, and then means `{}`.
fn is_plainly_too_long(text: &str, limits: ArgsLimits) -> bool {
    let is_space = |character: Option<char>| character.is_some_and(char::is_whitespace);
    text.len() > limits.max_bytes && !is_space(text.chars().next()) && !is_space(text.chars().next_back())
}

/// Whether a text means `{}`.
fn is_empty_text(text: &str) -> bool {
    matches!(text.trim(), "" | "null")
}

/// Parses arguments, an object; an empty text and `null` mean `{}`.
pub(crate) fn parse_args(text: String, limits: ArgsLimits, schema: &ArgsSchema) -> Result<Tape, ToolError> {
    parse_object(text, &limits.of_texts(), schema).map_err(|(error, _)| error)
}

/// As [`parse_args`]. A text that is refused is returned with the refusal.
fn parse_object(text: String, limits: &Limits, schema: &ArgsSchema) -> Result<Tape, (ToolError, String)> {
    let text = if is_empty_text(&text) { "{}".to_owned() } else { text };
    match Tape::parse_or_return(text, limits) {
        Ok(tape) if tape.root().kind() == Kind::Object => Ok(tape),
        Ok(tape) => {
            let error = not_json("the arguments must be a JSON object, such as {\"query\": \"…\"}", "");
            Err((error, tape.into_text()))
        }
        Err((error, text)) => Err((refuse_text(error, schema), text)),
    }
}

/// A text that is no JSON object, as a JSON string: what its call is known by.
fn canonical_text(text: &str) -> CanonicalJson<'static> {
    let mut string = String::with_capacity(text.len() + 2);
    write_string(&mut string, text);
    // A string is always JSON.
    let tape = Tape::parse(string, &Limits::widest()).unwrap_or_default();
    CanonicalJson::from_node(tape.root()).into_owned()
}

fn refuse_text(mut error: ParseError, schema: &ArgsSchema) -> ToolError {
    error.pointer = schema.visible_pointer(&error.pointer).to_owned();
    if let (ParseErrorKind::Syntax { found, .. }, true) = (&mut error.kind, schema.has_sensitive()) {
        *found = char::REPLACEMENT_CHARACTER;
    }
    not_json(&error.to_string(), &error.pointer)
}

fn not_json(message: &str, pointer: &str) -> ToolError {
    let issue = Issue {
        instance_path: pointer.to_owned(),
        place: String::new(),
        schema_path: String::new(),
        keyword: "json".to_owned(),
        params: json!({}),
        message: message.to_owned(),
    };
    ToolError::new(ErrorType::Validation, message)
        .with_details(Details::from_serializable(&[issue]))
        .with_audit_message("the arguments are not JSON that is taken")
}

/// VALIDATION for a call that cannot be written as JSON text.
pub(crate) fn not_serializable(problem: &str) -> ToolError {
    not_json(problem, "")
}

/// The number of issues in the message; `details` contains all.
const MAX_ISSUES_IN_MESSAGE: usize = 5;

/// VALIDATION with every issue.
pub(crate) fn issues_error(tool: &str, issues: &[Issue]) -> ToolError {
    let mut message = format!("the arguments of `{tool}` do not fit: ");
    for (place, issue) in issues.iter().take(MAX_ISSUES_IN_MESSAGE).enumerate() {
        message.push_str(if place == 0 { "" } else { "; " });
        message.push_str(&issue.message);
    }
    if let Some(more @ 1..) = issues.len().checked_sub(MAX_ISSUES_IN_MESSAGE) {
        // Writing into a String cannot fail.
        let _ = write!(message, "; and {more} more");
    }
    let listed: Vec<String> = issues.iter().take(MAX_ISSUES_IN_MESSAGE).map(Issue::without_values).collect();
    ToolError::new(ErrorType::Validation, message)
        .with_details(Details::from_serializable(&issues))
        .with_audit_message(format!("the arguments do not fit: {}", listed.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_alone_refuses_a_text_without_outer_white_space() {
        let limits = ArgsLimits { max_bytes: 4, max_depth: 1 };
        let schema = ArgsSchema::compile(&json!({})).unwrap();
        for (text, is_plain) in
            [("{\"a\":1}", true), ("nulls", true), ("{ }", false), ("{\n\n}", false), ("null", false)]
        {
            assert_eq!(is_plainly_too_long(text, limits), is_plain, "{text}");
            assert_eq!(parse_args(text.to_owned(), limits, &schema).is_err(), is_plain, "{text}");
        }
        // White space alone means `{}`.
        for text in ["     ", " null ", "null \u{a0}", "\u{2003}null"] {
            assert!(
                !is_plainly_too_long(text, limits) && parse_args(text.to_owned(), limits, &schema).is_ok(),
                "{text:?}"
            );
        }
        for text in [" {\"a\":1}", "{\"a\":1}\n"] {
            assert!(
                !is_plainly_too_long(text, limits) && parse_args(text.to_owned(), limits, &schema).is_err(),
                "{text:?}"
            );
        }
    }
}
