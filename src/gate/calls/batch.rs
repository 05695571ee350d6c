//! Batches: calls that a model made together.

use std::sync::Arc;

use futures_util::future::join_all;
use tokio::time::Instant;

use crate::call::RawCall;
use crate::definition::BatchPolicy;
use crate::gate::run::running::{ArrivingCall, HostCaller};
use crate::gate::sessions::attachment::Session;
use crate::registry::ToolSet;
use crate::response::ToolResponse;

impl Session {
    /// Takes calls through the gate: consecutive reads run together; a write waits for all calls before it and holds up
    /// all calls after it. Returns exactly one answer per call, in the calls' order. All calls count as arrived from
    /// the beginning, so that a waiting one can be cancelled. Of two equal calls, the later joins or replays the other.
    /// `caller` is the caller of each.
    pub async fn execute_all(&self, calls: Vec<RawCall>, caller: HostCaller) -> Vec<Arc<ToolResponse>> {
        let arrive = |call: RawCall| (self.arrive(call.id.as_ref(), caller.clone()), call);
        let arrived: Vec<(ArrivingCall<'_>, RawCall)> = calls.into_iter().map(arrive).collect();
        let tools = self.attachment.tools();
        let mut answers = Vec::with_capacity(arrived.len());
        let mut together = Vec::new();
        for (arriving, call) in arrived {
            match batch_policy(&tools, &call.name) {
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

    /// Takes an arrived call through the gate. Its time counts from here, not from the arrival of the batch.
    async fn execute_arrived(&self, arriving: ArrivingCall<'_>, call: RawCall) -> Arc<ToolResponse> {
        self.admit_arrived(arriving, call, Instant::now(), None).await
    }
}

/// How a call runs in a batch. A call of an unknown tool is refused without effects, unless its name is repaired.
fn batch_policy(tools: &ToolSet, name: &str) -> BatchPolicy {
    if let Some(tool) = tools.get(name) {
        return tool.effect.batch_policy();
    }
    let is_exclusive = tools.respelt(name).any(|tool| tool.effect.batch_policy() == BatchPolicy::Exclusive);
    if is_exclusive { BatchPolicy::Exclusive } else { BatchPolicy::Concurrent }
}
