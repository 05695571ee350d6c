//! The code of a schema library, which runs once before a call's user is asked: its issues refuse the call, and what it adds is
//! shown and bound. It runs outside of the admission, and the call is admitted again after it, as for a reconcile.

use std::sync::Arc;

use serde_json::Value;

use crate::admit::args::argument_text::ArgsCheck;
use crate::admit::args::parse::parse_args;
use crate::admit::args::time_rules;
use crate::admit::call::{CallHeader, CompleteCall};
use crate::admit::context::AdmissionContext;
use crate::admit::decision::{Admission, StageResult};
use crate::admit::deferred::{SchemaCheck, SchemaFindings, UncheckedCall};
use crate::error::{ErrorType, ToolError};
use crate::json::{CanonicalJson, Limits, Tape, pointer};
use crate::schema::Completed;
use crate::session::fingerprint::canonical_digest;
use crate::session::key::RecordKey;
use crate::store::AddedByCode;

impl SchemaCheck<'_> {
    /// The place of a handler's call among its parent's calls, if it has been admitted before: it is counted there once.
    pub(in crate::admit) fn position(&self) -> Option<&RecordKey> {
        if let Self::Done(checked) = self { Some(&checked.call.key) } else { None }
    }

    fn of_call(&self, call: &CompleteCall) -> Option<&SchemaFindings> {
        let Self::Done(checked) = self else { return None };
        let UncheckedCall { tool, args, .. } = &*checked.call;
        (Arc::ptr_eq(tool, &call.tool) && **args == *call.tape.text()).then_some(checked)
    }
}

/// Whether the code of the call's schema has to run before a new question.
pub(in crate::admit) fn is_first(context: &AdmissionContext<'_>, call: &CompleteCall) -> bool {
    let check = &context.schema_check;
    call.tool.schema_code.is_given() && !matches!(check, SchemaCheck::Never) && check.of_call(call).is_none()
}

/// The refusal of a call that can't leave its admission for the code of its schema.
pub(crate) fn not_checked(tool: &str) -> ToolError {
    ToolError::new(
        ErrorType::Internal,
        format!("the schema of `{tool}` could not check the arguments; nothing has run"),
    )
}

/// The end of a call whose schema's code runs before it is admitted again.
pub(in crate::admit) fn first(header: &CallHeader, key: &RecordKey, call: &CompleteCall) -> Admission {
    Admission::Check(Box::new(UncheckedCall {
        tool: Arc::clone(&call.tool),
        args: call.tape.text().into(),
        call_id: header.call_id.clone(),
        mode: Arc::clone(&header.mode.name),
        key: key.clone(),
    }))
}

/// The call with what the code of its schema has added. `None` if that has not run, or added nothing; an addition that does not fit
/// stays between the code and the handler.
pub(in crate::admit) async fn completed(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    call: &CompleteCall,
) -> StageResult<Option<CompleteCall>> {
    let Some(checked) = context.schema_check.of_call(call) else { return Ok(None) };
    match &checked.found {
        Err(refusal) => Err(refusal.clone().into()),
        Ok(members) if members.is_empty() => Ok(None),
        Ok(members) => Ok(with_members(context, header, call, members).await.ok()),
    }
}

async fn with_members(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    call: &CompleteCall,
    members: &[(String, Value)],
) -> Result<CompleteCall, ToolError> {
    let tool = &call.tool;
    let mut args = call.tape.root().to_value();
    for (place, value) in members {
        insert(&mut args, place, value);
    }
    let tape = parse_args(args.to_string(), context.limits, &tool.args_schema)?;
    let check = ArgsCheck::without_repair(context, header, tool);
    let Completed { tape, defaulted, clamped, .. } = check.offloaded(tape).await?.completed;
    time_rules::check(tool, &tape, Some(context.now))?;
    let is_new = |place: &String| call.tape.root().at(place).is_none() && tape.root().at(place).is_some();
    let places: Vec<_> = members.iter().map(|(place, _)| place.clone()).filter(is_new).collect();
    let all = [&call.defaulted, &places, &defaulted].into_iter().flatten().cloned().collect();
    let digest_without = canonical_digest(&CanonicalJson::from_node(call.tape.root()));
    Ok(CompleteCall {
        tool: Arc::clone(tool),
        fingerprint: call.fingerprint.clone(),
        tape,
        defaulted: all,
        clamped: call.clamped.iter().chain(&clamped).cloned().collect(),
        by_code: Some(Box::new(AddedByCode { places, digest_without })),
    })
}

/// Adds a member that an object does not have.
fn insert(args: &mut Value, place: &str, value: &Value) {
    let object = place.rsplit_once('/').and_then(|(object, _)| args.pointer_mut(object)).and_then(Value::as_object_mut);
    if let (Some(object), Some(name)) = (object, pointer::tokens(place).last()) {
        object.entry(name).or_insert_with(|| value.clone());
    }
}

impl CompleteCall {
    /// The arguments without what the code of the schema has added, if it has: by these the call is known, as that may add something
    /// else to an equal call.
    pub(in crate::admit) fn without_added(&self) -> Option<Tape> {
        let mut args = self.tape.root().to_value();
        for place in &self.by_code.as_ref()?.places {
            let (object, _) = place.rsplit_once('/')?;
            if let Some(object) = args.pointer_mut(object).and_then(Value::as_object_mut) {
                object.remove(&*pointer::tokens(place).last()?);
            }
        }
        Tape::parse(args.to_string(), &Limits::widest()).ok()
    }

    /// Keeps of what was filled in before in `shown` what is still the same.
    pub(in crate::admit) fn keep_filled(&mut self, shown: &Self) {
        let is_kept = |place: &&String| {
            let (before, now) = (shown.tape.root().at(place), self.tape.root().at(place));
            before.zip(now).is_some_and(|(before, now)| before.to_value() == now.to_value())
        };
        let kept: Vec<_> = shown.defaulted.iter().filter(is_kept).cloned().collect();
        let by_code = shown.by_code.as_ref().map(|by_code| by_code.places.iter().filter(is_kept).cloned().collect());
        self.defaulted.splice(0..0, kept);
        let Some(places) = by_code.filter(|places: &Vec<String>| !places.is_empty()) else { return };
        self.by_code = Some(Box::new(AddedByCode { places, digest_without: [0; 32] }));
        if let (Some(own), Some(by_code)) = (self.without_added(), &mut self.by_code) {
            by_code.digest_without = canonical_digest(&CanonicalJson::from_node(own.root()));
        }
    }
}
