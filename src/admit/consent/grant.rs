//! Grants: a user confirms a call, and says with it that later calls run without a question. What the user wants is bounded,
//! and no wider than the tool allows; which calls a grant covers, the store says.

use std::sync::Arc;

use serde_json::Value;

use crate::admit::call::CompleteCall;
use crate::admit::consent::confirm;
use crate::admit::context::AdmissionContext;
use crate::definition::Grantable;
use crate::error::{ErrorType, ToolError};
use crate::json::{CanonicalJson, KeyedHash, write_string};
use crate::registry::CompiledTool;
use crate::store::{ActName, GrantScope, GrantedCall, NewGrant, Question};

/// The largest number of calls of a grant.
const MAX_CALLS: u64 = 100;

/// The longest time of a grant, in milliseconds: a day.
const MAX_TTL_MS: u64 = 24 * 60 * 60 * 1000;

/// The longest text of what a user wants to grant, in bytes: its members are short.
const MAX_TEXT: usize = 1024;

/// The longest beginning of a preview that is kept with a grant, in characters.
const MAX_PREVIEW: usize = 200;

/// The longest way of an answer that is kept with a grant, in characters.
const MAX_VIA: usize = 64;

/// What a user wants to grant.
#[derive(Debug, PartialEq, Eq)]
struct Terms {
    scope: GrantScope,
    calls: u32,
    ttl_ms: u64,
}

/// The call as grants cover it, if its tool allows any. A handler's calls are not what the user has seen the model do: they
/// are asked about.
pub(in crate::admit) fn granted_call(context: &AdmissionContext<'_>, call: &CompleteCall) -> Option<Arc<GrantedCall>> {
    let may_be_granted = context.parent.is_none() && allowed(&call.tool) != Grantable::Never;
    may_be_granted.then(|| Arc::new(named(context, call)))
}

fn named(context: &AdmissionContext<'_>, call: &CompleteCall) -> GrantedCall {
    let CompleteCall { tool, tape, .. } = call;
    let own = call.without_added();
    // Unlike the name of any act.
    let mut text = "grant ".to_owned();
    write_string(&mut text, &tool.id);
    text.push_str(CanonicalJson::from_node(own.as_ref().unwrap_or(tape).root()).as_str());
    GrantedCall {
        tool: Arc::clone(&tool.id),
        tool_version: Arc::clone(&tool.version),
        definition: tool.definition_digest(),
        args: ActName::from(KeyedHash::from_text(context.attachment.session.fingerprint_key, &text)),
    }
}

/// What a user grants with the confirmation of this call, from the JSON text of what they want. `question` shows the call as it
/// runs.
///
/// # Errors
/// VALIDATION if that can't be granted.
pub(in crate::admit) fn new_grant(
    context: &AdmissionContext<'_>,
    call: &CompleteCall,
    question: &Question,
    (wanted, via): (&str, Option<&str>),
) -> Result<NewGrant, ToolError> {
    let Terms { scope, calls, ttl_ms } = read(wanted).map_err(refused)?;
    check_allowed(&call.tool, scope)?;
    Ok(NewGrant {
        id: confirm::random_name("tgg_")?.into(),
        call: named(context, call),
        scope,
        calls,
        ttl_ms,
        via: via.map(|via| beginning(via, MAX_VIA).into()),
        preview: (scope == GrantScope::Args).then(|| beginning(&question.preview, MAX_PREVIEW)),
    })
}

/// The widest grant that a tool allows.
fn allowed(tool: &CompiledTool) -> Grantable {
    tool.definition.confirmation.widest_grant()
}

fn check_allowed(tool: &CompiledTool, scope: GrantScope) -> Result<(), ToolError> {
    match (allowed(tool), scope) {
        (Grantable::Tool, _) | (Grantable::Args, GrantScope::Args) => Ok(()),
        (Grantable::Args, GrantScope::Tool) => {
            Err(refused(format!("`{}` allows grants of the scope `args` only; nothing has run", tool.id)))
        }
        (Grantable::Never, _) => {
            Err(refused(format!("`{}` allows no grants; confirm it without one, nothing has run", tool.id)))
        }
    }
}

fn refused(message: impl Into<String>) -> ToolError {
    ToolError::new(ErrorType::Validation, message)
}

fn read(text: &str) -> Result<Terms, &'static str> {
    let wanted = Some(text).filter(|text| text.len() <= MAX_TEXT).and_then(|text| serde_json::from_str(text).ok());
    let Some(Value::Object(wanted)) = wanted else {
        return Err("`grant` must be an object such as `{ scope: 'args', calls: 3, ttlMs: 600000 }`");
    };
    if wanted.keys().any(|name| !matches!(&**name, "scope" | "calls" | "ttlMs")) {
        return Err("`grant` takes `scope`, `calls` and `ttlMs` only");
    }
    let scope = match wanted.get("scope").and_then(Value::as_str) {
        Some("args") => GrantScope::Args,
        Some("tool") => GrantScope::Tool,
        _ => return Err("`grant.scope` must be `args` or `tool`"),
    };
    let number = |name: &str, max: u64| wanted.get(name)?.as_u64().filter(|number| (1..=max).contains(number));
    let calls = number("calls", MAX_CALLS).and_then(|calls| u32::try_from(calls).ok());
    let calls = calls.ok_or("`grant.calls` must be a whole number from 1 to 100")?;
    let ttl_ms = number("ttlMs", MAX_TTL_MS).ok_or("`grant.ttlMs` must be a whole number from 1 to 86400000, a day")?;
    Ok(Terms { scope, calls, ttl_ms })
}

fn beginning(text: &str, max: usize) -> String {
    let mut chars = text.chars();
    let mut beginning: String = chars.by_ref().take(max).collect();
    if chars.next().is_some() {
        beginning.push('…');
    }
    beginning
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_granted_is_bounded() {
        let day = r#"{"scope":"tool","calls":100,"ttlMs":86400000}"#;
        assert_eq!(read(day), Ok(Terms { scope: GrantScope::Tool, calls: 100, ttl_ms: MAX_TTL_MS }));
        for (text, named) in [
            ("", "object"),
            ("null", "object"),
            ("[]", "object"),
            (&format!("{{\"scope\":\"args\",\"calls\":1,\"ttlMs\":1{}}}", " ".repeat(MAX_TEXT)), "object"),
            ("{}", "scope"),
            (r#"{"scope":"session","calls":1,"ttlMs":1}"#, "scope"),
            (r#"{"scope":["args"],"calls":1,"ttlMs":1}"#, "scope"),
            (r#"{"scope":"args","ttlMs":1}"#, "calls"),
            (r#"{"scope":"args","calls":0,"ttlMs":1}"#, "calls"),
            (r#"{"scope":"args","calls":101,"ttlMs":1}"#, "calls"),
            (r#"{"scope":"args","calls":1.5,"ttlMs":1}"#, "calls"),
            (r#"{"scope":"args","calls":-1,"ttlMs":1}"#, "calls"),
            (r#"{"scope":"args","calls":"1","ttlMs":1}"#, "calls"),
            (r#"{"scope":"args","calls":4294967297,"ttlMs":1}"#, "calls"),
            (r#"{"scope":"args","calls":1}"#, "ttlMs"),
            (r#"{"scope":"args","calls":1,"ttlMs":86400001}"#, "ttlMs"),
            (r#"{"scope":"args","calls":1,"ttlMs":1,"tool":"other"}"#, "only"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(named), "{text}: {message}");
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!((beginning("üü", 2).as_str(), beginning("üüü", 2).as_str()), ("üü", "üü…"));
    }
}
