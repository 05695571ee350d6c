//! The conformance tests of every store, as functions over `&AnyStore`. A store's tests are one line: [`run_on`] with
//! an expression for a new store. Each case has a session of its own, so a store in concurrent use passes as well.

mod approvers;
mod claims;
mod duplicates;
mod durability;
mod eviction;
mod given;
mod grants;
mod growth;
mod lasting_folder;
mod lifetimes;
mod limits;
mod model;
mod owed;
mod owed_model;
mod questions;
mod reconciles;
mod records;
mod sessions;

use std::sync::Arc;

pub(in crate::store) use owed::owe_result;

use super::{
    AnyStore, AskRequest, Budget, CallLookup, CallLookupResult, Claim, ClaimResult, Claimant, Closing, Idle, Owner,
    Question, Record, RecordState, Renewal, Settlement,
};
use crate::call::{CallId, SessionId};
use crate::clock::EpochMs;
use crate::definition::EffectClass;
use crate::json::HashKey;
use crate::response::{Meta, Outcome, TOOL_RESPONSE_SCHEMA_VERSION, ToolResponse};
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::session::state::SessionState;
use crate::store::StoreRequests;
use crate::store::attaching::{AttachRequest, AttachedSession, TurnStarter};
use crate::store::error::StoreError;
use crate::store::shared::{
    PostgresOptions, RedisOptions, SharedOptions, TimeSource, open_file, open_postgres, open_redis,
};

#[path = "../../tests/postgres_server/mod.rs"]
pub(super) mod postgres_server;
#[path = "../../tests/redis_server/mod.rs"]
pub(super) mod redis_server;

/// Runs every case on a store: `run_on!(memory, AnyStore::default())`. The expression may be asynchronous.
macro_rules! run_on {
    ($store:ident, $make:expr) => {
        mod $store {
            run_on!(@each $make;
                sessions: is_made_once_and_resumed, is_resumed_only_if_it_exists, is_its_principals,
                    is_resumed_with_its_token_only,
                    counts_turns_once_per_id, keeps_its_state,
                    is_pinned, refuses_once_ended, is_not_known_before_it_is_made, is_apart_from_others,
                    hears_of_changes, merges_changes, hands_over_a_message_once;
                claims: grants_once, takes_nothing_where_the_budget_is_used_up, counts_each_turn_by_itself,
                    finds_an_equal_call_of_the_turn_that_came_under_an_id, reads_anew_without_an_id_once_a_write_has_begun,
                    leaves_a_users_act_uncounted, slides_its_rate_window, grants_one_of_many_at_once,
                    keeps_a_budget_at_once, counts_calls_without_an_id,
                    grants_without_a_look_up_what_a_look_up_lets_through, gives_the_state_with_a_claim;
                records: settles_by_epoch, goes_where_it_left_nothing, settles_an_unknown_one_late,
                    takes_the_state_with_it, settles_after_the_end, has_one_alias, goes_least_recently_used_first,
                    keeps_no_long_ids, keeps_what_is_open, is_kept_for_a_day, is_unknown_once_its_claim_is_lost,
                    runs_again_once_its_claim_is_lost, is_held_by_renewing, settles_though_its_claim_is_lost,
                    is_lost_with_its_process;
                duplicates: is_told_of_the_first, is_apart_by_session, is_done_once_of_many_at_once,
                    is_done_again_where_its_user_knows, is_its_principals_alone, is_not_done_where_it_failed_without_effects,
                    is_unknown_once_its_claim_is_lost, is_meant_within_one_call, is_told_by_its_question,
                    is_unheard_until_its_result_is_accepted;
                grants: is_given_with_its_confirmation, is_taken_back_where_nothing_is_left, lets_so_many_calls_run,
                    lets_no_act_be_done_again, covers_what_was_granted, ends_in_time, is_revoked_once,
                    is_taken_as_often_by_many_at_once, makes_a_question_needless, is_bounded, goes_with_its_session;
                approvers: count_once_each, are_needed, both_count_at_once, decide_until_it_is_closed;
                given: is_the_first_of_each_call, is_that_of_its_turn_if_the_id_is_numbered_anew,
                    is_forgotten_with_its_question, ends_with_the_call_that_asks, stays_for_whoever_else_asks,
                    is_looked_at_without_an_answer;
                owed: is_delivered_once, is_offered_again, is_taken_by_one_of_many_at_once,
                    tells_what_became_of_a_lost_call, is_left_until_its_deadline,
                    is_not_owed_where_the_callers_wait, is_held_from_its_claim_on,
                    tells_what_became_of_a_held_call, is_bounded, goes_with_its_session;
                lifetimes: is_owed_for_its_time, is_told_of_a_call_that_was_lost_days_ago,
                    is_known_until_its_window_ends, is_kept_from_the_end_of_a_long_call;
                limits: counts_as_many_as_are_allowed, counts_of_many_at_once, gives_back_what_has_not_run,
                    counts_for_its_principal_alone, counts_for_no_limit_if_one_is_reached, allows_many_calls,
                    is_kept_by_its_session;
                reconciles: settles_what_has_happened, frees_what_has_not_happened, runs_one_at_a_time,
                    is_fenced_once_its_claim_is_lost, pauses_where_nothing_was_found, frees_nothing_that_may_still_run,
                    is_about_failures_with_effects, needs_arguments, needs_the_arguments_that_ran,
                    frees_nothing_while_its_process_is_there, is_found_by_the_host,
                    is_read_by_its_principal_alone, leads_from_an_act_to_its_call;
                questions: is_asked_once, runs_once, stays_where_nothing_was_granted, closes_in_time,
                    is_not_asked_again_in_the_next_turn, is_asked_again_where_nothing_is_left, is_withdrawn_once,
                    is_answered_by_another_call,
                    is_closed_once_its_call_runs, is_not_asked_a_third_time_in_a_turn,
                    is_replaced_once_its_tool_is_defined_anew,
                    makes_room_for_a_newer_one, is_found_by_its_id, is_reported_as_expired_once;
            );
        }
    };
    (@each $make:expr; $($module:ident: $($case:ident),*;)*) => {
        $(mod $module {
            $(
                #[tokio::test]
                async fn $case() {
                    let Some(store) = $make else { return };
                    super::super::$module::$case(&store).await;
                }
            )*
        })*
    };
}

#[tokio::test]
async fn memory_makes_room_for_the_newest() {
    sessions::makes_room_for_the_newest(&AnyStore::default()).await;
}

#[tokio::test]
async fn claims_on_a_place_that_is_shared_come_first_and_are_leased() {
    let (memory, file) = (AnyStore::default(), new_file());
    assert_eq!((memory.lease(), memory.claims_first()), (None, false));
    assert_eq!((file.lease(), file.claims_first()), (Some(SharedOptions::default().lease), true));
}

/// Redis expires sessions by itself, so it is not swept. A database is swept as a whole, so the case has a schema.
#[tokio::test]
async fn what_expires_nothing_by_itself_is_swept() {
    sessions::is_swept(&AnyStore::default()).await;
    sessions::is_swept(&new_file()).await;
    if let Some(url) = postgres_server::url_of_new_schema() {
        sessions::is_swept(&AnyStore::other(open_postgres(&url, by_caller()).unwrap())).await;
    }
}

/// The same of what keeps a session that is not used.
#[tokio::test]
async fn what_is_kept_is_not_swept() {
    lifetimes::keeps_its_session(&AnyStore::default()).await;
    lifetimes::keeps_its_session(&new_file()).await;
    if let Some(url) = postgres_server::url_of_new_schema() {
        lifetimes::keeps_its_session(&AnyStore::other(open_postgres(&url, by_caller()).unwrap())).await;
    }
}

/// The ages of all sessions count, so each store is one of its own.
#[tokio::test]
async fn the_oldest_owed_result_is_found() {
    owed::is_as_old_as_the_oldest(&AnyStore::default()).await;
    owed::is_as_old_as_the_oldest(&new_file()).await;
    if let Some(url) = postgres_server::url_of_new_schema() {
        owed::is_as_old_as_the_oldest(&AnyStore::other(open_postgres(&url, by_caller()).unwrap())).await;
    }
    if let Some(server) = redis_server::start() {
        let options = RedisOptions { time_source: TimeSource::Caller, ..RedisOptions::default() };
        owed::is_as_old_as_the_oldest(&AnyStore::other(open_redis(&server.url, options).unwrap())).await;
    }
}

/// A store on the tests' server, with the time of the case. Each process has its own server, each case its own session.
fn new_redis() -> Option<AnyStore> {
    let options = RedisOptions { time_source: TimeSource::Caller, ..RedisOptions::default() };
    redis_server::url().map(|url| AnyStore::other(open_redis(&url, options).unwrap()))
}

/// The same on a Postgres server.
fn new_postgres() -> Option<AnyStore> {
    postgres_server::url().map(|url| AnyStore::other(open_postgres(&url, by_caller()).unwrap()))
}

/// The options of a store with the time of the case.
fn by_caller() -> PostgresOptions {
    PostgresOptions { time_source: TimeSource::Caller, ..PostgresOptions::default() }
}

run_on!(memory, Some(crate::store::AnyStore::default()));
run_on!(file, Some(crate::store::conformance::new_file()));
run_on!(redis, crate::store::conformance::new_redis());
run_on!(postgres, crate::store::conformance::new_postgres());

/// A store in a file of its own.
fn new_file() -> AnyStore {
    AnyStore::other(open_file(&lasting_folder::make().join("sessions.sqlite"), SharedOptions::default()).unwrap())
}

/// The start time of each case.
const T: EpochMs = 1_767_225_600_000;
const DAY: EpochMs = 24 * 60 * 60 * 1000;

/// What is idle since a time, a day later.
pub(in crate::store) const fn idle_since(since: EpochMs) -> Idle {
    Idle { since, now: since + DAY }
}

fn id(name: &str) -> SessionId {
    format!("conformance-{name}").into()
}

/// Creates a session.
async fn session(store: &AnyStore, name: &str) -> SessionId {
    let id = id(name);
    assert!(attach(store, &id, None, T).await.unwrap().created, "`{id}` is new");
    id
}

async fn attach(
    store: &AnyStore,
    id: &SessionId,
    principal: Option<&str>,
    now: EpochMs,
) -> Result<AttachedSession, StoreError> {
    store.attach(attach_request(id, principal.map(str::to_owned), now)).await
}

/// Attaches to a session, new or existing, in text mode.
pub(in crate::store) fn attach_request(id: &SessionId, owner: impl Into<Owner>, now: EpochMs) -> AttachRequest {
    let (session, state, tools_version) = (id.clone(), SessionState::new("text"), "v1".into());
    AttachRequest { session, owner: owner.into(), state, tools_version, resume_only: false, now }
}

/// Attaches to a session that must exist.
async fn resume(
    store: &AnyStore,
    id: &SessionId,
    principal: Option<&str>,
    now: EpochMs,
) -> Result<AttachedSession, StoreError> {
    let request = attach_request(id, principal.map(str::to_owned), now);
    store.attach(AttachRequest { resume_only: true, ..request }).await
}

fn key(name: &str) -> RecordKey {
    RecordKey::from_provider_id(&name.into())
}

/// A claim of a call that is known by its content and its turn.
pub(super) fn without_id(session: &SessionId, name: &str, turn: u32) -> Claim {
    let fingerprint = Fingerprint::from_text(HashKey::new([7; 16]), "send", &format!("{{\"name\":\"{name}\"}}"));
    let key = RecordKey::from_stored(&format!("hash:{turn}:{name}"));
    Claim { key, fingerprint, turn, call_id: None, ..claim_of(session, name) }
}

/// A write of turn 1 with a call id, within a wide budget.
pub(in crate::store) fn claim_of(session: &SessionId, name: &str) -> Claim {
    Claim {
        session: session.clone(),
        key: key(name),
        fingerprint: Fingerprint::from_text(HashKey::new([7; 16]), "send", "{\"a\":1}"),
        tool: "send".into(),
        call_id: Some(CallId::from(name)),
        turn: 1,
        effect: EffectClass::Write,
        is_retrieval: false,
        budget: Some(Budget { retrieval_calls: 1000, total_calls: 1000 }),
        limits: Vec::new(),
        consume_token: None,
        by_grant: None,
        claimant: None,
        lease_ms: None,
        known_revision: 0,
        repeats_answered: false,
        is_looked_up: true,
        act: None,
        kept: None,
        hold: None,
        now: T,
    }
}

async fn granted(store: &AnyStore, claim: Claim) -> u64 {
    match store.claim(claim).await.unwrap() {
        ClaimResult::Granted { epoch, .. } => epoch,
        other => panic!("not granted: {other:?}"),
    }
}

async fn seen(store: &AnyStore, session: &SessionId, key: &RecordKey, turn: u32, now: EpochMs) -> CallLookupResult {
    store.look_up(CallLookup { turn, ..lookup_of(session, key, now) }).await.unwrap()
}

/// The look-up of a call of the first turn.
pub(super) fn lookup_of(session: &SessionId, key: &RecordKey, now: EpochMs) -> CallLookup {
    let (session, key, limits) = (session.clone(), key.clone(), Vec::new());
    CallLookup { session, key, turn: 1, limits, known_revision: 0, act: None, content: None, now }
}

async fn record(store: &AnyStore, session: &SessionId, name: &str) -> Option<Arc<Record>> {
    seen(store, session, &key(name), 1, T).await.record
}

fn settlement(session: &SessionId, name: &str, epoch: u64, state: Option<RecordState>) -> Settlement {
    Settlement {
        session: session.clone(),
        key: key(name),
        epoch,
        state,
        is_heard: true,
        owed: None,
        changes: Vec::new(),
        now: T,
    }
}

async fn settle(store: &AnyStore, session: &SessionId, name: &str, epoch: u64, state: Option<RecordState>) -> bool {
    store.settle(settlement(session, name, epoch, state)).await.unwrap()
}

/// Claims and settles.
async fn done(store: &AnyStore, session: &SessionId, name: &str, effect: EffectClass) {
    let epoch = granted(store, Claim { effect, ..claim_of(session, name) }).await;
    assert!(settle(store, session, name, epoch, Some(answered(name))).await);
}

/// A success with its name as data.
fn answered(name: &str) -> RecordState {
    RecordState::Settled(Arc::new(ToolResponse {
        outcome: Outcome::success(Some(&format!("\"{name}\"")), "[]"),
        meta: Meta {
            tool_id: "send".into(),
            tool_version: Some("1.0.0".into()),
            registry_version: "v1".into(),
            duration: 1.5,
            timestamp: "2026-01-01T00:00:00.000Z".to_owned(),
            response_schema_version: TOOL_RESPONSE_SCHEMA_VERSION,
            call_id: Some(name.into()),
            mode: Some("text".into()),
            turn: Some(1),
            attempts: Some(1),
            idempotency_key: Some("tg_0".into()),
            parent_call_id: None,
            pending: false,
            cached: false,
            idempotent_cache_hit: false,
            original_turn: None,
            clamped: Vec::new(),
            edited: Vec::new(),
            grant: None,
            repaired: Vec::new(),
            reconciled: None,
            defaulted: vec!["/a".to_owned()],
            truncated: None,
            warnings: vec!["slow".to_owned()],
        },
    }))
}

/// A question of turn 1 that expires in a minute.
pub(super) fn question(name: &str, token: &str) -> Question {
    // A store only compares digests, so any digest that differs by name is sufficient.
    let mut args_digest = [0; 32];
    args_digest.iter_mut().zip(name.bytes()).for_each(|(slot, byte)| *slot = byte);
    Question {
        token: token.into(),
        tool: "send".into(),
        tool_version: "1.0.0".into(),
        definition: [1; 32],
        args: format!("{{\"to\":\"{name}\"}}").into(),
        args_digest,
        defaulted: Vec::new(),
        by_code: None,
        fingerprint: Fingerprint::from_text(HashKey::new([7; 16]), "send", "{\"a\":1}"),
        key: key(name),
        call_id: Some(name.into()),
        parent_call_id: None,
        parents: Vec::new(),
        repeat_call_ids: Vec::new(),
        turn: 1,
        mode: "text".into(),
        preview: format!("Send to {name}"),
        time_zone: None,
        repaired: Vec::new(),
        edited: Vec::new(),
        again: None,
        approvers: None,
        confirmed_by: Vec::new(),
        expires: T + 60_000,
    }
}
