//! The acts of a principal: those of all its sessions on the store.
//!
//! They are kept in a session of their own, one for each principal. A call reserves its act there before its own claim, gives
//! it back if that is not granted, and settles it with its record. A reservation whose process dies on this machine is of unknown
//! outcome; any other ends with the window.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::complete::CompleteCall;
use super::{AdmissionContext, duplicate};
use crate::call::SessionId;
use crate::definition::{DuplicateScope, EffectClass};
use crate::session::key::{RecordKey, hex, idempotency_key};
use crate::session::state::SessionState;
use crate::store::{
    AttachRequest, CallLookup, Claim, ClaimResult, Claimant, DoneAct, Owner, RecordState, Settlement, Store,
    StoreError, StoreRequests,
};

/// An act that is reserved for a call.
#[derive(Debug, Clone)]
pub struct Reservation {
    session: SessionId,
    key: RecordKey,
    epoch: u64,
}

/// What came of reserving an act.
pub(super) enum Reserved {
    /// Nothing is to be reserved, or it is already.
    Nothing,
    /// It is reserved for the call.
    Act(Reservation),
    /// Another call of the principal has done it.
    Done(DoneAct),
}

/// The principal whose acts a call must not do again; `None` if it is about its own session only.
pub(super) fn principal<'a>(context: &AdmissionContext<'a>, call: &CompleteCall) -> Option<&'a str> {
    let rule = call.tool.duplicates.as_ref().filter(|rule| rule.scope == DuplicateScope::Principal)?;
    context.attachment.principal.as_deref().filter(|_| rule.window_ms > 0)
}

/// The session that keeps a principal's acts. Its own principal alone can use it.
fn session_of(principal: &str) -> SessionId {
    format!("acts-of-principal:{}", hex(&Sha256::digest(principal))).into()
}

/// The equal act that was done in a session of the principal.
pub(super) async fn find(
    context: &AdmissionContext<'_>,
    call: &CompleteCall,
    principal: &str,
) -> Result<Option<DoneAct>, StoreError> {
    let lookup = CallLookup {
        session: session_of(principal),
        key: RecordKey::from_provider_id(&"".into()),
        turn: 1,
        tool: Arc::clone(&call.tool.id),
        rate_limit: None,
        known_revision: 0,
        act: duplicate::act_of(context, call, 0),
        now: context.now,
    };
    match context.store.look_up(lookup).await {
        Ok(seen) => Ok(seen.done),
        // The principal has done nothing yet.
        Err(StoreError::SessionEnded) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reserves the act of a call about to be claimed. `known` is the last equal act that its user knows of.
pub(super) async fn reserve(
    context: &AdmissionContext<'_>,
    key: &RecordKey,
    call: &CompleteCall,
    known: u64,
) -> Result<Reserved, StoreError> {
    let (Some(principal), Some(act)) = (principal(context, call), duplicate::act_of(context, call, known)) else {
        return Ok(Reserved::Nothing);
    };
    let session = session_of(principal);
    let own = idempotency_key(&context.attachment.session.id, &call.tool.id, key);
    let claim = Claim {
        session: session.clone(),
        key: RecordKey::from_provider_id(&own.as_ref().into()),
        fingerprint: call.fingerprint.clone(),
        tool: Arc::clone(&call.tool.id),
        call_id: None,
        turn: 1,
        // What a call has done whose process died is unknown, whatever its tool is.
        effect: EffectClass::Write,
        is_retrieval: false,
        budget: None,
        rate_limit: None,
        consume_token: None,
        by_grant: None,
        lease_ms: Some(act.window_ms),
        claimant: context.store.lease().and_then(|_| Claimant::this_process()),
        known_revision: 0,
        is_looked_up: true,
        repeats_answered: false,
        act: Some(act),
        kept: None,
        hold: None,
        now: context.now,
    };
    let key = claim.key.clone();
    let claimed = match context.store.claim(claim.clone()).await {
        Err(StoreError::SessionEnded) => {
            begin(context, principal, session.clone()).await?;
            context.store.claim(claim).await?
        }
        claimed => claimed?,
    };
    Ok(match claimed {
        ClaimResult::Granted { epoch, .. } => Reserved::Act(Reservation { session, key, epoch }),
        ClaimResult::Duplicate(done) => Reserved::Done(done),
        _ => Reserved::Nothing,
    })
}

async fn begin(context: &AdmissionContext<'_>, principal: &str, session: SessionId) -> Result<(), StoreError> {
    let attach = AttachRequest {
        session,
        owner: Owner::new(Some(principal.to_owned()), None),
        state: SessionState::new("acts"),
        tools_version: "".into(),
        resume_only: false,
        now: context.now,
    };
    context.store.attach(attach).await.map(drop)
}

impl Reservation {
    /// Records what became of the act; `None` gives it back.
    pub(crate) async fn settle(&self, store: &dyn Store, state: Option<RecordState>, now: u64) {
        let settlement = Settlement {
            session: self.session.clone(),
            key: self.key.clone(),
            epoch: self.epoch,
            state,
            is_heard: false,
            owed: None,
            changes: Vec::new(),
            now,
        };
        if let Err(error) = store.settle(settlement).await {
            tracing::warn!(%error, "what became of a principal's act could not be recorded");
        }
    }
}

/// What the call does, for its session's acts; `None` if it may be done again and again, or if it counts among its principal's
/// acts. `known` is the epoch of the last equal act that its user knows of.
pub(super) fn act_in_session(
    context: &AdmissionContext<'_>,
    call: &CompleteCall,
    known: u64,
) -> Option<crate::store::Act> {
    if principal(context, call).is_some() { None } else { duplicate::act_of(context, call, known) }
}
