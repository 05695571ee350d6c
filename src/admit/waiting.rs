//! The steps of admission that may wait: for the store, or for a worker that reads a large text. What they decide is in the
//! stages, which are plain functions. On a store that never waits, and with a small text, no step waits.

use std::sync::Arc;

use futures_util::FutureExt;

use super::claim;
use super::complete::{self, CompleteCall, ParsedIdentity};
use super::confirm;
use super::offload::offload;
use super::parse::{self, ArgsReader};
use super::replay::{self, Search, SearchStep};
use super::unusable::{self, UnusableEnd};
use super::{Admission, AdmissionContext, AdmittedCall, CallHeader, Lookup, ParsedCall, StageResult};
use crate::call::RawCall;
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::store::{AskResult, CallLookup, CallLookupResult, ConfirmedToken, StoreRequests, Token};

/// Stage parse.
pub(super) async fn parse(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    tool: Arc<CompiledTool>,
    call: RawCall,
    counted: &mut Option<Fingerprint>,
) -> StageResult<ParsedCall> {
    let read = match parse::reader(context, header, tool, call) {
        Ok((mut reader, text)) => {
            let is_work = reader.is_work(&text);
            if is_work {
                reader.reads_on_worker(is_recorded(context, header, &reader));
            }
            offload(is_work, move || reader.read(text)).await
        }
        Err(unread) => Some(Err(unread)),
    };
    match read {
        Some(Ok(parsed)) => {
            *counted = Some(parsed.fingerprint.clone());
            Ok(parsed)
        }
        Some(Err((error, fingerprint))) => {
            *counted = Some(fingerprint);
            Err(error.into())
        }
        None => Err(ToolError::new(ErrorType::Internal, "the arguments could not be read").into()),
    }
}

/// Whether a call is recorded under its id, as far as a store that never waits can say.
fn is_recorded(context: &AdmissionContext<'_>, header: &CallHeader, reader: &ArgsReader) -> bool {
    let Some(key) = reader.known_key().filter(|_| context.store.never_waits()) else { return false };
    let seen = context.store.look_up(replay::lookup(context, header, reader.tool(), &key)).now_or_never();
    seen.is_some_and(|seen| seen.is_ok_and(|seen| seen.record.is_some()))
}

/// The end of a call that the stages tool and parse refuse.
pub(super) async fn unusable(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    counted: Option<&Fingerprint>,
    refused: Admission,
) -> Admission {
    let (refused, refusals) = match unusable::check(context, header, counted, refused) {
        UnusableEnd::Refused(refused) => return refused,
        UnusableEnd::UnlessUsedUp(refused, refusals) => (refused, refusals),
    };
    let session = &context.attachment.session;
    let lookup = CallLookup {
        session: session.id.clone(),
        // Only the counters are needed: no call has this key, since an empty id is not stable.
        key: RecordKey::from_provider_id(&"".into()),
        turn: header.turn,
        tool: "".into(),
        rate_limit: None,
        known_revision: session.state_revision(),
        now: context.now,
    };
    // If the store fails, the refusal itself is the answer.
    let Ok(seen) = context.store.look_up(lookup).await else { return refused };
    session.update_from_store(seen.state);
    unusable::with_calls(header, refused, refusals, seen.total_calls)
}

/// Stage replay. Returns the key of the call's record and the used budgets, unless they are left to the claim; or stops
/// with the earlier call's answer.
pub(super) async fn replay(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    parsed: &ParsedCall,
    counted: &mut Option<Fingerprint>,
    lookup: Lookup,
) -> StageResult<(RecordKey, Option<CallLookupResult>)> {
    if lookup == Lookup::WithClaim {
        return Ok((replay::first_key(parsed), None));
    }
    let mut search = Search::new(header, parsed);
    loop {
        let lookup = replay::lookup(context, header, &parsed.tool, search.key());
        let mut seen = context.store.look_up(lookup).await?;
        replay::take_over(context, header, &mut seen);
        let found = match search.seen(seen)? {
            SearchStep::LookUp(next) => {
                search = next;
                continue;
            }
            SearchStep::New(key, seen) => return Ok((key, Some(seen))),
            SearchStep::Found(key, record) => (key, record),
            SearchStep::Alias { unnamed, named, seen } => {
                match context.store.alias_record(&context.attachment.session.id, &unnamed, &named).await? {
                    Some(record) => (unnamed, record),
                    None => return Ok((named, Some(seen))),
                }
            }
        };
        return Err(replay::found(context, header, parsed, found, counted)?);
    }
}

/// Stage completion.
pub(super) async fn complete(context: &AdmissionContext<'_>, parsed: ParsedCall) -> StageResult<CompleteCall> {
    let ParsedCall { tool, args, fingerprint, .. } = parsed;
    let completed = args.completed().await?;
    complete::complete(ParsedIdentity { tool, fingerprint }, completed, context.now)
}

/// Stage confirmation. Stops the call if its user is asked, or was asked before. `limit` is the refusal of a call that
/// may only be about a pending question. A call about a pending question is not counted.
pub(super) async fn confirm(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    key: &RecordKey,
    call: &CompleteCall,
    limit: Option<Box<ToolError>>,
    counted: &mut Option<Fingerprint>,
) -> StageResult<()> {
    let Some((question, shown)) = confirm::question(context, header, key, call)? else {
        return limit.map_or(Ok(()), |limit| Err((*limit).into()));
    };
    let session = &context.attachment.session.id;
    if let Some(limit) = limit {
        let pending = context.store.pending_questions(session, context.now).await?;
        if !pending.iter().any(|pending| pending.shows_the_same(&question)) {
            return Err((*limit).into());
        }
    }
    let new = Token::clone(&question.token);
    let confirmed = match context.store.ask(session, question, context.now).await? {
        AskResult::Pending(question) => {
            if question.token != new {
                *counted = None;
            }
            return Err(confirm::ask(question, shown));
        }
        AskResult::Denied { times } => return Err(confirm::denied(call, times).into()),
        AskResult::Confirmed(confirmed) => confirmed,
    };
    let lookup = CallLookup { rate_limit: None, ..replay::lookup(context, header, &call.tool, &confirmed.key) };
    let record = context.store.look_up(lookup).await?.record;
    Err(confirm::already_confirmed(context, call, confirmed, record)?)
}

/// Stage claim.
pub(super) async fn claim(
    context: &AdmissionContext<'_>,
    header: Arc<CallHeader>,
    key: RecordKey,
    call: CompleteCall,
    lookup: Lookup,
    consume: Option<ConfirmedToken>,
) -> StageResult<Box<AdmittedCall>> {
    let request = claim::request(context, &header, &key, &call, lookup, consume);
    let result = context.store.claim(request).await?;
    claim::decide(context, header, key, call, result)
}
