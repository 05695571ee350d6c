//! The stages confirmation and claim of a call: its user is asked, about the call itself or about doing again what was done
//! before; then it is claimed.

use std::sync::Arc;

use crate::admit::acts::principal_acts::Reserved;
use crate::admit::acts::reservation::Reservation;
use crate::admit::acts::reserving::Reserving;
use crate::admit::acts::{duplicate, principal_acts};
use crate::admit::admitting::Admitting;
use crate::admit::args::schema_check;
use crate::admit::call::{AdmittedCall, CompleteCall};
use crate::admit::consent::{confirm, confirmed, grant};
use crate::admit::decision::{Admission, Asked, StageResult};
use crate::admit::stages::call_limits::PrincipalLimits;
use crate::admit::stages::{call_limits, claim, replay, uncertain};
use crate::definition::OnDuplicate;
use crate::error::{ErrorType, ToolError};
use crate::response::Edited;
use crate::session::key::RecordKey;
use crate::store::{
    AskRequest, AskResult, CallLookup, Claim, ClaimResult, Closing, ConfirmedBy, ConfirmedCall, ConfirmedToken,
    DoneAct, DoneBefore, GrantedCall, Question, RecordState, StoreRequests, Token,
};

/// How often a question is made anew because an equal call was made meanwhile.
const MAX_ASKS: usize = 4;

fn busy() -> Admission {
    ToolError::new(ErrorType::Transient, "equal calls are made all the time; try again").retryable_after(None).into()
}

impl Admitting<'_> {
    /// Stage confirmation. Stops the call if its user is asked, or was asked before. `limit` is the refusal of a call that
    /// may only be about a pending question. A call about a pending question is not counted. A call that a grant covers goes on.
    pub(in crate::admit) async fn confirm(
        &mut self,
        key: &RecordKey,
        call: &CompleteCall,
        limit: Option<Box<ToolError>>,
    ) -> StageResult<()> {
        if !confirm::is_needed(call) {
            return limit.map_or(Ok(()), |limit| Err((*limit).into()));
        }
        if let Some(limit) = &limit {
            let (context, session) = (self.context, &self.context.attachment.session.id);
            let (question, _) = confirm::question(context, &self.header, key, call, None)?;
            let pending = context.store.pending_questions(session, context.now).await?;
            if !pending.iter().any(|pending| pending.shows_the_same(&question)) {
                return Err(ToolError::clone(limit).into());
            }
        }
        let granted = limit.is_none().then(|| grant::granted_call(self.context, call)).flatten();
        self.by_grant.clone_from(&granted);
        // Boxed, so that it does not enlarge the future of every call.
        match Box::pin(self.ask(key, call, None, limit, granted)).await? {
            Some(asked) => Err(asked),
            None => Ok(()),
        }
    }

    /// Asks the user about a call, and names what was done before. An equal act that is found meanwhile makes the call its
    /// duplicate, unless `limit` is its answer then. `None` if `granted`, which is the call, needs no question.
    async fn ask(
        &mut self,
        key: &RecordKey,
        call: &CompleteCall,
        mut before: Option<DoneBefore>,
        limit: Option<Box<ToolError>>,
        granted: Option<Arc<GrantedCall>>,
    ) -> StageResult<Option<Admission>> {
        let (context, session) = (self.context, &self.context.attachment.session.id);
        // It is known by its own arguments, and shown with what the code of its schema adds.
        let completed = schema_check::completed(context, &self.header, call).await?;
        let (shown_call, is_unchecked) = (completed.as_ref().unwrap_or(call), schema_check::is_first(context, call));
        for _ in 0..MAX_ASKS {
            if let (None, Some(principal)) = (before, principal_acts::principal(context, call))
                && let Some(done) = principal_acts::find(context, call, principal).await?
            {
                before = Some(self.asked_again(key, call, done, limit.as_deref()).await?);
            }
            let (question, shown) = match (confirm::question(context, &self.header, key, shown_call, before), before) {
                (Ok(asked), _) => asked,
                // The tool asks about duplicates only, and this call's arguments are more than a user can be shown.
                (Err(_), Some(done)) => return Ok(Some(duplicate::refused(&call.tool, done).into())),
                (Err(error), None) => return Err(error.into()),
            };
            let new = Token::clone(&question.token);
            let act = principal_acts::act_in_session(context, call, 0);
            // What was done before is asked about: no grant says that it may be done again.
            let granted = granted.clone().filter(|_| before.is_none());
            let asked = AskRequest::new(session, question, context.now);
            match context.store.ask(AskRequest { act, call: granted, only_known: is_unchecked, ..asked }).await? {
                AskResult::New => return Err(schema_check::first(&self.header, key, call)),
                AskResult::Pending(question) if question.token == new => {
                    return Ok(Some(self.asked(question, Asked::Now, shown)));
                }
                AskResult::Pending(question) => {
                    self.counted = None;
                    let shown = confirm::shown_before(&call.tool, &question, shown);
                    return Ok(Some(self.asked(question, Asked::Before, shown)));
                }
                AskResult::Granted => return Ok(None),
                AskResult::Denied { times } => return Ok(Some(confirm::denied(call, times).into())),
                AskResult::Confirmed(confirmed) => return self.confirmed_before(call, confirmed).await.map(Some),
                AskResult::Done(done) => before = Some(self.asked_again(key, call, done, limit.as_deref()).await?),
            }
        }
        Ok(Some(busy()))
    }

    /// The end of a call whose question is pending: its answer says what was filled in.
    fn asked(&mut self, question: Arc<Question>, asked: Asked, shown: confirm::ShownArgs) -> Admission {
        if !question.defaulted.is_empty() {
            Arc::make_mut(&mut self.header).defaulted.clone_from(&question.defaulted);
        }
        confirm::ask(question, asked, shown)
    }

    /// Asks the user about a call, whatever is granted.
    async fn ask_anyway(
        &mut self,
        key: &RecordKey,
        call: &CompleteCall,
        before: Option<DoneBefore>,
    ) -> StageResult<Admission> {
        Ok(Box::pin(self.ask(key, call, before, None, None)).await?.unwrap_or_else(busy))
    }

    /// What the question must name; stops a duplicate that is not asked about.
    async fn asked_again(
        &mut self,
        key: &RecordKey,
        call: &CompleteCall,
        done: DoneAct,
        limit: Option<&ToolError>,
    ) -> StageResult<DoneBefore> {
        if limit.is_none()
            && let Some(first) = uncertain::reconcile_equal(self.context, call, &done)
        {
            return Err(first);
        }
        match (duplicate::fate(self.context, &call.tool), limit) {
            (_, Some(limit)) => Err(limit.clone().into()),
            (OnDuplicate::Ask, None) => {
                let before = done.summary();
                Arc::make_mut(&mut self.header).duplicate_of = Some(before);
                Ok(before)
            }
            (OnDuplicate::Replay | OnDuplicate::Refuse, None) => Err(self.duplicate(key, call, done, true).await?),
        }
    }

    /// Asks the user about a call that needs no question of its own, if its act was done before. `None` if it was not, or if this is
    /// not asked about.
    pub(in crate::admit) async fn ask_about_duplicate(
        &mut self,
        key: &RecordKey,
        call: &CompleteCall,
    ) -> StageResult<Option<Admission>> {
        let context = self.context;
        if call.tool.duplicates.is_none() || duplicate::fate(context, &call.tool) != OnDuplicate::Ask {
            return Ok(None);
        }
        let done = if let Some(principal) = principal_acts::principal(context, call) {
            principal_acts::find(context, call, principal).await?
        } else {
            let act = principal_acts::act_in_session(context, call, 0);
            let lookup = CallLookup { act, ..replay::lookup(context, &self.header, key) };
            context.store.look_up(lookup).await?.done
        };
        let Some(done) = done else { return Ok(None) };
        let before = self.asked_again(key, call, done, None).await?;
        self.ask_anyway(key, call, Some(before)).await.map(Some)
    }

    /// The answer to a call whose equal was confirmed in this turn or shortly before.
    async fn confirmed_before(&self, call: &CompleteCall, confirmed: ConfirmedCall) -> StageResult<Admission> {
        let context = self.context;
        let lookup = replay::lookup(context, &self.header, &confirmed.key);
        let record = context.store.look_up(lookup).await?.record;
        confirm::already_confirmed(context, call, confirmed, record)
    }

    /// The end of a call whose act was done before. If its user can't be asked about that, a tool that would ask refuses it.
    async fn duplicate(
        &mut self,
        key: &RecordKey,
        call: &CompleteCall,
        done: DoneAct,
        can_ask: bool,
    ) -> StageResult<Admission> {
        if let Some(first) = uncertain::reconcile_equal(self.context, call, &done) {
            return Ok(first);
        }
        let before = done.summary();
        let header = Arc::make_mut(&mut self.header);
        header.duplicate_of = Some(before);
        // A call of another session can't be joined.
        let is_joinable =
            principal_acts::principal(self.context, call).is_none() || done.record.state != RecordState::Started;
        match duplicate::fate(self.context, &call.tool) {
            OnDuplicate::Ask if can_ask => self.ask_anyway(key, call, Some(before)).await,
            OnDuplicate::Replay if is_joinable => {
                if !header.edited.is_empty() {
                    // The call that ran is its equal by the key of duplicates, and had its own values otherwise.
                    header.edited = vec![Edited { path: String::new(), value: None }];
                }
                replay::replay_or_join(self.context, &call.tool, done.key, done.record)
            }
            _ => Ok(duplicate::refused(&call.tool, before).into()),
        }
    }

    /// Stage claim.
    pub(in crate::admit) async fn claim(
        &mut self,
        key: RecordKey,
        call: CompleteCall,
        confirmed: Option<claim::Confirmed>,
    ) -> StageResult<Box<AdmittedCall>> {
        let asked = confirmed.as_ref().map(AskedYes::from);
        let known_act = confirmed.as_ref().map_or(0, |confirmed| confirmed.known_act);
        // A token is used once; a call that is confirmed again gets its answer, unless more than a yes came with it.
        let comes_once =
            |yes: &ConfirmedToken| yes.by == ConfirmedBy::Token || yes.grant.is_some() || yes.approver.is_some();
        let is_used_once =
            !self.header.edited.is_empty() || confirmed.as_ref().is_some_and(|confirmed| comes_once(&confirmed.token));
        let request = claim::request(
            self.context,
            &self.header,
            &key,
            &call,
            self.lookup,
            (confirmed, self.by_grant.clone()),
            self.is_by_model(),
        );
        let limits = call_limits::of_principal(self.context, &self.header, &call.tool).filter(|_| self.is_by_model());
        let reserving = principal_acts::principal(self.context, &call)
            .map(|_| Box::new(Reserving::begin(self.context.attachment.session.id.as_str(), &key)));
        let (claimed, reservation) = match (&reserving, limits) {
            (None, None) => (self.context.store.claim(request).await?, None),
            // Boxed here and below, so that a rare case does not enlarge the future of every call.
            (_, limits) => {
                Box::pin(self.claim_among_principals((&key, &call), known_act, request, (limits, reserving.as_deref())))
                    .await?
            }
        };
        match claimed {
            // A claim without a look-up is looked up next: it may be a repeat of the call itself.
            ClaimResult::Duplicate(done) if !self.is_not_looked_up() => {
                Err(Box::pin(self.claimed_before(&key, &call, done, asked)).await?)
            }
            // Another yes has run the call.
            ClaimResult::Existing(record) if is_used_once && record.fingerprint.matches(&call.fingerprint) => {
                Err(claim::no_longer_open())
            }
            // The last call of the grant was another one, or it has ended meanwhile.
            ClaimResult::NotGranted => Err(Box::pin(self.ask_anyway(&key, &call, None)).await?),
            result => {
                if let ClaimResult::Granted { used: Some(used), .. } = &result {
                    Arc::make_mut(&mut self.header).grant = Some(Arc::clone(&used.id));
                }
                let decided = claim::decide(self.context, Arc::clone(&self.header), key, call, result);
                decided.map(|mut call| {
                    (call.reservation, call.reserving) = (reservation, reserving);
                    call
                })
            }
        }
    }

    /// The end of a call whose act turned out to be done when it was claimed, and of its question if its user has confirmed it.
    async fn claimed_before(
        &mut self,
        key: &RecordKey,
        call: &CompleteCall,
        done: DoneAct,
        asked: Option<AskedYes>,
    ) -> StageResult<Admission> {
        let is_of_session = principal_acts::principal(self.context, call).is_none();
        // A handler waits for the question that was asked, and would not learn of another one's answer.
        let can_ask = asked.is_none() || !key.is_of_handler();
        let stopped = self.duplicate(key, call, done, can_ask).await?;
        if let Some(asked) = asked
            && let Some(closing) = asked.closing(key, &stopped, is_of_session)
        {
            confirmed::close(self.context, &asked.token, closing).await;
        }
        Ok(stopped)
    }

    /// Claims a call that counts among its principal's, or whose act does.
    async fn claim_among_principals(
        &self,
        (key, call): (&RecordKey, &CompleteCall),
        known_act: u64,
        request: Claim,
        (limits, reserving): (Option<PrincipalLimits<'_>>, Option<&Reserving>),
    ) -> StageResult<(ClaimResult, Option<Reservation>)> {
        let counted = match limits {
            None => None,
            Some(limits) => Some(limits.count(&self.header, &call.tool).await?),
        };
        let claimed = match reserving {
            None => self.context.store.claim(request).await.map(|claimed| (claimed, None)).map_err(Admission::from),
            Some(reserving) => {
                let claimed = self.claim_act_of_principal(key, call, known_act, request).await;
                claimed.inspect_err(|_| reserving.failed())
            }
        };
        if let Some(counted) = counted
            && !matches!(claimed, Ok((ClaimResult::Granted { .. }, _)))
        {
            counted.give_back().await;
        }
        claimed
    }

    /// Claims a call whose act counts among its principal's, once that is reserved.
    async fn claim_act_of_principal(
        &self,
        key: &RecordKey,
        call: &CompleteCall,
        known_act: u64,
        mut request: Claim,
    ) -> StageResult<(ClaimResult, Option<Reservation>)> {
        let known = (known_act, !self.is_not_looked_up());
        Ok(match principal_acts::reserve(self.context, key, call, known).await? {
            Reserved::Done(done) => (ClaimResult::Duplicate(done), None),
            Reserved::NotLookedUp => (ClaimResult::NotLookedUp, None),
            Reserved::Nothing => (self.context.store.claim(request).await?, None),
            Reserved::Act(reservation) => {
                if let Some(kept) = &mut request.kept {
                    Arc::make_mut(kept).counterpart = Some(reservation.place().clone());
                }
                self.claim_reserved(request, reservation).await?
            }
        })
    }

    /// Claims a call whose act is reserved, and gives that back if the claim is not granted. If another process has claimed the call
    /// meanwhile, the act is that one's, and the call's record decides about it.
    async fn claim_reserved(
        &self,
        request: Claim,
        reservation: Reservation,
    ) -> StageResult<(ClaimResult, Option<Reservation>)> {
        let claimed = self.context.store.claim(request).await;
        if matches!(claimed, Ok(ClaimResult::Granted { .. })) {
            return Ok((claimed?, Some(reservation)));
        }
        let is_recorded = matches!(claimed, Ok(ClaimResult::Existing(_)));
        let state = is_recorded.then_some(RecordState::Unknown);
        reservation.settle(self.context.store, state, self.context.now).await;
        Ok((claimed?, None))
    }
}

/// A user's yes to a call that turns out to be an act of another call.
struct AskedYes {
    token: Token,
    by: ConfirmedBy,
    is_edited: bool,
}

impl From<&claim::Confirmed> for AskedYes {
    fn from(confirmed: &claim::Confirmed) -> Self {
        let ConfirmedToken { token, by, .. } = &confirmed.token;
        Self { token: Token::clone(token), by: *by, is_edited: confirmed.is_edited }
    }
}

impl AskedYes {
    /// What happens to its question; `None` if it stays. `key` is the asking call's, `is_of_session` whether the other call is of this
    /// session.
    fn closing(&self, key: &RecordKey, stopped: &Admission, is_of_session: bool) -> Option<Closing> {
        match stopped {
            Admission::Reconcile(_) | Admission::Check(_) => None,
            // The new question takes the place of the equal one, which did not name the act.
            Admission::Ask(..) if !self.is_edited => None,
            Admission::Ask(..) => Some(Closing::AnsweredBy(key.clone(), self.by)),
            // What its user wants instead is refused, not what was shown.
            Admission::Refuse(_) if self.is_edited => None,
            Admission::Replay(key, _) | Admission::Join(_, key, _) if is_of_session => {
                Some(Closing::AnsweredBy(key.clone(), self.by))
            }
            _ => Some(Closing::Changed),
        }
    }
}
