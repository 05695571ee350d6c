//! Turns the validator's errors into issues that a model can act on.
//!
//! An issue never contains a sensitive value: not in its message, its parameters or its path.

mod alternatives;
mod describe;
mod format_examples;
mod show;
mod unexpected_properties;

use std::borrow::Cow;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Value, json};

use super::annotation_plan::AnnotationPlan;
use super::non_recursive::{NonRecursiveSchema, OPAQUE_REFERENCE};
use super::{Issue, MAX_ISSUES};
use toolgate_json::{Node, pointer};

/// What a message has in place of a name that may be sensitive.
const HIDDEN_NAME: &str = "***";

pub(super) use describe::MAX_ALLOWED_VALUES;

/// The value and its schema, for explaining errors.
pub(super) struct Explainer<'e> {
    pub(super) schema: &'e Value,
    pub(super) plan: &'e AnnotationPlan,
    /// The validators that created the errors; `None` unless the schema is recursive.
    pub(super) non_recursive: Option<&'e NonRecursiveSchema>,
    pub(super) root: Node<'e>,
}

/// An error with the data for its message.
struct ErrorContext<'e> {
    kind: &'e ValidationErrorKind,
    /// JSON Pointer of the value in the explained value.
    full_path: &'e str,
    /// The same, up to the outermost sensitive value.
    visible_path: &'e str,
    node: Option<Node<'e>>,
    is_sensitive: bool,
    /// The part of the path that the schema declares.
    place: &'e str,
    /// Whether names that the schema does not declare are hidden.
    hides_names: bool,
    /// The error is inside a sensitive value, so `path` is shorter than `full_path`.
    is_path_truncated: bool,
    schema_path: Cow<'e, str>,
    /// The keyword's value, if it is in the root document.
    keyword_value: Option<&'e Value>,
    /// The schema that contains the keyword.
    parent_schema: Option<&'e Value>,
}

/// The errors of an opaque reference's target.
struct ReferenceErrors<'e> {
    /// Index of the target.
    number: usize,
    /// JSON Pointer of the target.
    pointer: &'e str,
    errors: Vec<ValidationError<'e>>,
}

/// The listed issues, at most [`MAX_ISSUES`], and the number of omitted ones.
#[derive(Default)]
struct IssueList {
    listed: Vec<Issue>,
    left_out: usize,
    /// The reference targets that are being explained, each with its location in the value.
    active_targets: Vec<(usize, String)>,
}

impl IssueList {
    fn push(&mut self, make: impl FnOnce() -> Issue) {
        if self.is_full() {
            self.left_out += 1;
        } else {
            self.listed.push(make());
        }
    }

    fn is_full(&self) -> bool {
        self.listed.len() >= MAX_ISSUES
    }

    fn finish(mut self) -> Vec<Issue> {
        if self.left_out > 0 {
            self.listed.push(Issue::omitted_count(self.left_out));
        }
        self.listed
    }
}

impl<'e> Explainer<'e> {
    pub(super) fn explain_all<'i>(&self, errors: impl IntoIterator<Item = ValidationError<'i>>) -> Vec<Issue> {
        let mut issues = IssueList::default();
        for error in errors {
            self.explain(&error, "", &mut issues);
        }
        issues.finish()
    }

    /// `below` is the JSON Pointer of the validated value, if it is not the whole value.
    fn explain(&self, error: &ValidationError<'_>, below: &str, issues: &mut IssueList) {
        if issues.is_full() {
            // Finding the value of an error walks the whole value: too slow for thousands of errors.
            issues.left_out += 1;
            return;
        }
        let path = format!("{below}{}", error.instance_path().as_str());
        let case = self.error_context(error, &path);
        match case.kind {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                self.explain_unexpected(&case, "additionalProperty", unexpected, issues);
            }
            ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                self.explain_unexpected(&case, "unevaluatedProperty", unexpected, issues);
            }
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                self.explain_no_match(&case, context, below, issues);
            }
            ValidationErrorKind::Custom { message, keyword } if keyword == OPAQUE_REFERENCE => {
                self.explain_reference(&case, message, issues);
            }
            _ => issues.push(|| {
                let (params, message) = self.describe(&case);
                case.issue(params, message)
            }),
        }
    }

    /// Explains the errors of an opaque reference's target.
    fn explain_reference(&self, case: &ErrorContext<'_>, message: &str, issues: &mut IssueList) {
        let Some(beyond) = self.reference_errors(case, message, issues) else { return };
        let before = (issues.listed.len(), issues.left_out);
        issues.active_targets.push((beyond.number, case.full_path.to_owned()));
        for error in &beyond.errors {
            self.explain(error, case.full_path, issues);
        }
        issues.active_targets.pop();
        if before == (issues.listed.len(), issues.left_out) {
            let message =
                format!("{} does not fit the schema at `#{}`", case.subject(), show::truncate(beyond.pointer));
            issues.push(|| case.issue(json!({ "ref": format!("#{}", beyond.pointer) }), message));
        }
    }

    /// The errors of an opaque reference's target; `None` if it is being explained already.
    fn reference_errors(
        &self,
        case: &ErrorContext<'_>,
        message: &str,
        issues: &IssueList,
    ) -> Option<ReferenceErrors<'_>> {
        let (number, validator, pointer) = self.non_recursive?.target(message)?;
        let node = self.root.at(case.full_path)?;
        if issues.active_targets.iter().any(|(around, path)| *around == number && path == case.full_path) {
            return None;
        }
        Some(ReferenceErrors { number, pointer, errors: validator.iter_errors(node).collect() })
    }

    fn error_context<'c>(&self, error: &'c ValidationError<'_>, full_path: &'c str) -> ErrorContext<'c>
    where
        'e: 'c,
    {
        let seen = self.plan.visibility(self.root, full_path);
        let sensitive = seen.shown;
        let schema_path = error.schema_path().as_str();
        let (keyword, around) = lookup_with_parent(self.schema, schema_path);
        ErrorContext {
            kind: error.kind(),
            full_path,
            visible_path: sensitive.and_then(|length| full_path.get(..length)).unwrap_or(full_path),
            node: self.root.at(full_path),
            is_sensitive: sensitive.is_some(),
            place: full_path.get(..seen.declared).unwrap_or_default(),
            hides_names: seen.hides_names,
            is_path_truncated: sensitive.is_some_and(|length| length < full_path.len()),
            schema_path: ajv_schema_path(error.kind(), schema_path),
            keyword_value: keyword,
            parent_schema: around,
        }
    }
}

impl ErrorContext<'_> {
    fn issue(&self, params: Value, message: String) -> Issue {
        Issue {
            instance_path: self.visible_path.to_owned(),
            place: self.place.to_owned(),
            schema_path: format!("#{}", self.schema_path),
            keyword: self.keyword_name().to_owned(),
            params,
            message,
        }
    }

    /// The keyword as Ajv names it: the keyword in the schema, not the kind of the error.
    fn keyword_name(&self) -> &str {
        match self.kind {
            ValidationErrorKind::FalseSchema => "false schema",
            ValidationErrorKind::Required { .. } => match self.schema_path.rsplit('/').next() {
                Some(last @ ("dependentRequired" | "dependencies")) => last,
                _ => "required",
            },
            ValidationErrorKind::Custom { keyword, .. } if keyword == OPAQUE_REFERENCE => "$ref",
            kind => kind.keyword(),
        }
    }

    /// The value as the subject of a sentence.
    fn subject(&self) -> String {
        let inside = if self.is_path_truncated { "something in " } else { "" };
        if self.visible_path.is_empty() {
            format!("{inside}the value")
        } else {
            format!("{inside}`{}`", show::truncate(self.visible_path))
        }
    }

    /// The value; `None` if it is sensitive, or may contain something sensitive.
    fn visible_value(&self) -> Option<Node<'_>> {
        self.node.filter(|_| !self.is_sensitive)
    }

    /// The location of a missing or unknown property, as a suffix; empty at the root.
    fn location_suffix(&self) -> String {
        if self.visible_path.is_empty() {
            String::new()
        } else {
            format!(" in `{}`", show::truncate(self.visible_path))
        }
    }

    /// `, not the string ..`: the value; empty if it is sensitive.
    fn actual_suffix(&self) -> String {
        self.visible_value().map(|node| format!(", not {}", show::value(node))).unwrap_or_default()
    }

    /// The same, but only the type of a sensitive value.
    fn actual_type_suffix(&self) -> String {
        match self.node {
            Some(node) if self.is_sensitive => format!(", not {}", show::type_with_article(node.kind())),
            _ => self.actual_suffix(),
        }
    }

    /// `, but has 5`: a count; empty if the value is sensitive.
    fn count_suffix(&self, count: impl FnOnce(Node<'_>) -> usize) -> String {
        self.visible_value().map(|node| format!(", but has {}", count(node))).unwrap_or_default()
    }

    /// A name that the schema does not declare, for a message or parameter.
    fn visible_name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.is_sensitive || self.hides_names { HIDDEN_NAME.into() } else { show::truncate(name) }
    }
}

/// Returns the value at a JSON Pointer, and its parent.
fn lookup_with_parent<'v>(root: &'v Value, path: &str) -> (Option<&'v Value>, Option<&'v Value>) {
    let mut found = (Some(root), None);
    for token in pointer::tokens(path) {
        let below = found.0.and_then(|value| match value {
            Value::Object(members) => members.get(&*token),
            Value::Array(elements) => elements.get(pointer::parse_index(&token)?),
            _ => None,
        });
        found = (below, found.0);
    }
    found
}

/// Returns the keyword location that Ajv reports: `propertyNames`, not the keyword that a name violates; `contains`,
/// not its bounds; `$ref`, not the keyword of an opaque reference.
fn ajv_schema_path<'p>(kind: &ValidationErrorKind, schema_path: &'p str) -> Cow<'p, str> {
    const NAMES: &str = "/propertyNames";
    match (kind, schema_path.rsplit_once('/')) {
        (ValidationErrorKind::PropertyNames { .. }, _) => {
            let end = schema_path.rfind(NAMES).map_or(schema_path.len(), |start| start + NAMES.len());
            schema_path.get(..end).unwrap_or(schema_path).into()
        }
        (ValidationErrorKind::Custom { keyword, .. }, Some((parent, _))) if keyword == OPAQUE_REFERENCE => {
            format!("{parent}/$ref").into()
        }
        (ValidationErrorKind::Contains, Some((parent, _))) => format!("{parent}/contains").into(),
        _ => schema_path.into(),
    }
}
