use proptest::prelude::*;

use super::*;
use crate::suggest;

const VERBS: [&str; 25] = [
    "get",
    "list",
    "create",
    "update",
    "delete",
    "search",
    "send",
    "draft",
    "export",
    "import",
    "archive",
    "restore",
    "approve",
    "reject",
    "assign",
    "schedule",
    "cancel",
    "merge",
    "split",
    "rank",
    "summarize",
    "translate",
    "verify",
    "publish",
    "count",
];
const NOUNS: [&str; 20] = [
    "customer",
    "invoice",
    "order",
    "payment",
    "ticket",
    "calendar_event",
    "contact",
    "document",
    "report",
    "project",
    "task",
    "message",
    "meeting",
    "contract",
    "shipment",
    "warehouse",
    "campaign",
    "subscription",
    "employee",
    "asset",
];
const ENDINGS: [&str; 10] =
    ["", "_batch", "_by_id", "_history", "_status", "_owner", "_draft", "_comment", "_attachment", "_template"];

/// 5,000 names as tools have them.
fn tool_names() -> Vec<Arc<str>> {
    let of = |verb: &str| {
        let verb = verb.to_owned();
        NOUNS.iter().flat_map(move |noun| {
            let verb = verb.clone();
            ENDINGS.iter().map(move |ending| format!("{verb}_{noun}{ending}").into())
        })
    };
    VERBS.iter().flat_map(|verb| of(verb)).collect()
}

fn numbered_names() -> Vec<Arc<str>> {
    (0..5000).map(|n| format!("tool_{n:04}").into()).collect()
}

/// The typing errors of a name, one of each kind at each place: a letter left out, doubled, replaced, swapped; another
/// case; two of them at once.
fn typos(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let text = |letters: &[char]| letters.iter().collect::<String>();
    let mut typos = vec![name.to_uppercase(), name.replace('_', ""), name.replace('_', "-")];
    for at in 0..letters.len() {
        let (before, after) = (&letters[..at], &letters[at + 1..]);
        typos.push(text(before) + &text(after));
        typos.push(text(before) + &text(&[letters[at], letters[at]]) + &text(after));
        typos.push(text(before) + "x" + &text(after));
        if let [next, rest @ ..] = after {
            typos.push(text(before) + &text(&[*next, letters[at]]) + &text(rest));
            typos.push(text(before) + "q" + &text(&[*next, letters[at]]) + &text(rest));
        }
    }
    typos
}

fn full_search<'n>(names: &'n [Arc<str>], name: &str) -> Option<&'n str> {
    suggest(name, names.iter().map(|name| &**name))
}

#[test]
fn a_typing_error_has_the_suggestion_of_a_full_search() {
    let names = tool_names();
    assert_eq!(names.len(), 5000);
    let index = NameIndex::build(names.iter().cloned());
    let (mut searches, mut suggestions) = (0, 0);
    for name in names.iter().step_by(709) {
        for typo in typos(name).into_iter().filter(|typo| names.iter().all(|name| **name != **typo)) {
            let expected = full_search(&names, &typo);
            assert_eq!(index.nearest(&typo, |_| true), expected, "{typo}");
            searches += 1;
            suggestions += usize::from(expected.is_some());
        }
    }
    assert!(searches > 500 && suggestions * 10 > searches * 9, "{suggestions} of {searches}");
}

#[test]
fn the_work_of_a_search_does_not_grow_with_the_names() {
    for names in [tool_names(), numbered_names()] {
        let index = NameIndex::build(names.iter().cloned());
        let far = ["", "x", "no_such_tool", "zzzzzzzzzzzzzzzz", "tool_12345", "get_customer_by_name", "toool"];
        for name in far.iter().map(|name| (*name).to_owned()).chain(typos("send_invoice_history")) {
            let (_, work) = index.search(&name, |_| true);
            assert!(work.visited <= MAX_VISITED && work.compared <= MAX_COMPARED, "{name}: {work:?}");
        }
        assert_eq!(index.search(&"t".repeat(5000), |_| true), (None, SearchWork::default()));
    }
}

#[test]
fn a_numbered_name_is_found_among_thousands() {
    let index = NameIndex::build(numbered_names());
    for typo in ["tol_1234", "Tool-1234", "tool_1243x", "toool_4999", "tool4321", "otol_0777"] {
        let found = index.nearest(typo, |_| true);
        let distance = |name: &str| strsim::osa_distance(&normalize(typo), &normalize(name));
        let names = numbered_names();
        assert_eq!(found.map(distance), full_search(&names, typo).map(distance), "{typo}: {found:?}");
    }
}

#[test]
fn only_candidates_are_suggested() {
    let names = tool_names();
    let index = NameIndex::build(names.iter().cloned());
    let position = names.iter().position(|name| &**name == "send_invoice").unwrap();
    assert_eq!(index.nearest("send_invoise", |_| true), Some("send_invoice"));
    assert_ne!(index.nearest("send_invoise", |candidate| candidate != position), Some("send_invoice"));
    assert_eq!(index.nearest("send_invoise", |_| false), None);
    let small = NameIndex::build(["title".into(), "start_date".into()]);
    assert_eq!(small.nearest("startDate", |_| true), Some("start_date"));
}

proptest! {
    /// Names of any letters: the index finds what a full search finds, if the limits are not reached.
    #[test]
    fn any_names_have_the_suggestion_of_a_full_search(
        name in "[a-hé]{3,12}",
        others in proptest::collection::vec("[a-hé]{1,12}", MAX_COMPARED + 1..200),
    ) {
        let names: Vec<Arc<str>> = others.iter().map(|name| name.as_str().into()).collect();
        let index = NameIndex::build(names.iter().cloned());
        let (found, work) = index.search(&name, |_| true);
        if work.visited < MAX_VISITED && work.compared < MAX_COMPARED {
            prop_assert_eq!(found, full_search(&names, &name));
        }
    }
}
