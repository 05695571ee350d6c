//! A compiled schema: valid or not, and if not, everything that is wrong at once.

use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use jsonschema::Validator;
use serde_json::Value;

use super::budget::within;
use super::complete::{self, Clamp, Completed};
use super::document::Document;
use super::explain::Explainer;
use super::plan::Plan;
use super::proven::Proven;
use super::quick::{Quick, Untold, Valid};
use super::representation::OnTape;
use super::room::with_room;
use super::shallow::Shallow;
use super::{CompileOptions, Issue, SchemaError};
use toolgate_json::{Limits, LoneSurrogates, Node, Tape};

/// A schema that has been compiled once and validates many values.
pub struct CompiledSchema {
    /// Tells most valid values; none where nothing of the schema is understood.
    quick: Option<Quick>,
    /// The text that `full` is compiled from when it is first needed; none where it was compiled at once.
    text: Option<Arc<str>>,
    /// None inside where what was understood as a whole does not compile after all, which never happens: then no value is
    /// valid, and nothing of one is told. Most tools of a large set are never called, so it takes its room when it is made.
    full: OnceLock<Option<Box<Full>>>,
    options: CompileOptions,
}

/// The validator of a schema, and what explaining and completing values take besides.
struct Full {
    validator: Validator<OnTape>,
    /// The document, for messages: what a keyword's neighbours say.
    schema: Arc<Value>,
    /// Made when the first value asks; at once where references could keep it from being made.
    plan: OnceLock<Plan>,
    /// For explaining values of recursive schemas; made when the first one is wrong.
    shallow: OnceLock<Option<Shallow>>,
    options: CompileOptions,
}

/// How many errors the validator may make of one value. Few are told; making more would only take time and memory.
const MAX_ERRORS: usize = 20_000;

impl CompiledSchema {
    /// Compiles a schema in the dialect that it declares, else draft 2020-12, with formats asserted.
    ///
    /// # Errors
    /// Where the schema breaks the rules of its dialect, holds a pattern that has no linear-time form, or refers to
    /// something outside itself.
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

    /// As [`CompiledSchema::compile_with`], of a schema that others hold as well.
    ///
    /// # Errors
    /// As [`CompiledSchema::compile`].
    pub fn compile_shared(schema: Arc<Value>, options: &CompileOptions) -> Result<Self, SchemaError> {
        let quick = quick(&schema.to_string(), options);
        Self::at_once(quick, schema, options)
    }

    /// Compiles a schema from its text. Where it is plain enough that it certainly compiles, its validator is only made
    /// when the quick check can't tell a value.
    ///
    /// # Errors
    /// As [`CompiledSchema::compile`], and where the text is not JSON.
    pub fn load(text: Arc<str>) -> Result<Self, SchemaError> {
        let options = CompileOptions::default();
        let quick = quick(&text, &options);
        if quick.as_ref().is_some_and(Quick::is_whole) {
            return Ok(Self { quick, text: Some(text), full: OnceLock::new(), options });
        }
        Self::at_once(quick, Arc::new(SchemaError::parsed(&text)?), &options)
    }

    fn at_once(quick: Option<Quick>, schema: Arc<Value>, options: &CompileOptions) -> Result<Self, SchemaError> {
        let full = Full::compile(schema, options)?;
        Ok(Self { quick, text: None, full: OnceLock::from(Some(Box::new(full))), options: options.clone() })
    }

    /// Fills the defaults of a value, as [`super::ArgsSchema::complete`] does. Its nulls stay, strict or not.
    #[must_use]
    pub fn fill(&self, tape: Tape) -> Completed {
        complete::fill(self.plan(), tape)
    }

    /// Whether the value is valid. Faster than [`CompiledSchema::validate`], which tells why not.
    #[must_use]
    pub fn is_valid(&self, node: Node<'_>) -> bool {
        self.quick_check(node).is_some() || self.full().is_some_and(|full| full.is_valid(node))
    }

    /// Checks a value, which must be the root of its tape.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the schema; at most [`super::MAX_ISSUES`] of them, and then one
    /// more that says how many are left out.
    pub fn validate(&self, node: Node<'_>) -> Result<(), Vec<Issue>> {
        if self.quick_check(node).is_some() {
            return Ok(());
        }
        self.validate_untold(node)
    }

    /// As [`CompiledSchema::validate`], of a value that the quick check can't tell.
    pub(super) fn validate_untold(&self, node: Node<'_>) -> Result<(), Vec<Issue>> {
        self.faults(node, &Proven::default()).map_or_else(|| self.validate_fully(node), Err)
    }

    /// What is wrong with a value that the quick check can't tell. `None` where that takes asking first whether anything is:
    /// where it is not likely, where listing could take much longer than asking, or where nothing was found.
    pub(super) fn faults(&self, node: Node<'_>, proven: &Proven) -> Option<Vec<Issue>> {
        // What it understands as a whole and does not tell is nearly always wrong.
        let is_likely = self.quick.as_ref().is_some_and(Quick::is_whole);
        let full = if is_likely { self.full()? } else { return None };
        if full.shallow().is_some() {
            return None;
        }
        with_room(full.levels(node), || full.issues(node, &full.validator, None, proven))?
    }

    /// As [`CompiledSchema::validate`], by the validator alone.
    pub(super) fn validate_fully(&self, node: Node<'_>) -> Result<(), Vec<Issue>> {
        let Some(full) = self.full() else { return Err(vec![Issue::untold()]) };
        if full.is_valid(node) {
            return Ok(());
        }
        let issues = with_room(full.levels(node), || full.explain(node));
        Err(issues.unwrap_or_else(|| vec![Issue::too_deep(node.tape().depth())]))
    }

    fn quick_check(&self, node: Node<'_>) -> Option<Valid> {
        self.quick.as_ref().and_then(|quick| quick.check(node))
    }

    /// Completes arguments that are certainly valid when they are complete.
    ///
    /// # Errors
    /// The arguments as they came, where that is not known.
    pub(super) fn complete_quickly(&self, tape: Tape, clamps: &[Clamp]) -> Result<Completed, Untold> {
        match &self.quick {
            Some(quick) => quick.complete(tape, clamps),
            None => Err(Untold { tape, proven: Proven::default(), lacks_default: true }),
        }
    }

    /// As [`Quick::tells_as_came`].
    pub(super) fn tells_as_came(&self) -> bool {
        self.quick.as_ref().is_some_and(Quick::tells_as_came)
    }

    pub(super) fn plan(&self) -> &Plan {
        self.full().map_or_else(|| &*ALL_SENSITIVE, Full::plan)
    }

    fn full(&self) -> Option<&Full> {
        let compiled = || {
            let schema = SchemaError::parsed(self.text.as_deref()?).ok()?;
            Full::compile(Arc::new(schema), &self.options).ok().map(Box::new)
        };
        self.full.get_or_init(compiled).as_deref()
    }
}

#[cfg(test)]
impl CompiledSchema {
    /// The same without the quick check.
    pub(super) fn without_quick(self) -> Self {
        Self { quick: None, ..self }
    }

    pub(super) fn has_validator(&self) -> bool {
        self.full.get().is_some()
    }
}

/// What is said of a value whose schema can't be read.
static ALL_SENSITIVE: LazyLock<Plan> = LazyLock::new(Plan::all_sensitive);

fn quick(text: &str, options: &CompileOptions) -> Option<Quick> {
    // What serde refuses is refused here: the text is read once more when the validator is made.
    let limits = Limits { lone_surrogates: LoneSurrogates::Refuse, ..Limits::widest() };
    Quick::read(&Tape::parse(text, &limits).ok()?, &options.formats)
}

impl Full {
    fn compile(schema: Arc<Value>, options: &CompileOptions) -> Result<Self, SchemaError> {
        let (validator, plan) = compiled(&schema, options).map_err(|error| error.located(&schema))?;
        let plan = plan.map_or_else(OnceLock::new, OnceLock::from);
        Ok(Self { validator, schema, plan, shallow: OnceLock::new(), options: options.clone() })
    }

    fn is_valid(&self, node: Node<'_>) -> bool {
        with_room(self.levels(node), || self.validator.is_valid(node)).unwrap_or_default()
    }

    /// Everything that is wrong; of too much, the first thing.
    fn explain(&self, node: Node<'_>) -> Vec<Issue> {
        let nothing = Proven::default();
        let cut = self.shallow().and_then(|shallow| self.issues(node, &shallow.root, Some(shallow), &nothing));
        // Schemas that look at what other schemas have seen can be wrong in ways that only the whole knows.
        cut.or_else(|| self.issues(node, &self.validator, None, &nothing)).unwrap_or_else(|| vec![Issue::untold()])
    }

    /// None where the schema does not recurse.
    fn shallow(&self) -> Option<&Shallow> {
        let built = self.shallow.get_or_init(|| {
            // What compiled whole compiles cut; if it does not, the whole is explained.
            Shallow::build(&self.schema, self.plan(), &self.options).unwrap_or_default()
        });
        built.as_ref()
    }

    /// What a validator says is wrong; `None` where it finds nothing, or too much.
    fn issues(
        &self,
        node: Node<'_>,
        validator: &Validator<OnTape>,
        shallow: Option<&Shallow>,
        proven: &Proven,
    ) -> Option<Vec<Issue>> {
        let explainer = Explainer { schema: &self.schema, plan: self.plan(), shallow, root: node, proven };
        let all = || explainer.issues(validator.iter_errors(node));
        let first = || {
            let mut issues = explainer.issues(validator.validate(node).err());
            issues.push(Issue::many_more());
            issues
        };
        let issues = proven.hidden(|| within(MAX_ERRORS, all).or_else(|| within(MAX_ERRORS, first)));
        issues.filter(|issues| !issues.is_empty())
    }

    /// How deep the validator may recurse: at each level of the value through every schema that applies in place.
    fn levels(&self, node: Node<'_>) -> usize {
        (node.tape().depth() as usize + 1) * (self.plan().longest_chain() + 1)
    }

    fn plan(&self) -> &Plan {
        self.plan.get_or_init(|| {
            let plan = Document::new(&self.schema, &self.options).and_then(|document| Plan::build(&document));
            // What compiled whole compiles in parts; were it not so, nothing of a value may be told.
            plan.unwrap_or_else(|_| Plan::all_sensitive())
        })
    }
}

/// The validator, and the plan where it can't wait.
fn compiled(schema: &Value, options: &CompileOptions) -> Result<(Validator<OnTape>, Option<Plan>), SchemaError> {
    let document = Document::new(schema, options)?;
    let validator = document.validator()?;
    let plan = if Plan::stands_alone(&document) { None } else { Some(Plan::build(&document)?) };
    Ok((validator, plan))
}

impl fmt::Debug for CompiledSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.full.get().and_then(Option::as_ref).map(|full| &full.schema);
        f.debug_struct("CompiledSchema").field("text", &self.text).field("schema", &schema).finish_non_exhaustive()
    }
}
