//! What an operator sees of rows in every state, and of rows that can't be read.

use std::sync::Arc;

use super::*;
use crate::definition::EffectClass;
use crate::json::HashKey;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::session::state::SessionState;
use crate::store::ConfirmedBy;
use crate::store::attaching::AttachRequest;
use crate::store::conformance::question;
use crate::store::document::attach;
use crate::store::questions::{QuestionRow, QuestionState};
use crate::store::rows::MemoryRows;

const T: EpochMs = 1_767_225_600_000;

fn record(call_id: &str, state: EntryState, lease_expires: Option<EpochMs>) -> String {
    let entry = LedgerEntry {
        fingerprint: Fingerprint::from_text(HashKey::new([7; 16]), "send", "{}"),
        call_id: Some(call_id.into()),
        turn: 2,
        epoch: 1,
        claimed_at: T,
        effect: EffectClass::Write,
        lease_expires,
        claimant: None,
        state,
        alias: None,
        answered: false,
        unheard: false,
        left: false,
        keep_ms: None,
        question: None,
        kept: None,
        reconcile: None,
    };
    serde_json::to_string(&CallRow::Record(Arc::new(entry))).unwrap()
}

fn question_row(name: &str, state: QuestionState, expires: EpochMs) -> String {
    let question = Arc::new(crate::store::Question { expires, ..question(name, name) });
    serde_json::to_string(&QuestionRow { question, state, reported: false }).unwrap()
}

fn document(principal: &str) -> SessionDocument {
    let request = AttachRequest {
        session: "s".into(),
        owner: Some(principal.to_owned()).into(),
        state: SessionState::new("voice"),
        tools_version: "v1".into(),
        resume_only: false,
        now: T,
    };
    let mut kept = None;
    attach(&mut kept, request, &mut MemoryRows::default(), HashKey::new([7; 16]), T).unwrap();
    kept.unwrap()
}

#[test]
fn each_record_and_question_has_its_state() {
    let mut builder = OverviewBuilder::default();
    let alias = CallRow::Alias { of: RecordKey::from_provider_id(&"a".into()), epoch: 1 };
    for (name, content) in [
        ("call:5", record("e", EntryState::Forgotten { ok: true }, None)),
        ("call:1", record("a", EntryState::Started, Some(T + 1))),
        ("call:2", record("b", EntryState::Started, Some(T))),
        ("call:3", record("c", EntryState::Unknown, None)),
        ("call:4", record("d", EntryState::Settled { ok: false }, None)),
        ("call:6", serde_json::to_string(&alias).unwrap()),
        ("question:1", question_row("p", QuestionState::Pending, T + 1)),
        ("question:2", question_row("q", QuestionState::Pending, T)),
        ("question:3", question_row("r", QuestionState::Expired, T + 2)),
        (
            "question:4",
            question_row("t", QuestionState::Confirmed { turn: 1, reopened: false, by: ConfirmedBy::Token }, T + 3),
        ),
        ("answer:1", "not looked at".to_owned()),
        ("call:7", "broken".to_owned()),
        ("question:5", "{}".to_owned()),
    ] {
        builder.add_row(name, &content, T);
    }
    let overview = builder.finish(summarize("s".to_owned(), &document("alice")), Vec::new());
    let records: Vec<_> =
        overview.records.iter().map(|record| (record.call_id.as_deref().unwrap(), record.state)).collect();
    assert_eq!(records, [("a", "started"), ("b", "lost"), ("c", "unknown"), ("d", "failed"), ("e", "succeeded")]);
    let questions: Vec<_> =
        overview.questions.iter().map(|question| (question.call_id.as_deref().unwrap(), question.state)).collect();
    assert_eq!(questions, [("q", "expired"), ("p", "pending"), ("r", "expired"), ("t", "confirmed")]);
    assert_eq!(overview.unreadable, 2);
    assert_eq!((overview.records[0].tool.as_str(), overview.records[0].turn), ("send", 2));
    assert_eq!(overview.questions[0].expires, "2026-01-01T00:00:00.000Z");
}

#[test]
fn a_session_that_ends_is_inactive_and_ends_once() {
    let mut document = document("alice");
    let before = summarize("s".to_owned(), &document);
    assert_eq!((before.active, before.mode.as_deref(), before.turn), (true, Some("voice"), 1));
    let changes = ending(&document, T);
    assert!(!changes.is_empty());
    document.save_state(changes).unwrap();
    assert!(!summarize("s".to_owned(), &document).active);
    assert_eq!(ending(&document, T), []);
}

#[test]
fn a_list_has_the_sessions_of_a_principal_up_to_its_limit() {
    let text = |principal: &str| serde_json::to_string(&document(principal)).unwrap();
    let filter = SessionFilter { principal: Some("alice".to_owned()), limit: 2 };
    let mut list = SessionList::default();
    let added = [("1", "alice"), ("2", "bob"), ("3", "alice"), ("4", "bob"), ("5", "alice")]
        .map(|(id, principal)| list.add(id, &text(principal), &filter).is_continue());
    assert_eq!(added, [true, true, true, true, false]);
    let ids: Vec<_> = list.sessions.iter().map(|session| session.id.as_str()).collect();
    assert_eq!((ids, list.more, list.unreadable), (vec!["1", "3"], true, 0));
    assert!(list.add("6", "broken", &filter).is_continue(), "the next one may be readable");
    assert!(list.add("7", "{}", &filter).is_continue());
    assert_eq!(list.unreadable, 2);
}
