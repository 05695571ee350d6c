//! `bad-budget`: times, counts and sizes must be whole numbers in a meaningful range.

use serde_json::Value;

use toolgate_definition::{MAX_PRINCIPAL_WINDOW_MS, Timeout};

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::{ToolDocument, ToolSource};

/// The largest integer that JavaScript represents exactly (`Number.MAX_SAFE_INTEGER`).
const MAX_SAFE: u64 = (1 << 53) - 1;

/// JSON Pointer, minimum and maximum.
const WHOLE_NUMBERS: &[(&str, u64, u64)] = &[
    ("/latencyBudgetMs", 1, MAX_SAFE),
    ("/timeoutMs", 1, MAX_SAFE),
    ("/background/afterMs", 0, MAX_SAFE),
    ("/retry/maxAttempts", 1, 100),
    ("/retry/baseDelayMs", 0, MAX_SAFE),
    ("/cache/ttlMs", 1, MAX_SAFE),
    ("/rateLimit/calls", 1, u32::MAX as u64),
    ("/rateLimit/windowMs", 1, MAX_SAFE),
    ("/duplicate/windowMs", 1, toolgate_definition::MAX_DUPLICATE_WINDOW_MS),
    ("/confirmation/ttlMs", 1, MAX_SAFE),
    ("/resultLimitBytes", 1, MAX_SAFE),
];

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for &(pointer, least, largest) in WHOLE_NUMBERS {
        let Some(number) = number_at(document, pointer) else { continue };
        if !number.as_u64().is_some_and(|number| (least..=largest).contains(&number)) {
            let help = match largest {
                MAX_SAFE => format!("it must be a whole number, {least} or more"),
                _ => format!("it must be a whole number from {least} to {largest}"),
            };
            report(document, pointer, number, help, findings);
        }
    }
    if let Some(factor) = number_at(document, "/retry/multiplier")
        && !factor.as_f64().is_some_and(|factor| (1.0..=100.0).contains(&factor))
    {
        report(document, "/retry/multiplier", factor, "it must be a number from 1 to 100".to_owned(), findings);
    }
    check_background(document, findings);
    check_principal_window(document, findings);
}

/// The counts of a principal are kept for the window, so it has an end.
fn check_principal_window(document: &ToolDocument, findings: &mut Findings) {
    const POINTER: &str = "/rateLimit/windowMs";
    let is_of_principal = document.value_at("/rateLimit/per").is_some_and(|per| per == "principal");
    let Some(window) = number_at(document, POINTER).filter(|_| is_of_principal) else { return };
    let is_too_long = |window: u64| window > MAX_PRINCIPAL_WINDOW_MS && window <= MAX_SAFE;
    if window.as_u64().is_some_and(is_too_long) {
        let help = format!("the window of a limit per principal is at most {MAX_PRINCIPAL_WINDOW_MS} ms, 31 days");
        report(document, POINTER, window, help, findings);
    }
}

/// A caller that is answered early must be before the deadline, or it never is.
fn check_background(document: &ToolDocument, findings: &mut Findings) {
    let deadline = match document.value_at("/timeoutMs") {
        None => Timeout::default().0,
        Some(ms) => ms.as_u64(),
    };
    let Some(after) = number_at(document, "/background/afterMs") else { return };
    if let (Some(deadline), Some(after_ms)) = (deadline, after.as_u64())
        && after_ms >= deadline
    {
        let help = format!("the call ends after `timeoutMs`, {deadline} ms: it must be less, or `timeoutMs` more");
        report(document, "/background/afterMs", after, help, findings);
    }
}

fn number_at<'a>(document: &'a ToolDocument, pointer: &str) -> Option<&'a serde_json::Number> {
    match document.value_at(pointer)? {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

fn report(document: &ToolDocument, pointer: &str, number: &serde_json::Number, help: String, findings: &mut Findings) {
    let name = pointer.trim_start_matches('/').replace('/', ".");
    findings.add(Code::BadBudget, document.at_value(pointer), format!("`{name}` is {number}"), help);
}
