//! What completion and validation hold together, for generated schemas and values.

mod schema_generator;

use proptest::prelude::*;

use self::schema_generator::SchemaGenerator;
use super::{Clamp, Completed, NullReading};
use crate::ArgsSchema;
use toolgate_json::{Limits, Tape};

fn tape(text: &str) -> Tape {
    Tape::parse(text, &Limits::widest()).unwrap()
}

fn clamps(max: f64) -> Vec<Clamp> {
    ["a", "b"].map(|property| Clamp { property: property.to_owned(), max }).into()
}

/// Asserts what holds for every value. Returns whether it is valid as received, and after completion.
fn outcome(schema: &ArgsSchema, text: &str, clamps: &[Clamp], nulls: NullReading) -> (bool, bool) {
    let received = tape(text);
    let (is_valid, before) = (schema.validate(&received).is_ok(), received.text().to_owned());
    let completed = schema.complete_and_validate(received, clamps, nulls);
    match &completed {
        Ok(Completed { tape: done, changed, .. }) => {
            assert_eq!(schema.validate(done), Ok(()), "{text} → {}", done.text());
            assert_eq!(*changed, done.text() != before, "{text}");
        }
        Err(issues) => {
            assert!(!issues.is_empty(), "{text}");
            assert!(!is_valid || !clamps.is_empty(), "valid as received: {text}");
        }
    }
    (is_valid, completed.is_ok())
}

#[test]
fn completion_keeps_valid_arguments_valid_and_refuses_with_errors() {
    let config = ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let counts = std::cell::RefCell::new([0_usize; 3]);
    let numbers = proptest::collection::vec(any::<u16>(), 400);
    let run = runner.run(&numbers, |numbers| {
        let mut dice = SchemaGenerator(numbers.iter());
        let document = dice.document();
        let Ok(schema) = ArgsSchema::compile(&document) else { return Ok(()) };
        for round in 0..6 {
            let text = dice.value(&document, &document, 5);
            let clamps = if round % 2 == 0 { Vec::new() } else { clamps(dice.choose(&[0.0, 1.0, 2.5])) };
            let nulls = dice.choose(&[NullReading::AsSent, NullReading::StrictAsAbsent]);
            let place = match outcome(&schema, &text, &clamps, nulls) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            };
            if let Some(count) = counts.borrow_mut().get_mut(place) {
                *count += 1;
            }
        }
        Ok(())
    });
    run.unwrap();
    // Without enough values of each outcome, the test would prove nothing.
    let [valid, completed, refused] = counts.into_inner();
    assert!(valid > 500 && completed > 20 && refused > 500, "{valid} {completed} {refused}");
}
