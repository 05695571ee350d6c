//! The acts of a principal: those of all its sessions on the store.
//!
//! They are kept in a session of the principal's own. A call reserves its act there before its own claim, and gives it
//! back if that is not granted. The reservation and the call's record are in two sessions, so no operation writes both; what holds
//! between any two writes is:
//!
//! - A reservation is open until it is certain what its call has done: its end is a success, a failure without effects, or its deletion.
//! - What an open reservation stands for is decided by the record of its call, which it names. A claim that has ended, another process'
//!   completion and a reconcile are seen there.
//! - A reservation has the lease of a claim. If it ends and its call has no record, the call was never claimed: the act is free.
//!   Where a record may have been deleted since (its session is gone, or its time is over), the reservation alone decides.
//! - A record ends before its reservation is freed, and a reservation is freed by its epoch: a call that is made again has another one.
//!
//! So a process that dies after the claim leaves an act that is not done again, until its window ends.

use std::sync::Arc;

use crate::admit::acts::reservation::Reservation;
use crate::admit::acts::{duplicate, principal_session, reserving};
use crate::admit::call::CompleteCall;
use crate::admit::context::AdmissionContext;
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::definition::{DuplicateScope, EffectClass};
use crate::session::key::{RecordKey, idempotency_key};
use crate::store::reconcile::{CallOrigin, KeptCall, ReadRecord, RecordPlace};
use crate::store::{
    Act, CallLookup, Claim, ClaimResult, Claimant, DoneAct, RECORD_TTL_MS, Record, RecordState, StoreError,
    StoreRequests,
};

/// How often another equal act is looked for because the last one turned out to have done nothing.
const MAX_LOOKS: usize = 4;

/// What came of reserving an act.
pub(in crate::admit) enum Reserved {
    /// Nothing is to be reserved, or it is already.
    Nothing,
    /// It is reserved for the call.
    Act(Reservation),
    /// Another call of the principal has done it.
    Done(DoneAct),
    /// It was reserved for the call before, and whether the call has a record is not known: that is looked up first.
    NotLookedUp,
}

/// The principal whose acts a call must not do again; `None` if it is about its own session only.
pub(in crate::admit) fn principal<'a>(context: &AdmissionContext<'a>, call: &CompleteCall) -> Option<&'a str> {
    let rule = call.tool.duplicates.as_ref().filter(|rule| rule.scope == DuplicateScope::Principal)?;
    context.attachment.principal.as_deref().filter(|_| rule.window_ms > 0)
}

/// What the call does, in the session of this principal's acts only.
fn act_of_principal(context: &AdmissionContext<'_>, call: &CompleteCall, principal: &str, known: u64) -> Option<Act> {
    duplicate::act_of(context, call, known).map(|act| Act { owner: Some(principal.into()), ..act })
}

/// The equal act that was done in a session of the principal.
pub(in crate::admit) async fn find(
    context: &AdmissionContext<'_>,
    call: &CompleteCall,
    principal: &str,
) -> Result<Option<DoneAct>, StoreError> {
    for _ in 0..MAX_LOOKS {
        let lookup = CallLookup {
            session: principal_session::id(context, principal),
            key: RecordKey::from_provider_id(&"".into()),
            turn: 1,
            limits: Vec::new(),
            known_revision: 0,
            act: act_of_principal(context, call, principal, 0),
            content: None,
            now: context.now,
        };
        let done = match context.store.look_up(lookup).await {
            Ok(seen) => seen.done,
            // The principal has done nothing yet.
            Err(StoreError::SessionEnded) => None,
            Err(error) => return Err(error),
        };
        let Some(done) = done else { return Ok(None) };
        if let Some(done) = as_recorded(context, principal, done).await? {
            return Ok(Some(done));
        }
    }
    Ok(None)
}

/// Reserves the act of a call about to be claimed. `known` is the last equal act that its user knows of. `is_looked_up` says that
/// the call is known to have no record.
pub(in crate::admit) async fn reserve(
    context: &AdmissionContext<'_>,
    key: &RecordKey,
    call: &CompleteCall,
    (known, is_looked_up): (u64, bool),
) -> Result<Reserved, StoreError> {
    let Some(principal) = principal(context, call) else { return Ok(Reserved::Nothing) };
    let Some(act) = act_of_principal(context, call, principal, known) else { return Ok(Reserved::Nothing) };
    let claim = claim_of(context, key, call, (principal, act));
    for _ in 0..MAX_LOOKS {
        let claimed = match context.store.claim(claim.clone()).await {
            Err(StoreError::SessionEnded) => {
                principal_session::begin(context, principal, claim.session.clone()).await?;
                context.store.claim(claim.clone()).await?
            }
            claimed => claimed?,
        };
        match claimed {
            ClaimResult::Granted { epoch, .. } => return Ok(Reserved::Act(Reservation::new(&claim, epoch))),
            ClaimResult::Duplicate(done) => {
                if let Some(done) = as_recorded(context, principal, done).await? {
                    return Ok(Reserved::Done(done));
                }
            }
            // The call was made before, and its record was freed: it is reserved anew, so that what ends the old reservation does
            // not end this one.
            ClaimResult::Existing(before) if before.state == RecordState::Unknown => {
                if !is_looked_up {
                    return Ok(Reserved::NotLookedUp);
                }
                Reservation::new(&claim, before.epoch).settle(context.store, None, context.now).await;
            }
            _ => return Ok(Reserved::Nothing),
        }
    }
    Ok(Reserved::Nothing)
}

/// The claim of a reservation.
fn claim_of(
    context: &AdmissionContext<'_>,
    key: &RecordKey,
    call: &CompleteCall,
    (principal, act): (&str, Act),
) -> Claim {
    let session = principal_session::id(context, principal);
    let call_session = &context.attachment.session.id;
    let own = idempotency_key(call_session, &call.tool.id, key);
    let place = RecordPlace { session: call_session.as_str().into(), key: key.clone(), epoch: 0 };
    let kept = KeptCall {
        session: session.as_str().into(),
        args: None,
        origin: CallOrigin::default(),
        counterpart: Some(place),
    };
    Claim {
        session,
        key: RecordKey::from_provider_id(&own.as_ref().into()),
        fingerprint: call.fingerprint.clone(),
        tool: Arc::clone(&call.tool.id),
        call_id: None,
        turn: 1,
        // What a call has done whose process died is unknown, whatever its tool is.
        effect: EffectClass::Write,
        is_retrieval: false,
        budget: None,
        limits: Vec::new(),
        consume_token: None,
        by_grant: None,
        lease_ms: context.store.lease_ms(),
        claimant: context.store.lease().and_then(|_| Claimant::this_process()),
        known_revision: 0,
        is_looked_up: true,
        repeats_answered: false,
        act: Some(act),
        kept: Some(Arc::new(kept)),
        hold: None,
        now: context.now,
    }
}

/// The act of a reservation as the record of its call has it. `None` if the call turned out to have done nothing: the act is free.
async fn as_recorded(
    context: &AdmissionContext<'_>,
    principal: &str,
    done: DoneAct,
) -> Result<Option<DoneAct>, StoreError> {
    let is_open = matches!(done.record.state, RecordState::Started | RecordState::Unknown);
    let place = done.kept.as_ref().and_then(|kept| kept.counterpart.clone()).filter(|_| is_open);
    let Some(place) = place else { return Ok(Some(done)) };
    let read = ReadRecord {
        session: SessionId::from(&*place.session),
        key: place.key.clone(),
        principal: principal.into(),
        now: context.now,
    };
    let record = match context.store.read_record(read).await {
        Ok(None) if was_never_claimed(&done.record, &place, context.now) => {
            reservation_of(context, principal, &done).settle(context.store, None, context.now).await;
            return Ok(None);
        }
        // The claim reached the store, and its answer did not reach this process.
        Ok(Some(record)) if record.state == RecordState::Started && reserving::was_left(record.claimant, &place) => {
            let claim = Reservation(RecordPlace { epoch: record.epoch, ..place });
            claim.settle(context.store, None, context.now).await;
            reservation_of(context, principal, &done).settle(context.store, None, context.now).await;
            return Ok(None);
        }
        Ok(record) => record.filter(|record| record.fingerprint.matches(&done.record.fingerprint)),
        Err(StoreError::SessionEnded) => None,
        Err(error) => return Err(error),
    };
    let Some(record) = record else { return Ok(Some(done)) };
    let is_certain = record.state != RecordState::Started && !record.state.is_uncertain();
    if is_certain {
        let reservation = reservation_of(context, principal, &done);
        reservation.settle(context.store, Some(record.state.clone()), context.now).await;
        if matches!(&record.state, RecordState::Settled(response) if !response.is_ok()) {
            return Ok(None);
        }
    }
    let kept = done.kept.as_deref().map(|kept| {
        let counterpart = Some(RecordPlace { epoch: record.epoch, ..place });
        Arc::new(KeptCall { counterpart, ..kept.clone() })
    });
    let record = Record { state: record.state.clone(), ..Record::clone(&done.record) };
    Ok(Some(DoneAct { record: Arc::new(record), kept, ..done }))
}

/// Whether the call of a reservation without a record was never claimed: the reservation's lease is over, or this process knows that
/// its claim failed; and a record would still be kept.
fn was_never_claimed(reserved: &Record, call: &RecordPlace, now: EpochMs) -> bool {
    let is_over = reserved.state == RecordState::Unknown || reserving::was_left(reserved.claimant, call);
    is_over && now < reserved.claimed_at.saturating_add(RECORD_TTL_MS)
}

/// The record that has decided about a principal's act; `None` if its reservation alone has.
pub(in crate::admit) fn place_of_call(done: &DoneAct) -> Option<&RecordPlace> {
    done.kept.as_ref()?.counterpart.as_ref().filter(|place| place.epoch > 0)
}

/// The reservation of an act of the principal.
pub(in crate::admit) fn reservation_of(context: &AdmissionContext<'_>, principal: &str, done: &DoneAct) -> Reservation {
    let session = principal_session::id(context, principal).as_str().into();
    Reservation(RecordPlace { session, key: done.key.clone(), epoch: done.record.epoch })
}

/// What the call does, for its session's acts; `None` if it may be done again and again, or if it counts among its principal's
/// acts. `known` is the epoch of the last equal act that its user knows of.
pub(in crate::admit) fn act_in_session(context: &AdmissionContext<'_>, call: &CompleteCall, known: u64) -> Option<Act> {
    if principal(context, call).is_some() { None } else { duplicate::act_of(context, call, known) }
}
