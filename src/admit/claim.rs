//! Rung 10: one atomic store operation. Either the call is recorded as started, the turn debited and the confirmation
//! consumed, or nothing is changed.

use std::sync::Arc;

use super::complete::CompleteCall;
use super::{AdmittedCall, Desk, Header, Rung, budget, replay};
use crate::error::{ErrorType, ToolError};
use crate::json::Canonical;
use crate::session::cache::CacheKey;
use crate::session::fingerprint::canonical_digest;
use crate::session::key::{RecordKey, idempotency_key};
use crate::store::{Claim, Claimed, Token};

/// Claims the call. A consumed confirmation is the user's act: it is neither counted nor limited.
pub(super) async fn claim(
    desk: &Desk<'_>,
    header: Arc<Header>,
    key: RecordKey,
    call: CompleteCall,
    consume: Option<Token>,
) -> Rung<Box<AdmittedCall>> {
    let tool = call.tool;
    let by_model = consume.is_none();
    let claim = Claim {
        session: desk.attachment.session.id.clone(),
        key: key.clone(),
        fingerprint: call.fingerprint.clone(),
        tool: Arc::clone(&tool.id),
        call_id: header.call_id.clone(),
        turn: header.turn,
        effect: tool.effect,
        retrieval: tool.is_retrieval(),
        budget: by_model.then(|| budget::of(&header.mode)),
        rate: tool.definition.rate_limit.filter(|_| by_model),
        consume,
        lease_ms: desk.store.lease().map(|lease| u64::try_from(lease.as_millis()).unwrap_or(u64::MAX)),
        now: desk.now,
    };
    match desk.store.claim(claim).await? {
        Claimed::Granted { epoch } => Ok(Box::new(AdmittedCall {
            cache: tool.cache().map(|_| CacheKey {
                tool: Arc::clone(&tool.id),
                version: Arc::clone(&tool.version),
                mode: Arc::clone(&header.mode.name),
                args: canonical_digest(&Canonical::of(call.tape.root())),
            }),
            idempotency_key: idempotency_key(&desk.attachment.session.id, &tool.id, &key),
            header,
            fingerprint: call.fingerprint,
            args: call.tape.into_text().into(),
            kept_text: call.kept_text,
            defaulted: call.defaulted,
            clamped: call.clamped,
            key,
            epoch,
            kept_in: desk.kept_in,
            tool,
        })),
        // The key was taken meanwhile: by the same call, or by another one under the same id.
        Claimed::Existing(record) if record.fingerprint.same(&call.fingerprint) => {
            Err(replay::known(desk, &tool, key, record)?)
        }
        Claimed::Existing(_) => Err(replay::taken(&tool.id).into()),
        Claimed::OverBudget(seen) => Err(budget::exceeded(&header.mode, &tool, &seen).into()),
        Claimed::OverRate { wait_ms } => Err(budget::over_rate(&tool, wait_ms).into()),
        Claimed::NotPending => {
            Err(ToolError::new(ErrorType::ConfirmationExpired, "this confirmation is not open any more").into())
        }
    }
}
