//! Explains values that match no alternative of `anyOf` or `oneOf`. Messages call an alternative a form.

use std::collections::HashSet;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Value, json};

use super::describe::{suggestion, type_names, with_article};
use super::{ErrorContext, Explainer, IssueList, ReferenceErrors, show};
use crate::non_recursive::OPAQUE_REFERENCE;

/// One alternative with its errors.
struct Alternative<'f> {
    entries: Vec<AlternativeError<'f>>,
}

enum AlternativeError<'f> {
    Direct(&'f ValidationError<'static>),
    /// The errors of the target, if the alternative is an opaque reference.
    InReference(ReferenceErrors<'f>),
}

impl Alternative<'_> {
    /// The errors, each with a flag that is true if it is about the value itself. `here` is the location of the value
    /// for the validator of the alternatives.
    fn errors<'s>(&'s self, here: &'s str) -> impl Iterator<Item = (&'s ValidationError<'s>, bool)> {
        self.entries.iter().flat_map(move |complaint| {
            let (own, beyond) = match complaint {
                AlternativeError::Direct(error) => (Some((*error, error.instance_path().as_str() == here)), None),
                AlternativeError::InReference(beyond) => (None, Some(beyond)),
            };
            let beyond = beyond.into_iter().flat_map(|beyond| &beyond.errors);
            own.into_iter().chain(beyond.map(|error| (error, error.instance_path().is_empty())))
        })
    }
}

impl Explainer<'_> {
    /// Reports that no alternative matches, then the errors of the nearest one: the errors of all alternatives would
    /// contradict each other.
    pub(super) fn explain_no_match(
        &self,
        case: &ErrorContext<'_>,
        context: &[Vec<ValidationError<'static>>],
        below: &str,
        issues: &mut IssueList,
    ) {
        let params = match case.kind {
            ValidationErrorKind::AnyOf { .. } => json!({}),
            _ => json!({ "passingSchemas": null }),
        };
        let here = case.full_path.strip_prefix(below).unwrap_or_default();
        let forms: Vec<Alternative<'_>> =
            context.iter().map(|errors| self.alternative(case, errors, here, issues)).collect();
        if let Some((mut words, values)) = expected_types_and_values(&forms, here) {
            let hint = suggestion(case, values.iter().copied());
            words.extend(values.into_iter().take(show::MAX_LISTED).map(show::literal));
            let message =
                format!("{} must be {}{}{hint}", case.subject(), show::join_with_or(words), case.actual_type_suffix());
            issues.push(|| case.issue(params, message));
            return;
        }
        let nearest = forms.iter().enumerate().min_by_key(|(_, form)| distance(form, here));
        let hint = match nearest {
            Some((index, _)) if forms.len() > 1 => format!("; the nearest is form {}", index + 1),
            _ => String::new(),
        };
        let count = show::plural(forms.len() as u64, "allowed form", "allowed forms");
        let message = format!("{} fits none of the {count}{hint}", case.subject());
        issues.push(|| case.issue(params, message));
        if let Some((_, form)) = nearest {
            self.explain_alternative(case, form, below, issues);
        }
    }

    /// An alternative with its errors, and with the errors of opaque references that apply to the value itself.
    fn alternative<'f>(
        &'f self,
        case: &ErrorContext<'_>,
        errors: &'f [ValidationError<'static>],
        here: &str,
        issues: &IssueList,
    ) -> Alternative<'f> {
        let complaint = |error: &'f ValidationError<'static>| match error.kind() {
            ValidationErrorKind::Custom { message, keyword }
                if keyword == OPAQUE_REFERENCE && error.instance_path().as_str() == here =>
            {
                self.reference_errors(case, message, issues)
                    .map_or(AlternativeError::Direct(error), AlternativeError::InReference)
            }
            _ => AlternativeError::Direct(error),
        };
        Alternative { entries: errors.iter().map(complaint).collect() }
    }

    fn explain_alternative(
        &self,
        case: &ErrorContext<'_>,
        form: &Alternative<'_>,
        below: &str,
        issues: &mut IssueList,
    ) {
        for complaint in &form.entries {
            match complaint {
                AlternativeError::Direct(error) => self.explain(error, below, issues),
                AlternativeError::InReference(beyond) => {
                    issues.active_targets.push((beyond.number, case.full_path.to_owned()));
                    for error in &beyond.errors {
                        self.explain(error, case.full_path, issues);
                    }
                    issues.active_targets.pop();
                }
            }
        }
    }
}

/// Returns the expected types and values; `None` unless each alternative has one error, about type or value.
fn expected_types_and_values<'f>(forms: &'f [Alternative<'_>], here: &'f str) -> Option<(Vec<String>, Vec<&'f Value>)> {
    let mut types: Vec<String> = Vec::new();
    let mut values: Vec<&Value> = Vec::new();
    for form in forms {
        let mut errors = form.errors(here);
        let (Some((error, true)), None) = (errors.next(), errors.next()) else { return None };
        match error.kind() {
            ValidationErrorKind::Type { kind } => {
                types.extend(
                    type_names(kind).iter().filter_map(Value::as_str).map(|name| with_article(name).to_owned()),
                );
            }
            ValidationErrorKind::Constant { expected_value } => values.push(expected_value.as_ref()),
            ValidationErrorKind::Enum { options } => values.extend(options.as_array().into_iter().flatten()),
            _ => return None,
        }
    }
    let mut seen = HashSet::new();
    types.retain(|name| seen.insert(name.clone()));
    Some((types, values))
}

/// The distance of an alternative from a match: a wrong type is worst, then a wrong tag, then the number of errors.
fn distance(form: &Alternative<'_>, here: &str) -> (u8, usize) {
    let ranks = form.errors(here).map(|(error, is_here)| match error.kind() {
        ValidationErrorKind::Type { .. } | ValidationErrorKind::FalseSchema if is_here => 2,
        ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. } => 1,
        _ => 0,
    });
    ranks.fold((0, 0), |(worst, count), rank| (worst.max(rank), count + 1))
}
