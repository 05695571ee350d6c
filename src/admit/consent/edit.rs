//! The arguments of a confirmed call that its user has changed. The user saw the arguments with their sensitive values masked,
//! and sends back what they want instead: what they left as it was shown stays as it was. What comes of it passes the stages of
//! a new call, and is bound to the confirmation like what was shown.

use std::sync::Arc;

use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::admit::acts::duplicate;
use crate::admit::args::argument_text::ArgsCheck;
use crate::admit::args::parse::{not_serializable, parse_args};
use crate::admit::args::time_rules;
use crate::admit::call::{CallHeader, CompleteCall};
use crate::admit::consent::confirm;
use crate::admit::context::AdmissionContext;
use crate::admit::decision::StageResult;
use crate::call::RawArgs;
use crate::error::{ErrorType, ToolError};
use crate::json::{CanonicalJson, Limits, Tape, pointer};
use crate::registry::CompiledTool;
use crate::response::Edited;
use crate::schema::{Completed, SENSITIVE_MASK};
use crate::session::fingerprint::canonical_digest;
use crate::store::Question;

/// The largest number of changed places that an answer names; with more it names the arguments as a whole.
const MAX_NAMED: usize = 50;

/// The longest changed value that an answer repeats, in bytes of JSON.
const MAX_NAMED_VALUE: usize = 500;

/// The call that was shown, with what its user wants instead, and the question as if it had been asked about that. A refusal
/// leaves the question pending.
pub(in crate::admit) async fn edited_call(
    context: &AdmissionContext<'_>,
    header: &mut Arc<CallHeader>,
    shown: CompleteCall,
    question: Arc<Question>,
    wanted: RawArgs,
) -> StageResult<(CompleteCall, Arc<Question>)> {
    let tool = Arc::clone(&shown.tool);
    let wanted = match wanted {
        RawArgs::Text(text) => parse_args(text, context.limits, &tool.args_schema)?,
        RawArgs::NotJson(problem) => return Err(not_serializable(&problem).into()),
    };
    let own = OwnArgs { args: shown.tape.root().to_value(), shown: tool.shown_args(&shown.tape) };
    let wanted = wanted.root().to_value();
    let Some(args) = own.changed_to(&wanted)? else { return Ok((shown, question)) };
    // A user's form sends what its user means.
    let check = ArgsCheck::without_repair(context, header, &tool);
    let tape = parse_args(args.to_string(), context.limits, &tool.args_schema)?;
    let Completed { tape, defaulted, clamped, .. } = check.offloaded(tape).await?.completed;
    // After the check: an argument that does not exist has the reason of its own.
    if tool.args_schema.has_sensitive() {
        own.check_secrets(&args, &masked(&tool, &args), &wanted)?;
    }
    time_rules::check(&tool, &tape, Some(context.now))?;
    let edited = changes(&tool, &shown.tape, &tape);
    // Another question was asked about what its user had changed: both are changes of the model's call.
    let before = question.edited.iter().filter(|before| edited.iter().all(|now| now.path != before.path));
    Arc::make_mut(header).edited = before.chain(&edited).cloned().collect();
    let mut call =
        CompleteCall { fingerprint: shown.fingerprint.clone(), tool, tape, defaulted, clamped, by_code: None };
    call.keep_filled(&shown);
    let question = Question { edited: header.edited.clone(), ..question_about(context, &shown, &call, &question)? };
    Ok((call, Arc::new(question)))
}

/// The question as it would have been asked about the changed call. What was done before counts only for an equal act.
fn question_about(
    context: &AdmissionContext<'_>,
    shown: &CompleteCall,
    call: &CompleteCall,
    asked: &Question,
) -> Result<Question, ToolError> {
    let act = |call| duplicate::act_of(context, call, 0).map(|act| act.name);
    let again = asked.again.filter(|_| act(shown) == act(call));
    let zone = asked.time_zone.as_deref().and_then(|name| TimeZone::get(name).ok());
    let args = call.tool.shown_args(&call.tape);
    let preview = confirm::preview_of(context, call, (&args, again), zone.as_ref())?;
    Ok(Question {
        args: call.tape.text().into(),
        args_digest: canonical_digest(&CanonicalJson::from_node(call.tape.root())),
        defaulted: call.defaulted.clone(),
        by_code: call.by_code.as_deref().cloned(),
        preview,
        again,
        ..asked.clone()
    })
}

/// The arguments of the model's call, and what its user was shown of them.
struct OwnArgs {
    args: Value,
    shown: Value,
}

impl OwnArgs {
    /// The arguments of which `wanted` is the changed copy of what was shown; `None` if nothing was changed.
    ///
    /// # Errors
    /// VALIDATION for a changed list of which several items, or their number, differ, if it hides values: it is not certain to
    /// which item a hidden value belongs.
    fn changed_to(&self, wanted: &Value) -> Result<Option<Value>, ToolError> {
        let merged = merge(&self.args, &self.shown, wanted.clone(), &mut String::new())?;
        Ok((!is_same(&merged, &self.args)).then_some(merged))
    }

    /// Refuses a change of what is hidden: no page shows it, so no user can mean it. `merged` is hidden where its user sent a
    /// mask, and nowhere else; and a mask stands for what the model sent.
    fn check_secrets(&self, merged: &Value, masked: &Value, wanted: &Value) -> Result<(), ToolError> {
        let (mut sent, mut hidden) = (String::new(), String::new());
        let at = if !is_as_sent(masked, wanted, &mut sent) {
            sent
        } else if !has_own_secrets(merged, masked, Some(&self.args), &mut hidden) {
            hidden
        } else {
            return Ok(());
        };
        Err(refused(&at, "a sensitive argument can't be changed by its user; leave it as it was shown"))
    }
}

/// VALIDATION at a place.
fn refused(at: &str, reason: &str) -> ToolError {
    let message = if at.is_empty() { reason.to_owned() } else { format!("`{at}`: {reason}") };
    let detail = json!({ "instancePath": at, "schemaPath": "#", "keyword": "edit", "params": {}, "message": message });
    ToolError::new(ErrorType::Validation, message).with_details(json!([detail]))
}

/// What an answer says of the changes, with sensitive values masked: of the arguments that ran, `ran`.
fn changes(tool: &CompiledTool, original: &Tape, ran: &Tape) -> Vec<Edited> {
    let mut edited = Vec::new();
    compare(Some(&tool.shown_args(original)), Some(&tool.shown_args(ran)), &mut String::new(), &mut edited);
    if edited.len() > MAX_NAMED {
        return vec![Edited { path: String::new(), value: None }];
    }
    edited
}

fn masked(tool: &CompiledTool, args: &Value) -> Value {
    Tape::parse(args.to_string(), &Limits::widest()).map_or(Value::Null, |tape| tool.shown_args(&tape))
}

/// `edited`, with the own value wherever it is as it was shown. `at` is its place.
fn merge(own: &Value, shown: &Value, edited: Value, at: &mut String) -> Result<Value, ToolError> {
    let length = at.len();
    let mut inside = |step: &str, own: Option<&Value>, shown: Option<&Value>, value: Value| {
        let (Some(own), Some(shown)) = (own, shown) else { return Ok(value) };
        at.truncate(length);
        pointer::push(at, step);
        merge(own, shown, value, at)
    };
    match (own, shown, edited) {
        (own, shown, edited) if is_same(shown, &edited) => Ok(own.clone()),
        (Value::Object(own), Value::Object(shown), Value::Object(edited)) => {
            let members = edited.into_iter().map(|(name, value)| {
                let value = inside(&name, own.get(&name), shown.get(&name), value)?;
                Ok((name, value))
            });
            members.collect::<Result<_, _>>().map(Value::Object)
        }
        (Value::Array(own), Value::Array(shown), Value::Array(edited)) => {
            let changed = shown.iter().zip(&edited).filter(|(shown, edited)| !is_same(shown, edited)).count();
            if own != shown && (shown.len() != edited.len() || changed > 1) {
                at.truncate(length);
                return Err(refused(at, HIDING_LIST));
            }
            let items = edited.into_iter().enumerate();
            let items = items.map(|(index, value)| inside(&index.to_string(), own.get(index), shown.get(index), value));
            items.collect::<Result<_, _>>().map(Value::Array)
        }
        (_, _, edited) => Ok(edited),
    }
}

const HIDING_LIST: &str =
    "a list with sensitive values keeps its items in their order, and one of them can be changed at a time";

/// Equal JSON values: a page writes `1` for the model's `1.0`.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let is_exact = |number: &serde_json::Number| number.is_i64() || number.is_u64();
            one == other || (!(is_exact(one) && is_exact(other)) && one.as_f64() == other.as_f64())
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| is_same(value, other)))
        }
        _ => one == other,
    }
}

/// Whether a value, as it is shown, is what a user sent; `at` is the first place of another.
fn is_as_sent(masked: &Value, wanted: &Value, at: &mut String) -> bool {
    let length = at.len();
    let mut is_same_in = |step: &str, masked: &Value, wanted: Option<&Value>| {
        at.truncate(length);
        pointer::push(at, step);
        wanted.is_some_and(|wanted| is_as_sent(masked, wanted, at))
    };
    match (masked, wanted) {
        (Value::Object(masked), Value::Object(wanted)) => {
            masked.iter().all(|(name, value)| is_same_in(name, value, wanted.get(name)))
        }
        (Value::Array(masked), Value::Array(wanted)) => {
            masked.iter().enumerate().all(|(index, value)| is_same_in(&index.to_string(), value, wanted.get(index)))
        }
        _ => is_same(masked, wanted),
    }
}

/// Whether each mask in `masked` hides what the model sent at its place; `at` is the first one that does not.
fn has_own_secrets(value: &Value, masked: &Value, own: Option<&Value>, at: &mut String) -> bool {
    let length = at.len();
    let mut is_own_in = |step: &str, value: &Value, masked: Option<&Value>, own: Option<&Value>| {
        at.truncate(length);
        pointer::push(at, step);
        masked.is_some_and(|masked| has_own_secrets(value, masked, own, at))
    };
    match (value, masked) {
        (Value::Object(members), Value::Object(masked)) => members
            .iter()
            .all(|(name, value)| is_own_in(name, value, masked.get(name), own.and_then(|own| own.get(name)))),
        (Value::Array(items), Value::Array(masked)) => items.iter().enumerate().all(|(index, value)| {
            is_own_in(&index.to_string(), value, masked.get(index), own.and_then(|own| own.get(index)))
        }),
        _ => (value == masked && value != SENSITIVE_MASK) || own == Some(value),
    }
}

/// Adds the places at which two values differ.
fn compare(before: Option<&Value>, after: Option<&Value>, at: &mut String, edited: &mut Vec<Edited>) {
    let length = at.len();
    let mut inside = |step: &str, before: Option<&Value>, after: Option<&Value>, edited: &mut Vec<Edited>| {
        at.truncate(length);
        pointer::push(at, step);
        compare(before, after, at, edited);
        at.truncate(length);
    };
    match (before, after) {
        _ if edited.len() > MAX_NAMED => {}
        (Some(before), Some(after)) if is_same(before, after) => {}
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            for (name, value) in before {
                inside(name, Some(value), after.get(name), edited);
            }
            for (name, value) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
                inside(name, None, Some(value), edited);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) if before.len() == after.len() => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                inside(&index.to_string(), Some(before), Some(after), edited);
            }
        }
        (_, after) => {
            let value = after.filter(|after| after.to_string().len() <= MAX_NAMED_VALUE).cloned();
            edited.push(Edited { path: at.clone(), value });
        }
    }
}
