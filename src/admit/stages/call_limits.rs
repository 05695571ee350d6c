//! Limits of calls over time: which of them a call meets, and where each is counted.
//!
//! A tool limits its own calls, of a session or of a principal; a mode limits all calls of a principal in it. What is counted
//! by principal is counted before the claim, in the principal's session ([`principal_session`]), and given back if the claim
//! is not granted. A session without a principal counts both itself, in its claim. A call that a user confirms counts nowhere:
//! limits are for models.

use std::sync::Arc;

use serde_json::json;

use crate::admit::acts::principal_session;
use crate::admit::call::CallHeader;
use crate::admit::context::AdmissionContext;
use crate::admit::decision::StageResult;
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::definition::RateLimitScope;
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::store::{CallCount, CallLimit, CountCall, CountStep, LimitReached, StoreError, StoreRequests};

/// The limits whose counts are in the call's own session.
pub(in crate::admit) fn of_session(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    tool: &CompiledTool,
) -> Vec<CallLimit> {
    match &context.attachment.principal {
        None => of_tool(tool).into_iter().chain(of_mode(header)).collect(),
        Some(_) => of_tool(tool).filter(|_| !is_per_principal(tool)).into_iter().collect(),
    }
}

/// The limits that the call shares with all sessions of its principal; `None` if it has none.
pub(in crate::admit) fn of_principal<'a>(
    context: &'a AdmissionContext<'a>,
    header: &CallHeader,
    tool: &CompiledTool,
) -> Option<PrincipalLimits<'a>> {
    let principal = context.attachment.principal.as_deref()?;
    let of_tool = of_tool(tool).filter(|_| is_per_principal(tool));
    let limits: Vec<CallLimit> = of_tool.into_iter().chain(of_mode(header)).collect();
    (!limits.is_empty()).then_some(PrincipalLimits { context, principal, limits })
}

fn is_per_principal(tool: &CompiledTool) -> bool {
    tool.definition.rate_limit.is_some_and(|limit| limit.per == RateLimitScope::Principal)
}

fn of_tool(tool: &CompiledTool) -> Option<CallLimit> {
    let limit = tool.definition.rate_limit?;
    Some(CallLimit { name: Arc::clone(&tool.id), calls: limit.calls, window_ms: limit.window_ms })
}

fn of_mode(header: &CallHeader) -> Option<CallLimit> {
    let (mode, limit) = (&header.mode.name, header.mode.per_principal?);
    // No tool's id has a colon.
    Some(CallLimit { name: format!("mode:{mode}").into(), calls: limit.calls, window_ms: limit.window_ms })
}

/// RATE_LIMIT with the limit and the time to wait.
pub(in crate::admit) fn refusal(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    tool: &CompiledTool,
    reached: &LimitReached,
) -> ToolError {
    let LimitReached { limit: CallLimit { name, calls, window_ms }, wait_ms } = reached;
    let is_of_tool = *name == tool.id;
    let is_by_principal = context.attachment.principal.is_some() && (!is_of_tool || is_per_principal(tool));
    let what = if is_of_tool { format!("`{}`", tool.id) } else { format!("tools in {} mode", header.mode.name) };
    let message = match (is_of_tool, is_by_principal) {
        (true, false) => format!("{what} is called too often; it can be called again in {wait_ms} ms"),
        (true, true) => format!("{what} is called too often for this user; it can be called again in {wait_ms} ms"),
        (false, _) => format!("{what} are called too often for this user; they can be called again in {wait_ms} ms"),
    };
    let details = json!({
        "limit": if is_of_tool { "tool" } else { "mode" },
        "per": if is_by_principal { "principal" } else { "session" },
        "calls": calls,
        "windowMs": window_ms,
    });
    ToolError::new(ErrorType::RateLimit, message).with_details(details).retryable_after(Some(*wait_ms))
}

/// The limits of a call that are counted by principal.
pub(in crate::admit) struct PrincipalLimits<'a> {
    context: &'a AdmissionContext<'a>,
    principal: &'a str,
    limits: Vec<CallLimit>,
}

/// A call that is counted, until it is claimed.
pub(in crate::admit) struct CountedCall<'a> {
    limits: PrincipalLimits<'a>,
    at: EpochMs,
}

impl<'a> PrincipalLimits<'a> {
    /// Refuses a call before its user is asked about it. Counts nothing.
    pub(in crate::admit) async fn check(self, header: &CallHeader, tool: &CompiledTool) -> StageResult<()> {
        let context = self.context;
        let reached = match context.store.count_call(self.step(CountStep::Look)).await {
            // The principal has called nothing yet.
            Err(StoreError::SessionEnded) => None,
            looked => looked?.reached,
        };
        reached.map_or(Ok(()), |reached| Err(refusal(context, header, tool, &reached).into()))
    }

    /// Counts the call, or refuses it.
    pub(in crate::admit) async fn count(
        self,
        header: &CallHeader,
        tool: &CompiledTool,
    ) -> StageResult<CountedCall<'a>> {
        let context = self.context;
        let counting = self.step(CountStep::Count);
        let CallCount { at, reached } = match context.store.count_call(counting.clone()).await {
            Err(StoreError::SessionEnded) => {
                principal_session::begin(context, self.principal, self.session()).await?;
                context.store.count_call(counting).await?
            }
            counted => counted?,
        };
        match reached {
            None => Ok(CountedCall { limits: self, at }),
            Some(reached) => Err(refusal(context, header, tool, &reached).into()),
        }
    }

    fn session(&self) -> SessionId {
        principal_session::id(self.context, self.principal)
    }

    fn step(&self, step: CountStep) -> CountCall {
        let limits = self.limits.clone();
        CountCall { session: self.session(), owner: self.principal.into(), limits, step, now: self.context.now }
    }
}

impl CountedCall<'_> {
    /// Gives the count back: the claim was not granted. If the store fails, the call counts until its window ends.
    pub(in crate::admit) async fn give_back(self) {
        let give_back = self.limits.step(CountStep::GiveBack { at: self.at });
        if let Err(error) = self.limits.context.store.count_call(give_back).await {
            tracing::warn!(%error, "a call that was not granted counts for its principal's limits");
        }
    }
}
