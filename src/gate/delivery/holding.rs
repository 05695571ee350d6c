//! The results that an attachment holds until it accepts them, or leaves: those that it has taken, and those of the writes that it
//! answers directly.

use std::sync::Arc;
use std::time::Duration;

use crate::error::ToolError;
use crate::gate::Gate;
use crate::gate::sessions::attachment::Session;
use crate::gate::sessions::open_session::OpenSession;
use crate::session::attachment::Attachment;
use crate::store::owed::{EndDelivery, TakeOwed, TakenOwed};
use crate::store::{Claimant, StoreError, StoreRequests};

/// The pause between two renewals of the results that an attachment holds.
const RENEWAL_PAUSE: Duration = Duration::from_secs(20);

impl Session {
    /// Whether the attachment holds a result of the call with this id.
    #[must_use]
    pub fn holds_result(&self, call_id: &str) -> bool {
        self.attachment.known_delivery().is_some_and(|delivery| !delivery.held_of(call_id).is_empty())
    }

    /// Accepts what the attachment holds of the call with this id: the model has its result. False if it holds nothing.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn accept_result(&self, call_id: &str) -> Result<bool, ToolError> {
        let held = self.attachment.known_delivery().map(|delivery| delivery.held_of(call_id)).unwrap_or_default();
        let mut is_accepted = false;
        for id in held {
            is_accepted |= self.end_delivery(id, true).await?;
        }
        Ok(is_accepted)
    }
}

impl Gate {
    /// Takes the next result for an attachment if `takes`, and goes on holding what it holds.
    pub(in crate::gate) async fn take_owed(
        &self,
        attachment: &Attachment,
        takes: bool,
        skips: &[u64],
    ) -> Result<TakenOwed, StoreError> {
        let (store, delivery) = (&self.parts.store, attachment.delivery());
        let request = TakeOwed {
            session: attachment.session.id.clone(),
            by: delivery.id,
            held: delivery.held(),
            skips: skips.to_vec(),
            takes,
            claimant: store.lease().and_then(|_| Claimant::this_process()),
            now: self.now(),
        };
        let owed = store.take_owed(request).await?;
        self.emit_dropped(&attachment.session.id, &owed.dropped);
        Ok(owed)
    }

    /// Renews the results that an attachment holds, until it holds none.
    pub(in crate::gate) fn renew_while_held(self: &Arc<Self>, attachment: &Arc<Attachment>) {
        if !attachment.delivery().begin_renewing() {
            return;
        }
        let (gate, attachment) = (Arc::downgrade(self), Arc::downgrade(attachment));
        (self.parts.spawner)(Box::pin(async move {
            loop {
                tokio::time::sleep(RENEWAL_PAUSE).await;
                let (Some(gate), Some(attachment)) = (gate.upgrade(), attachment.upgrade()) else { return };
                if attachment.inactive_reason().is_some() || attachment.delivery().end_renewing_if_none_held() {
                    return;
                }
                if let Err(error) = gate.take_owed(&attachment, false, &[]).await {
                    tracing::warn!(%error, "results could not be held");
                }
            }
        }));
    }

    /// Offers what an attachment holds again, when it leaves or another one has taken its place.
    pub(in crate::gate) fn release_results(self: &Arc<Self>, open: &Arc<OpenSession>, attachment: &Arc<Attachment>) {
        if attachment.known_delivery().is_some() {
            let (gate, open, attachment) = (Arc::clone(self), Arc::clone(open), Arc::clone(attachment));
            (self.parts.spawner)(Box::pin(async move { gate.offer_again(&open, &attachment).await }));
        }
    }

    /// Ends the waits for results, and offers again what is held.
    pub(in crate::gate) async fn release_all_results(&self) {
        for open in &self.sessions.all() {
            open.results_changed();
            let attachments = open.attachments.lock().clone();
            for attachment in attachments.iter().filter(|attachment| attachment.known_delivery().is_some()) {
                self.offer_again(open, attachment).await;
            }
        }
    }

    async fn offer_again(&self, open: &OpenSession, attachment: &Attachment) {
        let delivery = attachment.delivery();
        for epoch in delivery.held() {
            let end =
                EndDelivery { session: open.live.id.clone(), by: delivery.id, epoch, accepted: false, now: self.now() };
            if let Err(error) = self.parts.store.end_delivery(end).await {
                tracing::warn!(%error, "a result that was not delivered is offered again later");
            }
        }
        open.results_changed();
    }
}
