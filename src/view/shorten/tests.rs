//! Tests of shortening: examples of each rule, and random data.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::json::{Limits, LoneSurrogates, NumberRange, Tape};

fn shortened(data: &Value, limit: u64) -> Option<(Value, Truncated)> {
    let limits = Limits {
        max_depth: 64,
        max_bytes: usize::MAX,
        lone_surrogates: LoneSurrogates::Allow,
        numbers: NumberRange::Finite,
    };
    let tape = Tape::parse(data.to_string(), &limits).unwrap();
    let (text, truncated) = shorten(tape.root(), limit, LongTexts::Whole)?;
    assert!(text.len() <= usize::try_from(limit).unwrap().max(4), "{} bytes over {limit}", text.len());
    Some((serde_json::from_str(&text).unwrap(), truncated))
}

fn notes(count: usize, bytes: usize) -> Value {
    (0..count).map(|n| json!({ "id": n, "text": "x".repeat(bytes) })).collect()
}

fn list(path: &str, kept: usize, of: usize) -> Shortened {
    Shortened { path: path.into(), kept, original_len: of }
}

#[test]
fn lists_lose_their_last_elements() {
    let data = json!({ "results": notes(100, 50), "n": 1 });
    let (kept, truncated) = shortened(&data, 1000).unwrap();
    let results = kept["results"].as_array().unwrap();
    assert_eq!(results[..], data["results"].as_array().unwrap()[..results.len()]);
    assert_eq!(kept["n"], 1);
    assert_eq!(truncated.shortened, [list("/results", results.len(), 100)]);
    assert!(truncated.dropped.is_empty());
}

#[test]
fn one_huge_member_goes_before_any_list_loses_an_element() {
    let small = json!({ "results": notes(10, 50), "tags": ["a", "b"] });
    let mut data = small.clone();
    data["raw"] = json!({ "html": "x".repeat(20_000), "status": 200 });
    let (kept, truncated) = shortened(&data, 8192).unwrap();
    assert_eq!((&kept["results"], &kept["tags"]), (&small["results"], &small["tags"]));
    assert_eq!(kept["raw"], json!({ "status": 200 }), "only what is too large goes, not what holds it");
    assert_eq!((truncated.dropped, truncated.shortened), (vec!["/raw/html".to_owned()], vec![]));
}

#[test]
fn a_huge_member_of_an_element_goes_and_the_element_stays() {
    let data = json!({ "results": [{ "id": 1, "text": "x".repeat(9000) }, { "id": 2, "text": "short" }] });
    let (kept, truncated) = shortened(&data, 8192).unwrap();
    assert_eq!(kept, json!({ "results": [{ "id": 1 }, { "id": 2, "text": "short" }] }));
    assert_eq!(truncated.dropped, ["/results/0/text"]);
}

#[test]
fn what_an_element_lost_is_not_told_once_the_element_is_gone() {
    let data: Vec<Value> =
        (0..50).map(|n| json!({ "n": n, "text": "x".repeat(200), "id": "y".repeat(n * 10) })).collect();
    let (kept, truncated) = shortened(&json!({ "all": data }), 400).unwrap();
    assert_eq!(kept["all"].as_array().unwrap().len(), 1);
    assert_eq!((truncated.shortened, truncated.dropped, truncated.more), (vec![list("/all", 1, 50)], vec![], 0));
}

#[test]
fn a_member_stays_beside_fewer_elements_and_goes_before_the_last_one() {
    let answer = "x".repeat(500);
    let data = json!({ "answer": answer, "sources": notes(10, 80) });
    let (kept, truncated) = shortened(&data, 800).unwrap();
    assert_eq!((&kept["answer"], truncated.dropped.len()), (&data["answer"], 0));
    assert_eq!(kept["sources"].as_array().unwrap().len(), 2);
    let (kept, truncated) = shortened(&data, 590).unwrap();
    assert_eq!(truncated.dropped, ["/answer"]);
    assert_eq!(kept["sources"].as_array().unwrap().len(), 5, "what it made room for stays");
}

#[test]
fn lists_are_emptied_where_even_their_first_elements_are_too_large() {
    let data = json!({ "title": "kept", "results": notes(3, 290) });
    let (kept, truncated) = shortened(&data, 300).unwrap();
    assert_eq!(kept, json!({ "title": "kept", "results": [] }));
    assert_eq!(truncated.shortened, [list("/results", 0, 3)]);
}

#[test]
fn members_go_largest_first_and_leave_their_neighbours() {
    let data = json!({ "a": "x".repeat(500), "b": { "c/d": "y".repeat(600), "e": "kept" } });
    let (kept, truncated) = shortened(&data, 700).unwrap();
    assert_eq!(kept, json!({ "a": data["a"], "b": { "e": "kept" } }));
    assert_eq!(truncated.dropped, ["/b/c~1d"]);
}

#[test]
fn what_fits_is_untouched_and_a_huge_scalar_is_nothing() {
    assert!(shortened(&json!({ "a": 1 }), 100).is_none());
    let (kept, truncated) = shortened(&json!("x".repeat(1000)), 100).unwrap();
    assert_eq!(kept, Value::Null);
    assert_eq!(truncated.dropped, [""]);
}

#[test]
fn many_members_go_in_a_few_passes_and_few_are_named() {
    let members: serde_json::Map<String, Value> = (0..5000).map(|n| (format!("k{n}"), json!("x".repeat(50)))).collect();
    let (kept, truncated) = shortened(&Value::Object(members), 8192).unwrap();
    let left = kept.as_object().unwrap().len();
    assert!(kept.to_string().len() > 8192 - 64, "no more goes than has to");
    assert_eq!((truncated.dropped.len(), left + truncated.dropped.len() + truncated.more), (MAX_REPORTED, 5000));
}

#[test]
fn a_name_that_begins_like_anothers_is_another() {
    let data = json!({ "a": "x".repeat(90), "ab": [1, 2, 3], "a/b": { "c": "y" } });
    let (kept, truncated) = shortened(&data, 29).unwrap();
    assert_eq!(kept, json!({ "ab": [1, 2], "a/b": { "c": "y" } }));
    assert_eq!(truncated.dropped, ["/a"]);
    assert_eq!(truncated.shortened, [list("/ab", 2, 3)]);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z~/\"é]{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map("[a-z~/]{0,6}", inner, 0..6)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

/// Whether `part` is `whole` without some members and last elements, and otherwise equal.
fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Array(part), Value::Array(whole)) => {
            part.len() <= whole.len() && part.iter().zip(whole).all(|(part, whole)| is_part(part, whole))
        }
        (Value::Object(part), Value::Object(whole)) => {
            part.iter().all(|(name, part)| whole.get(name).is_some_and(|whole| is_part(part, whole)))
        }
        _ => part == whole,
    }
}

#[test]
fn a_length_is_that_of_the_text() {
    let scalars = json!([null, true, false, 0, -12, 1.5, 1e300, u64::MAX, "", "é\"\\\u{1}\n\u{7f}\u{8}"]);
    for value in
        [json!([]), json!({}), json!([[]]), json!({ "a\t": {} }), json!({ "a": scalars, "b": [1, 2] }), scalars.clone()]
    {
        assert_eq!(json_len(&value), value.to_string().len(), "{value}");
    }
}

proptest! {
    #[test]
    fn every_length_is_that_of_the_text(data in any_json()) {
        prop_assert_eq!(json_len(&data), data.to_string().len());
    }

    #[test]
    fn no_value_is_cut_inside_and_all_that_is_told_is_true(data in any_json(), limit in 4_u64..400) {
        if let Some((kept, truncated)) = shortened(&data, limit) {
            prop_assert!(kept.is_null() || is_part(&kept, &data), "{kept} of {data}");
            for pointer in &truncated.dropped {
                prop_assert!(data.pointer(pointer).is_some(), "{pointer} was never there");
                prop_assert!(pointer.is_empty() || kept.pointer(pointer).is_none(), "{pointer} is still there");
            }
            for Shortened { path, kept: left, original_len } in &truncated.shortened {
                let length = |value: &Value| value.pointer(path).and_then(Value::as_array).map(Vec::len);
                prop_assert_eq!((length(&kept), length(&data)), (Some(*left), Some(*original_len)));
            }
        }
    }
}
