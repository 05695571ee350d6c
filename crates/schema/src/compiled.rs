//! A compiled schema: validates values, and returns all errors at once.

use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use jsonschema::Validator;
use serde_json::Value;

use super::annotation_plan::AnnotationPlan;
use super::complete::{self, Clamp, Completed, InvalidValue};
use super::document::Document;
use super::error_budget::run_with_budget;
use super::explain::Explainer;
use super::fast_path::{FastPath, Undetermined, Valid};
use super::non_recursive::NonRecursiveSchema;
use super::pattern_steps::{StepsExceeded, run_with_steps};
use super::stack::with_stack_for;
use super::tape_json::TapeJson;
use super::undecided_part::{ElementPlaces, UndecidedPart};
use super::{CompileOptions, Issue, SchemaError};
use toolgate_json::{Limits, LoneSurrogates, Node, Tape};

/// A schema that is compiled once and validates many values.
pub struct CompiledSchema {
    /// Recognizes most valid values; `None` if it does not support the schema.
    fast_path: Option<FastPath>,
    /// The text that `full` is compiled from on first use; `None` if `full` was compiled immediately.
    text: Option<Arc<str>>,
    /// Holds `None` if a schema that the fast path supports completely does not compile. This never happens; no value
    /// would be valid, and no value would be shown. Boxed because most tools of a large set are never called.
    full: OnceLock<Option<Box<FullSchema>>>,
    options: CompileOptions,
}

/// The validator of a schema, with the data for explaining errors and completing values.
struct FullSchema {
    validator: Validator<TapeJson>,
    /// The document: messages also use the siblings of a keyword.
    schema: Arc<Value>,
    /// Built on first use; immediately if references could make it fail.
    plan: OnceLock<AnnotationPlan>,
    /// Explains values of recursive schemas; built for the first invalid value.
    non_recursive: OnceLock<Option<NonRecursiveSchema>>,
    options: CompileOptions,
}

/// The largest number of errors that the validator may create for one value. Only [`super::MAX_ISSUES`] are reported.
const MAX_ERRORS: usize = 20_000;

impl CompiledSchema {
    /// Compiles a schema in the dialect that it declares, else draft 2020-12, with formats asserted.
    ///
    /// # Errors
    /// If the schema breaks the rules of its dialect, contains a pattern without a linear-time form, or refers to
    /// another document.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        Self::compile_with(schema, &CompileOptions::default())
    }

    /// As [`CompiledSchema::compile`], with options.
    ///
    /// # Errors
    /// As [`CompiledSchema::compile`].
    pub fn compile_with(schema: &Value, options: &CompileOptions) -> Result<Self, SchemaError> {
        Self::compile_shared(Arc::new(schema.clone()), options)
    }

    /// As [`CompiledSchema::compile_with`], for a shared schema.
    ///
    /// # Errors
    /// As [`CompiledSchema::compile`].
    pub fn compile_shared(schema: Arc<Value>, options: &CompileOptions) -> Result<Self, SchemaError> {
        let quick = compile_fast_path(&schema.to_string(), options);
        Self::compile_eagerly(quick, schema, options)
    }

    /// Compiles a schema from its text. If the fast path supports the schema completely, so that it certainly compiles,
    /// its validator is built for the first value that the fast path leaves undetermined.
    ///
    /// # Errors
    /// As [`CompiledSchema::compile`], and if the text is not JSON.
    pub fn compile_text(text: Arc<str>) -> Result<Self, SchemaError> {
        let options = CompileOptions::default();
        let quick = compile_fast_path(&text, &options);
        if quick.as_ref().is_some_and(FastPath::is_whole) {
            return Ok(Self { fast_path: quick, text: Some(text), full: OnceLock::new(), options });
        }
        Self::compile_eagerly(quick, Arc::new(SchemaError::parse_text(&text)?), &options)
    }

    fn compile_eagerly(
        quick: Option<FastPath>,
        schema: Arc<Value>,
        options: &CompileOptions,
    ) -> Result<Self, SchemaError> {
        let full = FullSchema::compile(schema, options)?;
        Ok(Self { fast_path: quick, text: None, full: OnceLock::from(Some(Box::new(full))), options: options.clone() })
    }

    /// Fills the defaults of a value, as [`super::ArgsSchema::complete_and_validate`], and validates it. Keeps all nulls.
    ///
    /// # Errors
    /// All errors of the value as received.
    pub fn fill_and_validate(&self, tape: Tape) -> Result<Completed, InvalidValue> {
        complete::fill_and_validate(self.plan(), tape, &|tape| self.validate(tape.root()))
    }

    /// Whether the value is valid. Faster than [`CompiledSchema::validate`], which also returns the errors.
    #[must_use]
    pub fn is_valid(&self, node: Node<'_>) -> bool {
        self.fast_path_check(node).is_some() || self.full().is_some_and(|full| full.is_valid(node))
    }

    /// Validates a value, which must be the root of its tape.
    ///
    /// # Errors
    /// All errors of the value, in the order of the schema: at most [`super::MAX_ISSUES`], and one more with the number
    /// of omitted errors.
    pub fn validate(&self, node: Node<'_>) -> Result<(), Vec<Issue>> {
        if self.fast_path_check(node).is_some() {
            return Ok(());
        }
        self.validate_undetermined(node)
    }

    /// As [`CompiledSchema::validate`], for a value that the fast path left undetermined.
    pub(super) fn validate_undetermined(&self, node: Node<'_>) -> Result<(), Vec<Issue>> {
        self.validate_part(node, &ElementPlaces::WHOLE)
    }

    /// As [`CompiledSchema::validate_undetermined`], for a part of a value. The errors are placed in the whole value.
    fn validate_part(&self, node: Node<'_>, places: &ElementPlaces) -> Result<(), Vec<Issue>> {
        let likely = self.issues_if_likely_invalid(node, places);
        likely.map_or_else(|| self.validate_without_fast_path(node, places), Err)
    }

    /// The errors of arguments whose undetermined part is known. `None` if they must be completed and validated as a
    /// whole.
    pub(super) fn issues_of_part(&self, part: &UndecidedPart, clamps: &[Clamp]) -> Option<Vec<Issue>> {
        let validate = |tape: &Tape| self.validate_part(tape.root(), &part.places);
        complete::issues_of_part(self.plan(), part, clamps, &validate)
    }

    /// The errors of a value that the fast path left undetermined, without a validity check before. `None` if the value
    /// must be checked first: errors are unlikely, listing could take much longer than checking, or no error was found.
    fn issues_if_likely_invalid(&self, node: Node<'_>, places: &ElementPlaces) -> Option<Vec<Issue>> {
        // A value that a completely supported schema leaves undetermined is nearly always invalid.
        let is_likely = self.fast_path.as_ref().is_some_and(FastPath::is_whole);
        let full = if is_likely { self.full()? } else { return None };
        if full.non_recursive().is_some() {
            return None;
        }
        with_stack_for(full.max_recursion(node), || full.issues((node, places), &full.validator, None))?
    }

    /// As [`CompiledSchema::validate`], by the validator only.
    fn validate_without_fast_path(&self, node: Node<'_>, places: &ElementPlaces) -> Result<(), Vec<Issue>> {
        let Some(full) = self.full() else { return Err(vec![Issue::too_many_errors()]) };
        if full.is_valid(node) {
            return Ok(());
        }
        let issues = with_stack_for(full.max_recursion(node), || full.explain((node, places)));
        Err(issues.unwrap_or_else(|| vec![Issue::too_deep(node.tape().depth())]))
    }

    fn fast_path_check(&self, node: Node<'_>) -> Option<Valid> {
        self.fast_path.as_ref().and_then(|quick| quick.check(node))
    }

    /// Completes arguments if they are certainly valid after completion.
    ///
    /// # Errors
    /// The unchanged arguments, if their validity is unknown.
    pub(super) fn complete_on_fast_path(&self, tape: Tape, clamps: &[Clamp]) -> Result<Completed, Undetermined> {
        match &self.fast_path {
            Some(quick) => quick.complete(tape, clamps),
            None => Err(Undetermined { tape, part: None }),
        }
    }

    /// The schema as a document; `None` if it can't be read.
    pub(super) fn document(&self) -> Option<&Value> {
        self.full().map(|full| &*full.schema)
    }

    pub(super) fn plan(&self) -> &AnnotationPlan {
        self.full().map_or_else(|| &*ALL_SENSITIVE, FullSchema::plan)
    }

    fn full(&self) -> Option<&FullSchema> {
        let compiled = || {
            let schema = SchemaError::parse_text(self.text.as_deref()?).ok()?;
            FullSchema::compile(Arc::new(schema), &self.options).ok().map(Box::new)
        };
        self.full.get_or_init(compiled).as_deref()
    }
}

#[cfg(test)]
impl CompiledSchema {
    /// The same schema without the fast path.
    pub(super) fn without_fast_path(self) -> Self {
        Self { fast_path: None, ..self }
    }

    pub(super) fn has_validator(&self) -> bool {
        self.full.get().is_some()
    }
}

/// The plan if the schema can't be read.
static ALL_SENSITIVE: LazyLock<AnnotationPlan> = LazyLock::new(AnnotationPlan::all_sensitive);

fn compile_fast_path(text: &str, options: &CompileOptions) -> Option<FastPath> {
    // Refuses everything that serde refuses: serde parses the text again when the validator is built.
    let limits = Limits { lone_surrogates: LoneSurrogates::Refuse, ..Limits::widest() };
    FastPath::compile(&Tape::parse(text, &limits).ok()?, &options.formats)
}

impl FullSchema {
    fn compile(schema: Arc<Value>, options: &CompileOptions) -> Result<Self, SchemaError> {
        let (validator, plan) = compile_validator(&schema, options).map_err(|error| error.with_pointer(&schema))?;
        let plan = plan.map_or_else(OnceLock::new, OnceLock::from);
        Ok(Self { validator, schema, plan, non_recursive: OnceLock::new(), options: options.clone() })
    }

    fn is_valid(&self, node: Node<'_>) -> bool {
        let is_valid = || run_with_steps(node.tape().text().len(), || self.validator.is_valid(node));
        matches!(with_stack_for(self.max_recursion(node), is_valid), Some(Ok(true)))
    }

    /// All errors of a part of a value; only the first if there are too many.
    fn explain(&self, part: (Node<'_>, &ElementPlaces)) -> Vec<Issue> {
        let cut = self.non_recursive().and_then(|shallow| self.issues(part, &shallow.root, Some(shallow)));
        // Only the whole schema finds the errors of keywords that depend on annotations (`unevaluatedProperties`).
        cut.or_else(|| self.issues(part, &self.validator, None)).unwrap_or_else(|| vec![Issue::too_many_errors()])
    }

    /// `None` if the schema is not recursive.
    fn non_recursive(&self) -> Option<&NonRecursiveSchema> {
        let built = self.non_recursive.get_or_init(|| {
            // If the schema compiles, so does its non-recursive copy; otherwise the whole schema explains.
            NonRecursiveSchema::build(&self.schema, self.plan(), &self.options).unwrap_or_default()
        });
        built.as_ref()
    }

    /// The errors that a validator finds; `None` if it finds none, or too many.
    fn issues(
        &self,
        part: (Node<'_>, &ElementPlaces),
        validator: &Validator<TapeJson>,
        shallow: Option<&NonRecursiveSchema>,
    ) -> Option<Vec<Issue>> {
        run_with_steps(part.0.tape().text().len(), || self.listed_issues(part, validator, shallow))
            .unwrap_or_else(|StepsExceeded| Some(vec![Issue::too_many_steps()]))
    }

    fn listed_issues(
        &self,
        (root, places): (Node<'_>, &ElementPlaces),
        validator: &Validator<TapeJson>,
        shallow: Option<&NonRecursiveSchema>,
    ) -> Option<Vec<Issue>> {
        let explainer = Explainer { schema: &self.schema, plan: self.plan(), non_recursive: shallow, root, places };
        let all = || explainer.explain_all(validator.iter_errors(root));
        let first = || {
            let mut issues = explainer.explain_all(validator.validate(root).err());
            issues.push(Issue::omitted_uncounted());
            issues
        };
        let issues = run_with_budget(MAX_ERRORS, all).or_else(|| run_with_budget(MAX_ERRORS, first));
        issues.filter(|issues| !issues.is_empty())
    }

    /// The largest recursion depth of the validator: every in-place schema at each level of the value.
    fn max_recursion(&self, node: Node<'_>) -> usize {
        (node.tape().depth() as usize + 1) * (self.plan().longest_chain() + 1)
    }

    fn plan(&self) -> &AnnotationPlan {
        self.plan.get_or_init(|| {
            let plan = Document::new(&self.schema, &self.options).and_then(|document| AnnotationPlan::build(&document));
            // The plan of a schema that compiles can be built; otherwise every value counts as sensitive.
            plan.unwrap_or_else(|_| AnnotationPlan::all_sensitive())
        })
    }
}

/// The validator, and the plan if references could make it fail later.
fn compile_validator(
    schema: &Value,
    options: &CompileOptions,
) -> Result<(Validator<TapeJson>, Option<AnnotationPlan>), SchemaError> {
    let document = Document::new(schema, options)?;
    let validator = document.validator()?;
    let plan =
        if AnnotationPlan::is_self_contained(&document) { None } else { Some(AnnotationPlan::build(&document)?) };
    Ok((validator, plan))
}

impl fmt::Debug for CompiledSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.full.get().and_then(Option::as_ref).map(|full| &full.schema);
        f.debug_struct("CompiledSchema").field("text", &self.text).field("schema", &schema).finish_non_exhaustive()
    }
}
