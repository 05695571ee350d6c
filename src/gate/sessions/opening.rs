//! Creating, resuming and dropping sessions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::call::{CallId, SessionId};
use crate::gate::Environment;
use crate::gate::Gate;
use crate::gate::sessions::attachment::Session;
use crate::gate::sessions::open_session::{CreateError, OpenSession};
use crate::observe::event::Event;
use crate::registry::{CompiledTool, ToolSet, Unavailable};
use crate::session::attachment::{Attachment, CloseReason, LiveSession};
use crate::session::key::hex;
use crate::session::policy::ModeOverrides;
use crate::session::state::{ChangeAuthor, SessionState};
use crate::store::owed::DroppedResult;
use crate::store::{AttachRequest, AttachedSession, Idle, Owner, StoreError, StoreRequests};

/// The options of a new or resumed session.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// The id; a random one if absent.
    pub session_id: Option<String>,
    /// The owner of the session.
    pub principal: Option<String>,
    /// A secret that an attachment must present in addition to the principal; only a digest of it is kept.
    pub resume_token: Option<String>,
    /// The attachment's mode.
    pub mode: String,
    /// The host's initial state fields, for a new session.
    pub state: BTreeMap<String, Value>,
    /// The roles of the attachment.
    pub roles: BTreeSet<String>,
    /// The available services of the host.
    pub services: BTreeSet<String>,
    /// Overrides of the mode's numbers, for this attachment.
    pub policy: ModeOverrides,
    /// Whether to supersede older attachments of the same mode; if absent, the mode decides.
    pub exclusive: Option<bool>,
    /// The IANA name of the user's time zone; an unknown one is ignored.
    pub time_zone: Option<String>,
    /// Whether the user can be asked; by default yes.
    pub can_ask: Option<bool>,
    /// Whether the results of the attachment's writes are held until it accepts them.
    pub holds_writes: bool,
    /// Whether the session must exist; a new one is not created.
    pub resume_only: bool,
    /// The id of a confirmation of the session: its owner is taken from the store, since the caller has shown the right to answer it.
    pub confirmation: Option<String>,
    /// Whether the host's listener is notified of the attachment's calls.
    pub listens: bool,
    /// The pause that begins a turn for a host that does not begin turns; ten seconds if absent.
    pub turn_pause: Option<Duration>,
}

impl Gate {
    /// Checks that the session store takes writes. One that can't be reached passes: it may come. So does one whose replicas
    /// are missing.
    ///
    /// # Errors
    /// If the store has a lasting failure, which does not pass without intervention.
    pub async fn check_store(&self) -> Result<(), StoreError> {
        let checked = match self.parts.store.check().await {
            Err(StoreError::Unreachable(_) | StoreError::SessionFailed(_)) => Ok(()),
            checked => checked,
        };
        if self.parts.audit_key.is_pending() {
            self.read_installation_key(checked.is_ok());
        }
        checked
    }

    /// Reads the key of audit lines from the store, without making the caller wait for a store that does not answer.
    fn read_installation_key(&self, is_usable: bool) {
        let (key, store) = (Arc::clone(&self.parts.audit_key), self.parts.store.clone());
        (self.parts.spawner)(Box::pin(async move {
            match if is_usable { store.installation_key().await } else { Ok(None) } {
                Ok(Some(found)) => key.set_from_store(found),
                Ok(None) => key.stop_waiting(),
                Err(error) => {
                    tracing::warn!(%error, "the key of audit lines can't be read from the store; lines have no chain until it can");
                    key.stop_waiting();
                }
            }
        }));
    }

    /// Uses the store as it is from now on, after it has lost its data.
    ///
    /// # Errors
    /// If it can't be used for another reason.
    pub async fn accept_store(&self) -> Result<(), StoreError> {
        let accepted = self.parts.store.accept().await;
        self.store_probe.forget().await;
        accepted
    }

    /// Attaches to a session, new or existing.
    ///
    /// # Errors
    /// See [`CreateError`].
    pub async fn create_session(self: &Arc<Self>, options: SessionOptions) -> Result<Session, CreateError> {
        if self.is_closing() {
            return Err(CreateError::Closed);
        }
        let now = self.now();
        let mode = self.mode_from_options(&options)?;
        let id: SessionId = match &options.session_id {
            Some(id) => id.as_str().into(),
            None => new_session_id()?.into(),
        };
        let tools = self.tools();
        let mut state = SessionState::new(&mode.name);
        for (field, value) in options.state {
            state.set(&field, value, ChangeAuthor { by: "host", call_id: None, at: now })?;
        }
        let owner = match &options.confirmation {
            Some(confirmation) => self.owner_of_confirmation(&id, confirmation).await?,
            None => Owner::new(options.principal, options.resume_token.as_deref()),
        };
        let principal = owner.principal().map(str::to_owned);
        let attach = AttachRequest {
            session: id.clone(),
            owner,
            state,
            tools_version: Arc::clone(&tools.version),
            resume_only: options.resume_only,
            now,
        };
        // Before attaching, so that a session that was idle for too long is not resumed.
        self.drop_idle().await;
        let attached =
            if id.is_of_gate() { Err(StoreError::WrongPrincipal) } else { self.parts.store.attach(attach).await };
        let attached = attached.inspect_err(|error| self.emit_session_refused(&id, &mode.name, error))?;
        self.parts.audit_key.set_from_store(attached.fingerprint_key);
        self.emit_dropped(&id, &attached.dropped);
        let open = self.open_session(&id, &attached, tools).await?;
        let exclusive = options.exclusive.unwrap_or_else(|| mode.exclusive_by_default());
        let attachment = Attachment::new(
            self.next_id(),
            Arc::clone(&open.live),
            mode,
            options.roles,
            options.services,
            attached.turn,
        );
        let attachment = attachment
            .of_principal(principal)
            .in_time_zone(options.time_zone.as_deref())
            .asking(options.can_ask.unwrap_or(true))
            .holding_writes(options.holds_writes)
            .with_turns(options.turn_pause, open.earlier_calls(&attached));
        let attachment = Arc::new(if exclusive { attachment.as_connection() } else { attachment });
        self.add_attachment(&open, &attachment, exclusive, attached.created);
        // After attaching, so that the new session is not evicted itself.
        self.evict_for_new_session();
        let listener_id = options.listens.then_some(attachment.id);
        Ok(Session::new(Arc::clone(self), open, attachment, listener_id))
    }

    /// The full data, `bytes` long, of the truncated answer to the call with this idempotency key. `None` if it is not
    /// kept.
    #[must_use]
    pub fn full_data(&self, session: &str, idempotency_key: &str, bytes: u64) -> Option<Arc<str>> {
        self.full_results.get(&session.into(), idempotency_key, bytes)
    }

    fn mode_from_options(&self, options: &SessionOptions) -> Result<Arc<crate::session::policy::Mode>, CreateError> {
        if options.mode.is_empty() {
            return Err(CreateError::Option("`mode` is missing; name one, such as `voice` or `text`".to_owned()));
        }
        if options.session_id.as_deref() == Some("") {
            return Err(CreateError::Option("`sessionId` is empty; leave it out to get a random one".to_owned()));
        }
        Ok(Arc::new(self.mode(&options.mode).with_overrides(&options.policy)))
    }

    /// Returns this process' view of the session; creates it from the store's data if needed.
    async fn open_session(
        &self,
        id: &SessionId,
        attached: &AttachedSession,
        tools: Arc<ToolSet>,
    ) -> Result<Arc<OpenSession>, CreateError> {
        if let Some(open) = self.sessions.used(id) {
            open.live.update_from_store(Some(Box::new(attached.state.clone())));
            return Ok(open);
        }
        if attached.tools_version != tools.version {
            self.emit_version_mismatch(Some(id.as_str()), &attached.tools_version, &tools.version);
            if self.parts.environment == Environment::Development {
                let session = Arc::clone(&attached.tools_version);
                return Err(CreateError::Version { session, registry: Arc::clone(&tools.version) });
            }
            self.parts.store.pin_tools(id, Arc::clone(&tools.version)).await?;
        }
        let live = LiveSession::new(id.clone(), attached.state.clone(), attached.fingerprint_key, tools);
        Ok(self.sessions.or_open(id.clone(), || OpenSession::new(live, self.parts.limits.concurrency)))
    }

    fn add_attachment(
        self: &Arc<Self>,
        open: &Arc<OpenSession>,
        attachment: &Arc<Attachment>,
        exclusive: bool,
        created: bool,
    ) {
        let mut attachments = open.attachments.lock();
        let mut superseded = Vec::new();
        if exclusive {
            attachments.retain(|older| {
                let stays = older.mode.name != attachment.mode.name;
                if !stays && older.close(CloseReason::Superseded) {
                    superseded.push(Arc::clone(older));
                }
                stays
            });
        }
        attachments.push(Arc::clone(attachment));
        drop(attachments);
        // A superseded attachment waits for no result any more.
        open.results_changed();
        for older in &superseded {
            self.release_results(open, older);
        }
        let id = open.live.id.as_str();
        let mode = &*attachment.mode.name;
        if created {
            self.emit(Some(id), &Event::SessionStarted { mode, registry_version: &attachment.tools().version });
        }
        self.emit(Some(id), &Event::SessionAttached { mode, turn: attachment.turn(), superseded: superseded.len() });
    }

    fn emit_session_refused(&self, session: &SessionId, mode: &str, error: &StoreError) {
        let refusal = crate::admit::store_refusal(error);
        let event = Event::SessionRefused { mode, error_type: refusal.kind, message: &refusal.message };
        self.emit(Some(session.as_str()), &event);
    }

    /// Writes that a call or a session was made for another tool set than the loaded one. `session` is `None` for a call
    /// whose caller names no session.
    pub fn emit_version_mismatch(&self, session: Option<&str>, was: &str, is: &str) {
        let event = Event::RegistryVersionMismatch { session_version: was, registry_version: is };
        self.emit(session, &event);
    }

    /// Says whether the server of a source's tool offers what was locked. Returns whether that is news, which the audit gets.
    pub fn set_availability(&self, tool: &CompiledTool, reason: Option<Unavailable>) -> bool {
        let Some(origin) = &tool.definition.source else { return false };
        let is_news = tool.availability.set(reason);
        if is_news {
            let reason = reason.map(Unavailable::as_str);
            self.emit(None, &Event::DefinitionDrift { tool_id: &tool.id, source: &origin.name, reason });
        }
        is_news
    }

    /// Drops sessions that were idle for too long. A sweep may visit every session, so it runs at most once in a
    /// twenty-fourth of the idle time; a session may stay that much longer.
    async fn drop_idle(&self) {
        let (now, idle_ms) = (self.now(), self.parts.limits.session_idle_ms);
        if self.sessions.begins_sweep(now, idle_ms / 24) {
            let idle = Idle { since: now.saturating_sub(idle_ms), now };
            self.sweep(idle).await;
            let _ = self.outage_store.sweep(idle, &[]).await;
            self.outage_store.evict(self.parts.limits.max_sessions, now, &|_| false);
        }
    }

    fn evict_for_new_session(&self) {
        let max = self.parts.limits.max_sessions;
        self.sessions.evict(max, |is_in_use| self.parts.store.evict(max, self.now(), is_in_use));
    }

    async fn sweep(&self, idle: Idle) {
        let swept = self.parts.store.sweep(idle, &self.sessions.in_use()).await;
        match swept {
            Ok(swept) => {
                self.sessions.drop_views(&swept.sessions);
                for (id, result) in &swept.results {
                    self.emit_dropped(id, std::slice::from_ref(result));
                }
            }
            Err(error) => tracing::warn!(%error, "idle sessions could not be dropped"),
        }
    }

    /// Reports results that no attachment took as long as they were owed.
    pub(in crate::gate) fn emit_dropped(&self, session: &SessionId, results: &[DroppedResult]) {
        for DroppedResult { tool, call_id } in results {
            let call_id = call_id.as_ref().map(CallId::as_str);
            self.emit(Some(session.as_str()), &Event::ResultDropped { tool_id: tool, call_id });
        }
    }
}

/// 128 random bits.
fn new_session_id() -> Result<String, CreateError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| CreateError::Store(StoreError::Failed(format!("no random bytes: {error}"))))?;
    Ok(hex(&bytes))
}
