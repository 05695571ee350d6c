//! Calls that a model made together.

use std::sync::Arc;

use futures_util::future::join_all;
use tokio::time::Instant;

use super::running::ArrivingCall;
use super::session::Session;
use crate::call::RawCall;
use crate::definition::BatchPolicy;
use crate::response::ToolResponse;

impl Session {
    /// Takes calls through the gate: consecutive reads together; a write waits for all before it and holds all after it.
    /// Answers stand in the calls' order, exactly one for each. All of them have arrived when this begins, so that one
    /// that still waits can be cancelled; two that are the same call join, or the later one gets the earlier's record.
    pub async fn execute_all(&self, calls: Vec<RawCall>) -> Vec<Arc<ToolResponse>> {
        let arrive = |call: RawCall| (self.open.running.arrive(call.id.clone()), call);
        let arrived: Vec<(ArrivingCall<'_>, RawCall)> = calls.into_iter().map(arrive).collect();
        let tools = self.attachment.tools();
        let mut answers = Vec::with_capacity(arrived.len());
        let mut together = Vec::new();
        for (arriving, call) in arrived {
            // What is no tool is refused, and leaves nothing behind.
            let in_batch = tools.get(&call.name).map_or(BatchPolicy::Concurrent, |tool| tool.effect.batch_policy());
            match in_batch {
                BatchPolicy::Concurrent => together.push(self.execute_arrived(arriving, call)),
                BatchPolicy::Exclusive => {
                    answers.extend(join_all(together.drain(..)).await);
                    answers.push(self.execute_arrived(arriving, call).await);
                }
            }
        }
        answers.extend(join_all(together).await);
        answers
    }

    /// Its time counts from its own turn in the batch.
    async fn execute_arrived(&self, arriving: ArrivingCall<'_>, call: RawCall) -> Arc<ToolResponse> {
        self.admit_arrived(arriving, call, Instant::now(), None).await
    }
}
