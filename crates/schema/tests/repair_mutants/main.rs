//! Mutants of real calls: arguments that are nearly right are repaired to the original, and arguments with two readings, or
//! that lost something, never are.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod corpus;
mod lossless;
mod lossy;

use std::collections::BTreeMap;

use serde_json::Value;
use toolgate_json::{CanonicalJson, Limits, Tape};
use toolgate_schema::{ArgsSchema, NullReading, RepairRule, RepairRules, RepairSettings};

use corpus::Call;

/// What became of a mutant.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    /// The text was valid: nothing to repair.
    Valid,
    /// It was refused.
    Refused,
    /// It was repaired to these arguments, in canonical form, by these rules.
    Repaired(String, Vec<RepairRule>),
}

fn canonical(tape: &Tape) -> String {
    CanonicalJson::from_node(tape.root()).as_str().to_owned()
}

/// Takes a text through the repair, as the gate does.
fn fate(schema: &ArgsSchema, text: &str) -> Fate {
    let limits = Limits::for_arguments(1 << 20);
    let settings = RepairSettings {
        clamps: &[],
        nulls: NullReading::AsSent,
        rules: RepairRules::ALL,
        max_depth: limits.max_depth,
    };
    let parsed = Tape::parse(text, &limits).ok().filter(|tape| tape.root().kind() == toolgate_json::Kind::Object);
    let read = parsed.map(|tape| (tape, Vec::new())).or_else(|| schema.repair_text(text, &limits));
    let Some((tape, texts)) = read else { return Fate::Refused };
    let mut rules: Vec<RepairRule> = texts.iter().map(|repaired| repaired.rule).collect();
    let tape = match schema.check(tape.clone(), &[], NullReading::AsSent) {
        Ok(_) if rules.is_empty() => return Fate::Valid,
        Ok(_) => tape,
        Err(invalid) => {
            let Some(done) = schema.repair(invalid, &settings) else { return Fate::Refused };
            rules.extend(done.repaired.iter().map(|repaired| repaired.rule));
            done.tape
        }
    };
    Fate::Repaired(canonical(&tape), rules)
}

/// Lossless mutants of one rule, and how many of them were repaired to the original.
#[derive(Debug, Default)]
struct Score {
    mutants: usize,
    repaired: usize,
}

#[test]
fn lossless_mutants_are_repaired_to_the_original() {
    let mut scores: BTreeMap<RepairRule, Score> = BTreeMap::new();
    let mut wrong = Vec::new();
    for Call { schema, parameters, args } in corpus::calls() {
        let original = canonical(&Tape::parse(args.to_string(), &Limits::widest()).unwrap());
        for (rule, mutant) in lossless::mutants(&parameters, &args) {
            let fate = fate(&schema, &mutant);
            if fate == Fate::Valid {
                continue;
            }
            let score = scores.entry(rule).or_default();
            score.mutants += 1;
            match fate {
                Fate::Repaired(args, rules) if args == original => {
                    assert_eq!(rules.first(), Some(&rule), "{mutant}");
                    score.repaired += 1;
                }
                Fate::Repaired(args, _) => wrong.push(format!("{mutant} became {args}")),
                _ => {}
            }
        }
    }
    println!("{scores:#?}");
    assert!(wrong.is_empty(), "{} mutants became other arguments: {:#?}", wrong.len(), wrong.get(..10));
    if scores.is_empty() {
        return;
    }
    for rule in RepairRule::ALL.into_iter().filter(|rule| *rule != RepairRule::ToolName) {
        let Score { mutants, repaired } = scores.get(&rule).unwrap_or_else(|| panic!("no mutant of {rule:?}"));
        assert!(repaired * 100 >= mutants * 95, "{rule:?}: {repaired} of {mutants} were repaired");
    }
}

/// The ambiguous and lossy mutants that are made at least.
const MIN_LOSSY: usize = 10_000;

#[test]
fn ambiguous_and_lossy_mutants_are_refused() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (number, Call { parameters, args, .. }) in corpus::calls().into_iter().enumerate() {
        // Every kind is among the mutants of some calls.
        for lossy::Mutant { what, parameters, text } in
            lossy::mutants(&parameters, &args).into_iter().skip(number % 4).step_by(4)
        {
            let Ok(schema) = ArgsSchema::compile(&parameters) else { continue };
            match fate(&schema, &text) {
                Fate::Valid => {}
                Fate::Refused => *counts.entry(what).or_default() += 1,
                Fate::Repaired(args, rules) => wrong.push(format!("{what}: {text} became {args} by {rules:?}")),
            }
        }
    }
    let count: usize = counts.values().sum();
    println!("{count}: {counts:#?}");
    assert!(wrong.is_empty(), "{} mutants were repaired: {:#?}", wrong.len(), wrong.get(..10.min(wrong.len())));
    assert!(counts.is_empty() || count >= MIN_LOSSY, "only {count} mutants");
}

/// The values of a call's properties with their schemas: those of the root only, where mutants are made.
fn properties<'v>(parameters: &'v Value, args: &'v Value) -> impl Iterator<Item = (&'v str, &'v Value, &'v Value)> {
    let declared = parameters["properties"].as_object();
    let args = args.as_object().into_iter().flatten();
    args.filter_map(move |(name, value)| Some((name.as_str(), declared?.get(name)?, value)))
}
