//! The turns of an attachment: begun by the host, or by the gate for a host that does not begin turns.

use std::sync::Arc;

use tokio::time::Instant;

use crate::call::UserMessage;
use crate::error::{ErrorType, ToolError};
use crate::gate::Gate;
use crate::gate::calls::caller::ResponseSink;
use crate::gate::sessions::attachment::{Session, TurnBegun};
use crate::gate::sessions::open_session::OpenSession;
use crate::response::ToolResponse;
use crate::session::attachment::Attachment;
use crate::session::turns::TurnBoundary;
use crate::store::{BegunTurn, StoreError, StoreRequests, TurnStarter};

impl Session {
    /// Begins the session's next turn, once per id, and enters it with this attachment. From now on only the host begins
    /// turns for this attachment.
    ///
    /// # Errors
    /// If the session has ended or the store fails.
    pub async fn begin_turn(&self, turn_id: Option<&str>) -> Result<TurnBegun, ToolError> {
        self.check_open()?;
        self.attachment.host_begins_turns();
        let turn = self.start_turn(turn_id, TurnStarter::Host).await;
        let turn = turn.map_err(|error| crate::admit::store_refusal(&error))?;
        Ok(TurnBegun { turn: turn.number, pending_message: turn.pending_message })
    }

    /// Begins a turn if the call that arrives belongs to another turn than the call before. If the store fails, the call
    /// stays in the attachment's turn, and the next call tries again.
    pub(in crate::gate) async fn enter_turn_of(&self, message: Option<&UserMessage>, received: Instant) {
        let next = {
            let turns = self.attachment.turns.lock();
            turns.boundary(message, received).map(|boundary| NextTurn {
                boundary,
                ends: turns.has_had_calls().then(|| self.attachment.turn()),
                is_another: message.is_some_and(|message| turns.is_another(message, received)),
            })
        };
        // Boxed: most calls begin no turn, and the call's own future stays small.
        if let Some(next) = next
            && self.check_open().is_ok()
        {
            Box::pin(self.enter_next_turn(next, message)).await;
        }
    }

    async fn enter_next_turn(&self, next: NextTurn, message: Option<&UserMessage>) {
        let starter = TurnStarter::Gate { ends: next.ends };
        let begun = match &next.boundary {
            TurnBoundary::Pause => self.start_turn(None, starter).await,
            TurnBoundary::Message(id) => match self.start_turn(Some(id), starter).await {
                Ok(known) if !known.is_new && next.is_another => self.start_turn(None, starter).await,
                begun => begun,
            },
        };
        match begun {
            Ok(_) => self.attachment.turns.lock().begun(message.map(|message| message.id.clone())),
            Err(error) => tracing::warn!(%error, "a turn could not be begun"),
        }
    }

    async fn start_turn(&self, id: Option<&str>, starter: TurnStarter) -> Result<BegunTurn, StoreError> {
        let known = self.open.live.state_revision();
        let mut turn =
            self.gate.parts.store.begin_turn(self.id(), id.map(str::to_owned), starter, known, self.gate.now()).await?;
        self.attachment.enter_turn(turn.number);
        self.open.live.update_from_store(turn.state.take());
        if turn.is_new {
            self.gate.summarize_turn(&self.open);
            self.take_loaded_tools().await;
        }
        Ok(turn)
    }

    /// After a reload the session has the loaded tool set from its next turn on. The store keeps only its name: if that fails,
    /// the next process notices an older one.
    async fn take_loaded_tools(&self) {
        let loaded = self.gate.tools();
        let Some(older) = self.open.live.replace_tools(&loaded) else { return };
        self.gate.emit_version_mismatch(Some(self.id().as_str()), &older.version, &loaded.version);
        if let Err(error) = self.gate.parts.store.pin_tools(self.id(), Arc::clone(&loaded.version)).await {
            tracing::warn!(%error, "the session's tool set could not be stored");
        }
    }

    /// The sink of a call's answer, which notes when the call was answered. The pause between turns begins then.
    pub(in crate::gate) fn timed_reply(&self, reply: ResponseSink) -> ResponseSink {
        let Some(call) = CallInTurn::arrived(&self.attachment) else { return reply };
        Box::new(move |response| {
            call.answered(&response);
            reply(response);
        })
    }
}

impl Gate {
    /// Emits what a session's turn has had, at its end.
    pub(in crate::gate) fn summarize_turn(&self, open: &OpenSession) {
        let summary = open.turn_stats.lock().take_summary();
        if let Some(summary) = summary {
            self.emit(Some(open.live.id.as_str()), &summary);
        }
    }
}

/// The turn that a call begins.
struct NextTurn {
    boundary: TurnBoundary,
    /// The turn that ends, if it has had calls.
    ends: Option<u32>,
    /// Whether a message that has begun a turn before is another one now.
    is_another: bool,
}

/// A call that its attachment waits for. The turn does not end before it is answered.
struct CallInTurn {
    attachment: Arc<Attachment>,
    is_refused_this_turn: bool,
}

impl CallInTurn {
    /// `None` if the host begins turns.
    fn arrived(attachment: &Arc<Attachment>) -> Option<Self> {
        let mut turns = attachment.turns.lock();
        if turns.is_begun_by_host() {
            return None;
        }
        turns.arrived();
        drop(turns);
        Some(Self { attachment: Arc::clone(attachment), is_refused_this_turn: false })
    }

    fn answered(mut self, response: &ToolResponse) {
        self.is_refused_this_turn =
            matches!(response.outcome.error_type(), Some(ErrorType::BudgetExceeded | ErrorType::LoopDetected));
    }
}

impl Drop for CallInTurn {
    fn drop(&mut self) {
        self.attachment.call_answered((!self.is_refused_this_turn).then(Instant::now));
    }
}
