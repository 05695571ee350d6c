//! A compiled schema: validates values, and returns all errors at once.

use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use jsonschema::Validator;
use serde_json::Value;

use super::annotation_plan::AnnotationPlan;
use super::complete::{self, Completed, InvalidValue};
use super::document::Document;
use super::error_budget::run_with_budget;
use super::explain::Explainer;
use super::non_recursive::NonRecursiveSchema;
use super::pattern_steps::{StepsExceeded, run_with_steps};
use super::stack::with_stack_for;
use super::tape_json::TapeJson;
use super::{CompileOptions, Issue, SchemaError};
use toolgate_json::{Node, Tape};

/// A schema that is compiled once and validates many values.
pub struct CompiledSchema {
    /// The text of a schema that compiles, to compile it again at its first use: most tools of a large set are never
    /// called. `None` if `full` was kept.
    text: Option<Arc<str>>,
    /// `None` if the text does not compile any more. This never happens; no value would be valid, and no value would be
    /// shown.
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
        let full = FullSchema::compile(schema, options)?;
        Ok(Self { text: None, full: OnceLock::from(Some(Box::new(full))), options: options.clone() })
    }

    /// Compiles a schema from its text, to check it. What was compiled is not kept until the schema is used.
    ///
    /// # Errors
    /// As [`CompiledSchema::compile`], and if the text is not JSON.
    pub fn compile_text(text: Arc<str>) -> Result<Self, SchemaError> {
        let options = CompileOptions::default();
        FullSchema::compile(Arc::new(SchemaError::parse_text(&text)?), &options)?;
        Ok(Self { text: Some(text), full: OnceLock::new(), options })
    }

    /// Fills the defaults of a value, as [`super::ArgsSchema::complete_and_validate`], and validates it. Keeps all nulls.
    ///
    /// # Errors
    /// All errors of the value as received.
    pub fn fill_and_validate(&self, tape: Tape) -> Result<Completed, InvalidValue> {
        complete::fill_and_validate(self, tape)
    }

    /// Whether the value is valid. Faster than [`CompiledSchema::validate`], which also returns the errors.
    #[must_use]
    pub fn is_valid(&self, node: Node<'_>) -> bool {
        self.full().is_some_and(|full| full.is_valid(node))
    }

    /// Validates a value, which must be the root of its tape.
    ///
    /// # Errors
    /// All errors of the value, in the order of the schema: at most [`super::MAX_ISSUES`], and one more with the number
    /// of omitted errors.
    pub fn validate(&self, node: Node<'_>) -> Result<(), Vec<Issue>> {
        if self.is_valid(node) { Ok(()) } else { Err(self.issues_of_invalid(node)) }
    }

    /// All errors of a value, as [`CompiledSchema::validate`] returns them; none if it is valid.
    pub(super) fn issues(&self, node: Node<'_>) -> Vec<Issue> {
        // Listing the errors of a recursive schema may take much longer than finding out that there are none.
        let is_recursive = self.full().is_some_and(|full| full.non_recursive().is_some());
        if is_recursive && self.is_valid(node) { Vec::new() } else { self.listed_issues(node) }
    }

    /// As [`CompiledSchema::issues`], of a value that is not valid: never empty.
    pub(super) fn issues_of_invalid(&self, node: Node<'_>) -> Vec<Issue> {
        let issues = self.listed_issues(node);
        if issues.is_empty() { vec![Issue::too_many_errors()] } else { issues }
    }

    fn listed_issues(&self, node: Node<'_>) -> Vec<Issue> {
        let Some(full) = self.full() else { return vec![Issue::too_many_errors()] };
        let issues = with_stack_for(full.max_recursion(node), || full.explain(node));
        issues.unwrap_or_else(|| vec![Issue::too_deep(node.tape().depth())])
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

/// The plan if the schema can't be read.
static ALL_SENSITIVE: LazyLock<AnnotationPlan> = LazyLock::new(AnnotationPlan::all_sensitive);

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

    /// All errors of a value; only the first if there are too many. Empty if it is valid.
    fn explain(&self, root: Node<'_>) -> Vec<Issue> {
        let cut = self.non_recursive().map(|shallow| self.issues(root, &shallow.root, Some(shallow)));
        // Only the whole schema finds the errors of keywords that depend on annotations (`unevaluatedProperties`).
        cut.filter(|issues| !issues.is_empty()).unwrap_or_else(|| self.issues(root, &self.validator, None))
    }

    /// `None` if the schema is not recursive.
    fn non_recursive(&self) -> Option<&NonRecursiveSchema> {
        let built = self.non_recursive.get_or_init(|| {
            // If the schema compiles, so does its non-recursive copy; otherwise the whole schema explains.
            NonRecursiveSchema::build(&self.schema, self.plan(), &self.options).unwrap_or_default()
        });
        built.as_ref()
    }

    /// The errors that a validator finds.
    fn issues(
        &self,
        root: Node<'_>,
        validator: &Validator<TapeJson>,
        shallow: Option<&NonRecursiveSchema>,
    ) -> Vec<Issue> {
        let explainer = Explainer { schema: &self.schema, plan: self.plan(), non_recursive: shallow, root };
        let all = || explainer.explain_all(validator.iter_errors(root));
        let first = || {
            let mut issues = explainer.explain_all(validator.validate(root).err());
            issues.push(Issue::omitted_uncounted());
            issues
        };
        let listed = || {
            let issues = run_with_budget(MAX_ERRORS, all).or_else(|| run_with_budget(MAX_ERRORS, first));
            issues.unwrap_or_else(|| vec![Issue::too_many_errors()])
        };
        run_with_steps(root.tape().text().len(), listed).unwrap_or_else(|StepsExceeded| vec![Issue::too_many_steps()])
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
