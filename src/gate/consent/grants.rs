//! The grants of a session, as its user sees and ends them.

use std::sync::Arc;

use serde::Serialize;

use crate::admit::AdmittedCall;
use crate::clock::EpochMs;
use crate::error::ToolError;
use crate::gate::calls::call_facts;
use crate::gate::sessions::attachment::Session;
use crate::json::{Limits, Tape};
use crate::observe::event::Event;
use crate::observe::question_facts::{GrantFacts, ShownFacts};
use crate::session::fingerprint::canonical_digest;
use crate::store::{Grant, GrantId, GrantScope, NewGrant, StoreRequests};

/// A grant, as the host sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GrantView {
    /// The name, for `revoke` and in `meta.grant`.
    pub id: GrantId,
    /// The tool.
    pub tool: Arc<str>,
    /// Its version.
    pub tool_version: Arc<str>,
    /// Which later calls of the tool run without a question.
    pub scope: GrantScope,
    /// How many still do.
    pub calls_left: u32,
    /// When it ends, epoch milliseconds.
    pub expires: EpochMs,
    /// When it was given, epoch milliseconds.
    pub granted_at: EpochMs,
    /// The way in which the user's answer came.
    pub via: Option<Arc<str>>,
    /// The beginning of what the user was shown; `None` where any arguments are granted.
    pub preview: Option<String>,
}

impl From<Grant> for GrantView {
    fn from(grant: Grant) -> Self {
        let Grant { id, call, scope, calls_left, expires, granted_at, via, preview, .. } = grant;
        Self {
            id,
            tool: call.tool,
            tool_version: call.tool_version,
            scope,
            calls_left,
            expires,
            granted_at,
            via,
            preview,
        }
    }
}

impl<'a> GrantFacts<'a> {
    pub(in crate::gate) fn new(grant: &'a NewGrant) -> Self {
        let NewGrant { id, scope, calls, ttl_ms, .. } = grant;
        Self { id, scope: scope.as_str(), calls: *calls, ttl_ms: *ttl_ms }
    }
}

impl Session {
    /// The grants that have not ended, the oldest first.
    ///
    /// # Errors
    /// If the session has ended or the store fails.
    pub async fn grants(&self) -> Result<Vec<GrantView>, ToolError> {
        self.check_open()?;
        let grants = self.gate.parts.store.grants(self.id(), self.gate.now()).await;
        let grants = grants.map_err(|error| crate::admit::store_refusal(&error))?;
        Ok(grants.into_iter().map(GrantView::from).collect())
    }

    /// Ends a grant before its time: a call that is claimed from then on is asked about. True if it had not ended. `via` is the
    /// way in which the user did it, for the audit.
    ///
    /// # Errors
    /// If the session has ended or the store fails.
    pub async fn revoke(&self, id: &str, via: Option<String>) -> Result<bool, ToolError> {
        self.check_open()?;
        let revoked = self.gate.parts.store.revoke_grant(self.id(), id, self.gate.now()).await;
        let Some(grant) = revoked.map_err(|error| crate::admit::store_refusal(&error))? else { return Ok(false) };
        let (tool_id, answer) = (&*grant.call.tool, self.answer_facts(via.as_deref(), None));
        self.emit(&Event::GrantRevoked { tool_id, grant: &grant.id, calls_left: grant.calls_left, answer });
        Ok(true)
    }

    /// Emits that a call runs by a grant, if it does.
    pub(in crate::gate) fn emit_grant_used(&self, call: &AdmittedCall) {
        let Some(used) = &call.used else { return };
        let key = self.gate.parts.audit_key.audit().filter(|_| self.gate.parts.observer.is_audited());
        let shown = ShownFacts {
            idempotency_key: key.map(|_| Arc::clone(&call.idempotency_key)),
            final_args_hash: key.and_then(|key| {
                let args = Tape::parse(call.args.to_string(), &Limits::widest()).ok()?;
                Some(key.hash(&canonical_digest(&crate::json::CanonicalJson::from_node(args.root()))))
            }),
            ..ShownFacts::default()
        };
        let (call, grant) = (call_facts::call_facts(&call.header), &*used.id);
        self.emit(&Event::GrantUsed { call, shown: &shown, grant, calls_left: used.calls_left });
    }
}
