//! One call on its way through the stages: what the stages before have found out about it, and the order that it takes.
//!
//! The stages are plain functions in files of their own. The methods here call them, and wait for the store, or for a worker
//! that reads a large text. On a store that never waits, and with a small text, no method waits.

use std::sync::Arc;

use futures_util::FutureExt;

use crate::admit::args::offload::on_worker;
use crate::admit::args::parse::ArgsReader;
use crate::admit::args::parse::ParsedCall;
use crate::admit::args::{complete, parse};
use crate::admit::call::{AdmittedCall, CallHeader, CompleteCall, ParsedIdentity};
use crate::admit::consent::confirm;
use crate::admit::context::AdmissionContext;
use crate::admit::decision::{Admission, AdmissionResult, StageResult};
use crate::admit::deferred::UncertainRecord;
use crate::admit::stages::call_limits::PrincipalLimits;
use crate::admit::stages::claim::Lookup;
use crate::admit::stages::order::{AdmissionPath, Stage, StageOrder};
use crate::admit::stages::replay::{Search, SearchStep};
use crate::admit::stages::tool_name::NamedOtherwise;
use crate::admit::stages::unusable::UnusableEnd;
use crate::admit::stages::{
    backpressure, budget, call_limits, loop_guard, mode, nested_calls, replay, resolve_tool, session_active, tool_name,
    uncertain, unusable,
};
use crate::call::RawCall;
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::schema::{RepairRule, Repaired};
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::store::{CallLookup, CallLookupResult, GrantedCall, StoreRequests};

/// A call that is being admitted.
pub(in crate::admit) struct Admitting<'a> {
    pub(in crate::admit) context: &'a AdmissionContext<'a>,
    pub(in crate::admit) header: Arc<CallHeader>,
    /// The fingerprint that the loop guard counts; `None` for a call that counts nowhere.
    pub(in crate::admit) counted: Option<Fingerprint>,
    /// How the call is answered if its tool's name was repaired, and its arguments do not fit.
    named_otherwise: Option<Box<NamedOtherwise>>,
    /// Whether the claim still has to do the look-up.
    pub(in crate::admit) lookup: Lookup,
    /// The call, if it needs a question unless a grant covers it still.
    pub(in crate::admit) by_grant: Option<Arc<GrantedCall>>,
    order: StageOrder,
}

impl<'a> Admitting<'a> {
    pub(in crate::admit) fn new(context: &'a AdmissionContext<'a>, header: CallHeader, path: AdmissionPath) -> Self {
        let (header, order) = (Arc::new(header), StageOrder::new(path));
        Self {
            context,
            header,
            counted: None,
            named_otherwise: None,
            lookup: Lookup::BeforeClaim,
            by_grant: None,
            order,
        }
    }

    /// Whether the model makes the call now.
    pub(in crate::admit) fn is_by_model(&self) -> bool {
        self.order.path() == AdmissionPath::Call
    }

    /// The end of the admission.
    pub(in crate::admit) fn ended(self, result: StageResult<Box<AdmittedCall>>) -> AdmissionResult {
        let admission = result.map_or_else(|stopped| stopped, Admission::Run);
        AdmissionResult { header: self.header, counted: self.counted, admission }
    }

    /// Enters the next stage of the path.
    pub(in crate::admit) fn enter(&mut self, stage: Stage) {
        self.order.enter(stage);
    }

    /// Whether the look-up was left to the claim, so that a call that was not granted has to begin anew.
    pub(in crate::admit) const fn is_not_looked_up(&self) -> bool {
        matches!(self.lookup, Lookup::WithClaim)
    }

    /// Takes the call through all stages.
    pub(in crate::admit) async fn run(&mut self, call: RawCall, lookup: Lookup) -> StageResult<Box<AdmittedCall>> {
        let (key, complete) = self.run_checks(call, lookup).await?;
        self.enter(Stage::Backpressure);
        backpressure::check(self.context, &complete.tool)?;
        self.enter(Stage::Claim);
        self.claim(key, complete, None).await
    }

    /// Takes the call through the stages before the claim, from the first one on. `lookup` says whether the look-up may be
    /// left to the claim.
    pub(in crate::admit) async fn run_checks(
        &mut self,
        call: RawCall,
        lookup: Lookup,
    ) -> StageResult<(RecordKey, CompleteCall)> {
        self.order = StageOrder::new(AdmissionPath::Call);
        self.lookup = Lookup::BeforeClaim;
        self.by_grant = None;
        self.forget_repairs();
        self.enter(Stage::Session);
        session_active::check(self.context)?;
        self.enter(Stage::Tool);
        let tool = match self.resolve_tool(&call) {
            Ok(tool) => tool,
            Err(error) => {
                self.counted = Some(unusable::fingerprint(self.context, &call));
                // Boxed here and below, so that a rare case does not enlarge the future of every call.
                return Err(Box::pin(self.unusable(error.into())).await);
            }
        };
        self.enter(Stage::Parse);
        let parsed = match self.parse(tool, call).await {
            Ok(parsed) => parsed,
            Err(stopped) => return Err(Box::pin(self.unfit(stopped)).await),
        };
        self.enter(Stage::Replay);
        // A question must not be asked about a call that has run.
        if !parsed.tool.definition.requires_confirmation {
            self.lookup = lookup;
        }
        let (key, seen) = match self.replay(&parsed).await {
            Err(Admission::Reconcile(first)) => return Err(Box::pin(self.reconcile_first(first, parsed)).await),
            replayed => replayed?,
        };
        self.enter(Stage::Mode);
        mode::check_mode(self.context, &parsed.tool)?;
        self.enter(Stage::Roles);
        mode::check_roles(self.context, &parsed.tool)?;
        self.enter(Stage::NestedCalls);
        nested_calls::check(self.context, &parsed.tool)?;
        self.enter(Stage::LoopGuard);
        let within = loop_guard::check(self.context, &self.header, &parsed.fingerprint);
        self.enter(Stage::Budget);
        let within = within.and_then(|()| seen.map_or(Ok(()), |seen| self.check_budget(&parsed.tool, &seen)));
        let within = match self.limits_before_question(&parsed.tool) {
            Some(limits) if within.is_ok() => Box::pin(limits.check(&self.header, &parsed.tool)).await,
            _ => within,
        };
        let limit = confirm::limit_of_question(&parsed.tool, within)?;
        self.enter(Stage::Completion);
        let complete = match (self.complete(parsed).await, limit.as_deref()) {
            (Ok(complete), _) => complete,
            (Err(stopped), _) if self.named_otherwise.is_some() => return Err(Box::pin(self.unfit(stopped)).await),
            (Err(_), Some(limit)) => return Err(limit.clone().into()),
            (Err(stopped), None) => return Err(stopped),
        };
        self.enter(Stage::Confirmation);
        self.confirm(&key, &complete, limit).await?;
        Ok((key, complete))
    }

    fn check_budget(&self, tool: &CompiledTool, seen: &CallLookupResult) -> StageResult<()> {
        budget::check(&self.header, tool, seen)?;
        match &seen.limit_reached {
            None => Ok(()),
            Some(reached) => Err(call_limits::refusal(self.context, &self.header, tool, reached).into()),
        }
    }

    /// The limits that are looked at before a call's user is asked. Of any other call the count itself decides.
    fn limits_before_question(&self, tool: &CompiledTool) -> Option<PrincipalLimits<'a>> {
        if !tool.definition.requires_confirmation {
            return None;
        }
        call_limits::of_principal(self.context, &self.header, tool)
    }

    /// Stage tool. The name of an unknown tool is repaired if it means one tool of the session.
    pub(in crate::admit) fn resolve_tool(&mut self, call: &RawCall) -> Result<Arc<CompiledTool>, ToolError> {
        let tool = match resolve_tool::resolve(self.context, call) {
            Ok(tool) => tool,
            Err(refusal) => match tool_name::meant(self.context, call, &refusal) {
                Some(tool) => {
                    self.repair_name(call, refusal, &tool);
                    tool
                }
                None => return Err(refusal),
            },
        };
        Arc::make_mut(&mut self.header).tool = Some(Arc::clone(&tool));
        Ok(tool)
    }

    fn repair_name(&mut self, call: &RawCall, refusal: ToolError, tool: &CompiledTool) {
        let counted = unusable::fingerprint(self.context, call);
        let header = Arc::make_mut(&mut self.header);
        let name = std::mem::replace(&mut header.name, Arc::clone(&tool.id));
        header.repaired.push(Repaired::whole(RepairRule::ToolName));
        self.named_otherwise = Some(Box::new(NamedOtherwise { name, refusal, counted }));
    }

    /// Undoes what was repaired. Returns how the call is answered then, if its tool's name was.
    fn forget_repairs(&mut self) -> Option<Box<NamedOtherwise>> {
        if !self.header.repaired.is_empty() {
            Arc::make_mut(&mut self.header).repaired.clear();
        }
        let named = self.named_otherwise.take()?;
        let header = Arc::make_mut(&mut self.header);
        header.name = Arc::clone(&named.name);
        header.tool = None;
        Some(named)
    }

    /// The end of a call whose arguments are refused: if its tool's name was repaired, it is a call of an unknown tool.
    async fn unfit(&mut self, stopped: Admission) -> Admission {
        match self.forget_repairs() {
            Some(named) => {
                self.counted = Some(named.counted);
                self.unusable(named.refusal.into()).await
            }
            None => self.unusable(stopped).await,
        }
    }

    /// Stage parse.
    pub(in crate::admit) async fn parse(&mut self, tool: Arc<CompiledTool>, call: RawCall) -> StageResult<ParsedCall> {
        let read = match parse::reader(self.context, &self.header, tool, call) {
            Ok((reader, text)) if !reader.is_work(&text) => Some(reader.read(text)),
            Ok((mut reader, text)) => {
                reader.reads_on_worker(self.is_recorded(&reader));
                on_worker(move || reader.read(text)).await
            }
            Err(unread) => Some(Err(unread)),
        };
        match read {
            Some(Ok(parsed)) => {
                self.counted = Some(parsed.fingerprint.clone());
                Ok(parsed)
            }
            Some(Err((error, fingerprint))) => {
                self.counted = Some(fingerprint);
                Err(error.into())
            }
            None => Err(ToolError::new(ErrorType::Internal, "the arguments could not be read").into()),
        }
    }

    /// Whether the call is recorded under its id, as far as a store that never waits can say.
    fn is_recorded(&self, reader: &ArgsReader) -> bool {
        let store = self.context.store;
        let Some(key) = reader.known_key().filter(|_| store.never_waits()) else { return false };
        let seen = store.look_up(replay::lookup(self.context, &self.header, &key)).now_or_never();
        seen.is_some_and(|seen| seen.is_ok_and(|seen| seen.record.is_some()))
    }

    /// The end of a call that the stages tool and parse refuse.
    async fn unusable(&self, refused: Admission) -> Admission {
        let (refused, refusals) = match unusable::check(self.context, &self.header, self.counted.as_ref(), refused) {
            UnusableEnd::Refused(refused) => return refused,
            UnusableEnd::UnlessUsedUp(refused, refusals) => (refused, refusals),
        };
        let session = &self.context.attachment.session;
        let lookup = CallLookup {
            session: session.id.clone(),
            // Only the counters are needed: no call has this key, since an empty id is not stable.
            key: RecordKey::from_provider_id(&"".into()),
            turn: self.header.turn,
            limits: Vec::new(),
            known_revision: session.state_revision(),
            act: None,
            content: None,
            now: self.context.now,
        };
        // If the store fails, the refusal itself is the answer.
        let Ok(seen) = self.context.store.look_up(lookup).await else { return refused };
        session.update_from_store(seen.state);
        unusable::with_calls(&self.header, refused, refusals, seen.total_calls)
    }

    /// Stage replay. Returns the key of the call's record and the used budgets, unless they are left to the claim; or stops
    /// with the earlier call's answer.
    pub(in crate::admit) async fn replay(
        &mut self,
        parsed: &ParsedCall,
    ) -> StageResult<(RecordKey, Option<CallLookupResult>)> {
        if self.is_not_looked_up() {
            return Ok((replay::first_key(parsed), None));
        }
        let (context, header) = (self.context, Arc::clone(&self.header));
        let mut search = Search::new(&header, parsed);
        loop {
            let lookup = replay::lookup(context, &header, search.key());
            let limits = call_limits::of_session(context, &header, &parsed.tool);
            let lookup = CallLookup { content: search.content(), limits, ..lookup };
            let mut seen = context.store.look_up(lookup).await?;
            replay::take_over(context, &header, &mut seen);
            let found = match search.seen(seen)? {
                SearchStep::LookUp(next) => {
                    search = next;
                    continue;
                }
                SearchStep::New(key, seen) => return Ok((key, Some(seen))),
                SearchStep::Found(key, record) => (key, record),
                SearchStep::Alias { unnamed, named, seen } => {
                    match context.store.alias_record(&context.attachment.session.id, &unnamed, &named).await? {
                        Some(record) => (unnamed, record),
                        None => return Ok((named, Some(seen))),
                    }
                }
            };
            if !replay::is_counted(parsed) {
                self.counted = None;
            }
            return Err(replay::found(context, &header, parsed, found)?);
        }
    }

    /// The end of a call that meets its own record. The record may keep no arguments: the reconcile gets this call's.
    async fn reconcile_first(&mut self, first: Box<UncertainRecord>, parsed: ParsedCall) -> Admission {
        match self.complete(parsed).await {
            Ok(complete) => uncertain::with_args_of(Admission::Reconcile(first), &complete),
            Err(_) => Admission::Reconcile(first),
        }
    }

    /// Stage completion.
    async fn complete(&mut self, parsed: ParsedCall) -> StageResult<CompleteCall> {
        let ParsedCall { tool, args, fingerprint, .. } = parsed;
        let checked = args.completed().await?;
        let identity = ParsedIdentity { tool, fingerprint };
        let (call, repaired) = complete::complete(identity, checked, self.context.now)?;
        if !repaired.is_empty() {
            Arc::make_mut(&mut self.header).repaired.extend(repaired);
        }
        Ok(call)
    }
}
