//! From the validator's errors to issues that a model can act on.
//!
//! No sensitive value gets into an issue: not into its message, its parameters or its path.

mod describe;
mod format;
mod forms;
mod show;
mod unexpected;

use std::borrow::Cow;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Value, json};

use super::plan::Plan;
use super::proven::Proven;
use super::shallow::Shallow;
use super::{Issue, MAX_ISSUES};
use toolgate_json::{Node, pointer};

/// What is known about the value and its schema while errors are explained.
pub(super) struct Explainer<'e> {
    pub(super) schema: &'e Value,
    pub(super) plan: &'e Plan,
    /// Where the schema recurses: the validators that the errors are from.
    pub(super) shallow: Option<&'e Shallow>,
    pub(super) root: Node<'e>,
    /// What the validator was not shown.
    pub(super) proven: &'e Proven,
}

/// One error, with what there is to say about it.
struct Case<'e> {
    kind: &'e ValidationErrorKind,
    /// JSON Pointer of the value.
    full_path: &'e str,
    /// The same, up to where it enters something sensitive.
    path: &'e str,
    node: Option<Node<'e>>,
    is_sensitive: bool,
    /// The error is inside something sensitive, further than `path` tells.
    is_inside: bool,
    schema_path: Cow<'e, str>,
    /// The keyword's own value, where it stands in the root document.
    keyword: Option<&'e Value>,
    /// The schema that the keyword stands in.
    around: Option<&'e Value>,
}

/// What is wrong where a reference that recurses was cut.
struct Beyond<'e> {
    /// Number of the target.
    number: usize,
    /// JSON Pointer of the target.
    pointer: &'e str,
    errors: Vec<ValidationError<'e>>,
}

/// Issues, up to the number that is told.
#[derive(Default)]
struct Issues {
    told: Vec<Issue>,
    left_out: usize,
    /// Targets of cut references that are being explained, and where in the value.
    around: Vec<(usize, String)>,
}

impl Issues {
    fn push(&mut self, make: impl FnOnce() -> Issue) {
        if self.is_full() {
            self.left_out += 1;
        } else {
            self.told.push(make());
        }
    }

    fn is_full(&self) -> bool {
        self.told.len() >= MAX_ISSUES
    }

    fn finish(mut self) -> Vec<Issue> {
        if self.left_out > 0 {
            self.told.push(Issue::more(self.left_out));
        }
        self.told
    }
}

impl<'e> Explainer<'e> {
    pub(super) fn issues<'i>(&self, errors: impl IntoIterator<Item = ValidationError<'i>>) -> Vec<Issue> {
        let mut issues = Issues::default();
        for error in errors {
            self.explain(&error, "", &mut issues);
        }
        issues.finish()
    }

    /// `below` is the JSON Pointer of the value that was validated, where it is not the whole.
    fn explain(&self, error: &ValidationError<'_>, below: &str, issues: &mut Issues) {
        if issues.is_full() {
            // Finding the value that an error is about walks the value: too much to do for thousands of errors.
            issues.left_out += 1;
            return;
        }
        let path = self.proven.place_of(error.instance_path().as_str(), self.root);
        let path = if below.is_empty() { path } else { format!("{below}{path}").into() };
        let case = self.case(error, &path);
        match case.kind {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                self.unexpected(&case, "additionalProperty", unexpected, issues);
            }
            ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                self.unexpected(&case, "unevaluatedProperty", unexpected, issues);
            }
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                self.no_form_fits(&case, context, below, issues);
            }
            ValidationErrorKind::Custom { message, .. } => self.beyond_cut(&case, message, issues),
            _ => issues.push(|| {
                let (params, message) = self.describe(&case);
                case.issue(params, message)
            }),
        }
    }

    /// Goes on where a reference that recurses was cut.
    fn beyond_cut(&self, case: &Case<'_>, message: &str, issues: &mut Issues) {
        let Some(beyond) = self.open(case, message, issues) else { return };
        let before = (issues.told.len(), issues.left_out);
        issues.around.push((beyond.number, case.full_path.to_owned()));
        for error in &beyond.errors {
            self.explain(error, case.full_path, issues);
        }
        issues.around.pop();
        if before == (issues.told.len(), issues.left_out) {
            let message = format!("{} does not fit the schema at `#{}`", case.subject(), show::cut(beyond.pointer));
            issues.push(|| case.issue(json!({ "ref": format!("#{}", beyond.pointer) }), message));
        }
    }

    /// What is wrong beyond a cut; `None` where that is being told already.
    fn open(&self, case: &Case<'_>, message: &str, issues: &Issues) -> Option<Beyond<'_>> {
        let (number, validator, pointer) = self.shallow?.target(message)?;
        let node = self.root.at(case.full_path)?;
        if issues.around.iter().any(|(around, path)| *around == number && path == case.full_path) {
            return None;
        }
        Some(Beyond { number, pointer, errors: validator.iter_errors(node).collect() })
    }

    fn case<'c>(&self, error: &'c ValidationError<'_>, full_path: &'c str) -> Case<'c>
    where
        'e: 'c,
    {
        let sensitive = self.plan.sensitive_at(self.root, full_path);
        let schema_path = error.schema_path().as_str();
        let (keyword, around) = found(self.schema, schema_path);
        Case {
            kind: error.kind(),
            full_path,
            path: sensitive.and_then(|length| full_path.get(..length)).unwrap_or(full_path),
            node: self.root.at(full_path),
            is_sensitive: sensitive.is_some(),
            is_inside: sensitive.is_some_and(|length| length < full_path.len()),
            schema_path: told_path(error.kind(), schema_path),
            keyword,
            around,
        }
    }
}

impl Case<'_> {
    fn issue(&self, params: Value, message: String) -> Issue {
        Issue {
            instance_path: self.path.to_owned(),
            schema_path: format!("#{}", self.schema_path),
            keyword: self.keyword_name().to_owned(),
            params,
            message,
        }
    }

    /// As Ajv names it: by what the schema says, not by how the error is classed.
    fn keyword_name(&self) -> &str {
        match self.kind {
            ValidationErrorKind::FalseSchema => "false schema",
            ValidationErrorKind::Required { .. } => match self.schema_path.rsplit('/').next() {
                Some(last @ ("dependentRequired" | "dependencies")) => last,
                _ => "required",
            },
            ValidationErrorKind::Custom { .. } => "$ref",
            kind => kind.keyword(),
        }
    }

    /// The value as the subject of a sentence.
    fn subject(&self) -> String {
        let inside = if self.is_inside { "something in " } else { "" };
        if self.path.is_empty() { format!("{inside}the value") } else { format!("{inside}`{}`", show::cut(self.path)) }
    }

    /// The value, where a message may show it.
    fn seen(&self) -> Option<Node<'_>> {
        self.node.filter(|_| !self.is_sensitive)
    }

    /// Where a property is missing or too much: nothing to say at the root.
    fn inside(&self) -> String {
        if self.path.is_empty() { String::new() } else { format!(" in `{}`", show::cut(self.path)) }
    }

    /// `, not the string ..`: what the value is, unless it is sensitive.
    fn actual(&self) -> String {
        self.seen().map(|node| format!(", not {}", show::value(node))).unwrap_or_default()
    }

    /// The same where the type is the point: of a sensitive value that much is told.
    fn actual_kind(&self) -> String {
        match self.node {
            Some(node) if self.is_sensitive => format!(", not {}", show::kind(node.kind())),
            _ => self.actual(),
        }
    }

    /// `, but has 5`: a count, unless the value is sensitive.
    fn count(&self, count: impl FnOnce(Node<'_>) -> usize) -> String {
        self.seen().map(|node| format!(", but has {}", count(node))).unwrap_or_default()
    }

    /// A property's name as a message or parameter shows it.
    fn name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.is_sensitive { "***".into() } else { show::cut(name) }
    }
}

/// The value that a pointer leads to, and the one that holds it.
fn found<'v>(root: &'v Value, path: &str) -> (Option<&'v Value>, Option<&'v Value>) {
    let mut found = (Some(root), None);
    for token in pointer::tokens(path) {
        let below = found.0.and_then(|value| match value {
            Value::Object(members) => members.get(&*token),
            Value::Array(elements) => elements.get(pointer::index(&token)?),
            _ => None,
        });
        found = (below, found.0);
    }
    found
}

/// The place of the keyword that Ajv would name: of property names, not of what is wrong with one; of `contains`, not of
/// its bounds.
fn told_path<'p>(kind: &ValidationErrorKind, schema_path: &'p str) -> Cow<'p, str> {
    const NAMES: &str = "/propertyNames";
    match (kind, schema_path.rsplit_once('/')) {
        (ValidationErrorKind::PropertyNames { .. }, _) => {
            let end = schema_path.rfind(NAMES).map_or(schema_path.len(), |start| start + NAMES.len());
            schema_path.get(..end).unwrap_or(schema_path).into()
        }
        (ValidationErrorKind::Custom { .. }, Some((parent, _))) => format!("{parent}/$ref").into(),
        (ValidationErrorKind::Contains, Some((parent, _))) => format!("{parent}/contains").into(),
        _ => schema_path.into(),
    }
}
