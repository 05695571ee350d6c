//! The lists of questions, on rows in memory.

use super::*;
use crate::call::CallId;
use crate::session::key::kept_call_id;
use crate::store::conformance::question;
use crate::store::rows::MemoryRows;

/// The time at which the questions of these tests expire.
const EXPIRES: EpochMs = 1_767_225_660_000;
const NOW: EpochMs = EXPIRES - 60_000;

/// Asks a question. Returns the token of the question that is pending then.
fn ask(questions: &mut Questions, rows: &mut MemoryRows, asked: Question, now: EpochMs) -> String {
    match questions.ask(asked, None, (false, false), rows, now) {
        AskResult::Pending(question) => question.token.to_string(),
        other => panic!("the question is not pending: {other:?}"),
    }
}

fn tokens(questions: &Questions, rows: &mut MemoryRows, now: EpochMs) -> Vec<String> {
    questions.list(rows, now).iter().map(|question| question.token.to_string()).collect()
}

#[test]
fn an_equal_question_is_one_until_it_expires() {
    let (mut questions, mut rows) = (Questions::default(), MemoryRows::default());
    assert_eq!(ask(&mut questions, &mut rows, question("a", "first"), NOW), "first");
    assert_eq!(ask(&mut questions, &mut rows, question("a", "second"), EXPIRES - 1), "first");
    let later = Question { expires: EXPIRES + 60_000, ..question("a", "third") };
    assert_eq!(ask(&mut questions, &mut rows, later, EXPIRES), "third");
    assert_eq!(tokens(&questions, &mut rows, EXPIRES), ["third"]);
    let first = Questions::find("first", &mut rows, EXPIRES).unwrap();
    assert_eq!(first.state, QuestionState::Expired);
    let rows: &mut dyn Rows = &mut rows;
    assert!(rows.question_text(&question_name("first")).is_none(), "its arguments are deleted");
    assert!(matches!(questions.consume(&"first".into(), 1, rows, EXPIRES), Consumed::NotPending));
}

#[test]
fn a_long_call_id_names_its_question_as_sent_and_as_kept() {
    let long = "x".repeat(10_000);
    let kept = kept_call_id(&long.as_str().into());
    assert_ne!(kept.as_str(), long);
    for call_id in [CallId::from(long.as_str()), kept.clone()] {
        let asked = Question { call_id: Some(call_id), ..question("a", "first") };
        assert!(asked.was_asked_by(&long), "as sent");
        assert!(!asked.was_asked_by("another"));
    }
    let asked = Question { call_id: Some(kept.clone()), ..question("a", "first") };
    assert!(asked.was_asked_by(kept.as_str()), "as kept");
}

#[test]
fn a_question_that_is_answered_leaves_the_others_pending() {
    let (mut questions, mut rows) = (Questions::default(), MemoryRows::default());
    for name in ["a", "b", "c"] {
        ask(&mut questions, &mut rows, question(name, name), NOW);
    }
    assert!(matches!(questions.consume(&"b".into(), 1, &mut rows, NOW), Consumed::Confirmed(_)));
    assert_eq!(tokens(&questions, &mut rows, NOW), ["a", "c"]);
    assert!(
        matches!(questions.consume(&"b".into(), 1, &mut rows, NOW), Consumed::NotPending),
        "a confirmation is used once"
    );
    assert!(questions.close("a", Closing::Denied, 1, &mut rows, NOW).is_some());
    assert_eq!(tokens(&questions, &mut rows, NOW), ["c"]);
    let denied = Questions::find("a", &mut rows, NOW).unwrap();
    assert_eq!((denied.state, &*denied.question.args), (QuestionState::Denied, ""), "without its arguments");
    assert!(questions.has_pending(EXPIRES - 1) && !questions.has_pending(EXPIRES));
}

#[test]
fn a_bounded_number_of_expired_questions_is_remembered() {
    let (mut questions, mut rows) = (Questions::default(), MemoryRows::default());
    for n in 0..=MAX_REMEMBERED {
        let name = format!("{n:03}");
        ask(&mut questions, &mut rows, question(&name, &name), NOW);
        let text = Questions::pending(&name, &mut rows, NOW).map(|question| question.args.len());
        assert_eq!(text, Some("{\"to\":\"000\"}".len()));
        questions.expire(&mut rows, EXPIRES);
    }
    let known = |name: &str, rows: &mut MemoryRows| Questions::find(name, rows, EXPIRES).is_some();
    assert!(!known("000", &mut rows), "the oldest is forgotten");
    assert!(known("001", &mut rows) && known("100", &mut rows));
    assert_eq!((questions.closed.len(), questions.pending.len()), (MAX_REMEMBERED, 0));
}

#[test]
fn a_forgotten_question_does_not_take_the_place_of_an_equal_one() {
    let (mut questions, mut rows) = (Questions::default(), MemoryRows::default());
    ask(&mut questions, &mut rows, question("a", "first"), NOW);
    let later = |token: &str| Question { expires: EXPIRES + 60_000, ..question("a", token) };
    ask(&mut questions, &mut rows, later("second"), EXPIRES);
    forget(&question_name("first"), &mut rows);
    assert_eq!(ask(&mut questions, &mut rows, later("third"), EXPIRES), "second");
    forget(&question_name("second"), &mut rows);
    let rows: &mut dyn Rows = &mut rows;
    assert!(rows.equal_question(&equality_hash(&later("third"))).is_none());
}

#[test]
fn the_row_of_a_question_has_no_arguments_and_no_long_ids() {
    let long = CallId::from("x".repeat(1000));
    let asked = Question {
        call_id: Some(long.clone()),
        repeat_call_ids: vec![CallId::from("y".repeat(1000))],
        ..question("a", "token")
    };
    let (mut questions, mut rows) = (Questions::default(), MemoryRows::default());
    ask(&mut questions, &mut rows, asked, NOW);
    let row = Questions::find("token", &mut rows, NOW).unwrap().question;
    assert_eq!((&*row.args, row.preview.as_str()), ("", ""));
    assert_eq!(row.call_id, Some(kept_call_id(&long)));
    assert_eq!(row.repeat_call_ids, [kept_call_id(&CallId::from("y".repeat(1000)))]);
    assert_eq!(questions.list(&mut rows, NOW)[0].call_id, Some(long));
}

#[test]
fn questions_are_equal_if_tool_version_and_arguments_are() {
    let one = question("a", "one");
    assert!(one.asks_the_same(&question("a", "other")));
    assert!(!one.asks_the_same(&question("b", "one")));
    assert!(!one.asks_the_same(&Question { tool: "pay".into(), ..one.clone() }));
    assert!(!one.asks_the_same(&Question { tool_version: "2.0.0".into(), ..one.clone() }));
}

#[test]
fn a_token_equals_itself_only() {
    assert!(same_token("abc", "abc") && same_token("", ""));
    for guess in ["", "ab", "abcd", "abx", "bbc", "cba", "ABC", "abb"] {
        assert!(!same_token("abc", guess), "{guess}");
    }
}

#[test]
fn an_equal_call_of_a_later_turn_is_asked_if_the_asking_call_has_the_answer() {
    for (by, asked_again_in) in [(ConfirmedBy::Token, 3), (ConfirmedBy::AskingCall, 2)] {
        let (mut questions, mut rows) = (Questions::default(), MemoryRows::default());
        ask(&mut questions, &mut rows, question("a", "first"), NOW);
        let token = ConfirmedToken { token: "first".into(), by, grant: None, approver: None };
        assert!(matches!(questions.consume(&token, 1, &mut rows, NOW), Consumed::Confirmed(_)));
        for turn in 1..=asked_again_in {
            let asked =
                questions.ask(Question { turn, ..question("a", "second") }, None, (false, false), &mut rows, NOW);
            assert_eq!(matches!(asked, AskResult::Pending(_)), turn == asked_again_in, "{by:?} in turn {turn}");
        }
    }
}
