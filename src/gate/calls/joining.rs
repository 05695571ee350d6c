//! Joining a call that is running: in this process, or in another one that shares the store.

use std::sync::Arc;

use crate::admit::{CallHeader, RecordLocation};
use crate::gate::calls::caller::WaitingCaller;
use crate::gate::calls::remote_join::RemoteJoin;
use crate::gate::calls::responses::lost_call;
use crate::gate::run::running::RunningKey;
use crate::gate::sessions::attachment::Session;
use crate::run::execution::{AnswerReceiver, CallerAnswer, CallerNumber, Execution};
use crate::session::key::RecordKey;
use crate::store::{CallLookup, Record, RecordState, StoreRequests};

impl Session {
    /// Joins a running call, or answers from its record if it has ended meanwhile.
    pub(in crate::gate) async fn join(
        &self,
        caller: WaitingCaller,
        location: RecordLocation,
        key: &RecordKey,
        record: &Record,
    ) {
        let (header, number) = (Arc::clone(&caller.header), caller.number);
        if record.is_deferred && self.attachment.delivers_results() {
            let mut running = header.running_answer(self.gate.now());
            (running.meta.idempotent_cache_hit, running.meta.original_turn) = (true, Some(record.turn));
            return caller.respond(Arc::new(running));
        }
        let receiver = caller.into_receiver(Some(record.turn));
        self.join_receiver((&header, number), receiver, location, key, record).await;
    }

    /// Joins a running call for a caller with this receiver, or answers from its record if it has ended meanwhile.
    pub(in crate::gate) async fn join_receiver(
        &self,
        (header, number): (&Arc<CallHeader>, Option<CallerNumber>),
        mut receiver: AnswerReceiver,
        location: RecordLocation,
        key: &RecordKey,
        record: &Record,
    ) {
        if let Some(execution) = self.open.running.get(&RunningKey::of_record(location, key, record)) {
            match execution.join(header.call_id.clone(), number, receiver) {
                Ok(()) => return,
                Err(unused) => receiver = unused,
            }
        }
        // The execution answered after its record was read: the record has the result now.
        let lookup = CallLookup {
            session: self.open.live.id.clone(),
            key: key.clone(),
            turn: header.turn,
            limits: Vec::new(),
            known_revision: self.open.live.state_revision(),
            act: None,
            content: None,
            now: self.gate.now(),
        };
        let found = self.gate.store_at(location).look_up(lookup).await.ok().and_then(|seen| seen.record);
        // The record was deleted, and another call came with its key: that one's answer is not for this call.
        let found = found.filter(|found| found.fingerprint.matches(&record.fingerprint));
        match found.as_deref().map(|found| (found, &found.state)) {
            Some((_, RecordState::Settled(response))) => {
                receiver(CallerAnswer::Settled { response: Arc::clone(response), first: false });
            }
            Some((record, RecordState::Started))
                if record.is_deferred || self.gate.store_at(location).lease().is_some() =>
            {
                self.join_remote((Arc::clone(header), number), receiver, key, record);
            }
            _ => receiver(CallerAnswer::Refused(Arc::new(lost_call()))),
        }
    }

    /// Joins a call that another process runs.
    fn join_remote(
        &self,
        (header, number): (Arc<CallHeader>, Option<CallerNumber>),
        receiver: AnswerReceiver,
        key: &RecordKey,
        record: &Record,
    ) {
        let execution = Arc::new(Execution::running(record.effect.cancellation_policy(None)));
        // The call runs for none of the callers here: an empty receiver takes the first place, so that every caller's answer is a
        // replay.
        let _ = execution.join(None, None, Box::new(|_| ()));
        let _ = execution.join(header.call_id.clone(), number, receiver);
        let running_key = RunningKey::of_record(RecordLocation::Store, key, record);
        self.open.running.insert(running_key.clone(), Arc::clone(&execution));
        let (gate, open) = (Arc::clone(&self.gate), Arc::clone(&self.open));
        let (attachment, key) = (self.attachment.id, key.clone());
        let remote_join = RemoteJoin { gate, open, header, attachment, key, running_key, execution, if_lost: None };
        (self.gate.parts.spawner)(Box::pin(remote_join.run()));
    }
}
