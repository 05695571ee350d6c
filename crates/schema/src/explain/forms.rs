//! Values that fit none of several forms (`anyOf`, `oneOf`).

use std::collections::HashSet;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Value, json};

use super::describe::{meant, type_names, with_article};
use super::{Beyond, Case, Explainer, Issues, show};

/// What one form complains about.
struct Form<'f> {
    complaints: Vec<Complaint<'f>>,
}

enum Complaint<'f> {
    Own(&'f ValidationError<'static>),
    /// Where the form is a reference that was cut: what is wrong beyond.
    Beyond(Beyond<'f>),
}

impl Form<'_> {
    /// The errors, and whether each is about the value itself, which stands at `here` for the validator of the forms.
    fn errors<'s>(&'s self, here: &'s str) -> impl Iterator<Item = (&'s ValidationError<'s>, bool)> {
        self.complaints.iter().flat_map(move |complaint| {
            let (own, beyond) = match complaint {
                Complaint::Own(error) => (Some((*error, error.instance_path().as_str() == here)), None),
                Complaint::Beyond(beyond) => (None, Some(beyond)),
            };
            let beyond = beyond.into_iter().flat_map(|beyond| &beyond.errors);
            own.into_iter().chain(beyond.map(|error| (error, error.instance_path().is_empty())))
        })
    }
}

impl Explainer<'_> {
    /// Tells that no form fits, and then what keeps the nearest one from fitting: the errors of all forms would contradict
    /// each other.
    pub(super) fn no_form_fits(
        &self,
        case: &Case<'_>,
        context: &[Vec<ValidationError<'static>>],
        below: &str,
        issues: &mut Issues,
    ) {
        let params = match case.kind {
            ValidationErrorKind::AnyOf { .. } => json!({}),
            _ => json!({ "passingSchemas": null }),
        };
        let here = case.full_path.strip_prefix(below).unwrap_or_default();
        let forms: Vec<Form<'_>> = context.iter().map(|errors| self.form(case, errors, here, issues)).collect();
        if let Some((mut words, values)) = alternatives(&forms, here) {
            let hint = meant(case, values.iter().copied());
            words.extend(values.into_iter().take(show::LISTED).map(show::literal));
            let message = format!("{} must be {}{}{hint}", case.subject(), show::either(words), case.actual_kind());
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
            self.explain_form(case, form, below, issues);
        }
    }

    /// A form's errors, with those beyond cuts that concern the value itself.
    fn form<'f>(
        &'f self,
        case: &Case<'_>,
        errors: &'f [ValidationError<'static>],
        here: &str,
        issues: &Issues,
    ) -> Form<'f> {
        let complaint = |error: &'f ValidationError<'static>| match error.kind() {
            ValidationErrorKind::Custom { message, .. } if error.instance_path().as_str() == here => {
                self.open(case, message, issues).map_or(Complaint::Own(error), Complaint::Beyond)
            }
            _ => Complaint::Own(error),
        };
        Form { complaints: errors.iter().map(complaint).collect() }
    }

    fn explain_form(&self, case: &Case<'_>, form: &Form<'_>, below: &str, issues: &mut Issues) {
        for complaint in &form.complaints {
            match complaint {
                Complaint::Own(error) => self.explain(error, below, issues),
                Complaint::Beyond(beyond) => {
                    issues.around.push((beyond.number, case.full_path.to_owned()));
                    for error in &beyond.errors {
                        self.explain(error, case.full_path, issues);
                    }
                    issues.around.pop();
                }
            }
        }
    }
}

/// The types and values asked for, where that is all that each form complains about.
fn alternatives<'f>(forms: &'f [Form<'_>], here: &'f str) -> Option<(Vec<String>, Vec<&'f Value>)> {
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

/// How far a form is from fitting: worst is another type, then another tag, then many errors.
fn distance(form: &Form<'_>, here: &str) -> (u8, usize) {
    let ranks = form.errors(here).map(|(error, is_here)| match error.kind() {
        ValidationErrorKind::Type { .. } | ValidationErrorKind::FalseSchema if is_here => 2,
        ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. } => 1,
        _ => 0,
    });
    ranks.fold((0, 0), |(worst, count), rank| (worst.max(rank), count + 1))
}
