//! A schema document: its dialect, what its references may reach, and the one place where validators are built.

use std::collections::BTreeMap;
use std::sync::Arc;

use jsonschema::{Draft, PatternOptions, Registry, Retrieve, Uri, ValidationOptions, Validator, uri};
use once_cell::unsync::OnceCell;
use referencing::Resolver;
use serde_json::Value;

use super::pattern::{PATTERN, Pattern};
use super::representation::OnTape;
use super::shallow::{CUT, Cut};
use super::{Formats, SchemaError};
use toolgate_json::pointer;

/// Where a schema without `$id` stands.
const DEFAULT_BASE: &str = "json-schema:///";

/// How a schema is compiled.
#[derive(Debug, Clone, Default)]
pub struct CompileOptions {
    /// Whether `format` is checked.
    pub formats: Formats,
    /// Documents that a `$ref` may reach, by absolute URI without fragment. Nothing is ever fetched.
    pub resources: Arc<BTreeMap<String, Value>>,
}

/// Gives out what is in memory and refuses everything else.
struct InMemory(Arc<BTreeMap<String, Value>>);

impl Retrieve for InMemory {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let found = self.0.get(uri.as_str()).cloned();
        found.ok_or_else(|| "remote references are not fetched; put the schema into `$defs`".into())
    }
}

/// A schema whose dialect is known.
pub(super) struct Document<'s> {
    pub(super) root: &'s Value,
    pub(super) draft: Draft,
    dialects: BTreeMap<String, Value>,
    base: Uri<String>,
    options: CompileOptions,
    /// Made when the first reference asks: most schemas have none.
    registry: OnceCell<Registry<'s>>,
    /// Whole validators of what has been cut off in this document.
    cut: Option<Arc<Vec<Validator<OnTape>>>>,
}

impl<'s> Document<'s> {
    pub(super) fn new(root: &'s Value, options: &CompileOptions) -> Result<Self, SchemaError> {
        if !root.is_object() && !root.is_boolean() {
            let reason = format!("a schema is an object or a boolean, not {}", kind(root));
            return Err(SchemaError::Invalid { pointer: String::new(), reason });
        }
        let (draft, dialects) = draft_of(root, &options.resources)?;
        let resource = draft.create_resource_ref(root);
        let base = uri::from_str(resource.id().unwrap_or(DEFAULT_BASE))?;
        Ok(Self { root, draft, dialects, base, options: options.clone(), registry: OnceCell::new(), cut: None })
    }

    /// Gives the document the targets that were cut off in it.
    pub(super) fn with_cut(mut self, whole: Arc<Vec<Validator<OnTape>>>) -> Self {
        self.cut = Some(whole);
        self
    }

    /// All that references may reach.
    fn registry(&self) -> Result<&Registry<'s>, SchemaError> {
        self.registry.get_or_try_init(|| {
            let mut registry = Registry::new()
                .retriever(InMemory(Arc::clone(&self.options.resources)))
                .draft(self.draft)
                .add(self.base.as_str(), self.draft.create_resource_ref(self.root))?;
            for (uri, dialect) in &self.dialects {
                registry = registry.add(uri, self.draft.create_resource(dialect.clone()))?;
            }
            Ok(registry.prepare()?)
        })
    }

    /// Whether the document is written in a draft as it is published, not in a dialect of its own.
    pub(super) fn is_of_known_dialect(&self) -> bool {
        self.dialects.is_empty()
    }

    /// A resolver that stands at the root of the document.
    pub(super) fn resolver(&self) -> Result<Resolver<'_>, SchemaError> {
        Ok(self.registry()?.resolver(self.base.clone()))
    }

    /// The validator of the whole document.
    pub(super) fn validator(&self) -> Result<Validator<OnTape>, SchemaError> {
        let options = self.validation_options(self.draft);
        if self.dialects.is_empty() {
            return Ok(options.build(self.root)?);
        }
        Ok(options.with_registry(self.registry()?).build(self.root)?)
    }

    /// A validator of arrays whose elements each have a schema of this document, named by its JSON Pointer.
    pub(super) fn validator_of_parts(&self, pointers: &[&str]) -> Result<Validator<OnTape>, SchemaError> {
        let parts: Vec<Value> = pointers.iter().map(|pointer| self.reference_to(pointer)).collect();
        self.build_outside(serde_json::json!({ "prefixItems": parts }))
    }

    /// The same of schemas that mean the same outside of this document.
    pub(super) fn validator_of_copies<'p>(
        &self,
        parts: impl Iterator<Item = &'p Value>,
    ) -> Result<Validator<OnTape>, SchemaError> {
        // Before 2020-12 a tuple is written as an array of `items`.
        let keyword = if self.draft == Draft::Draft202012 { "prefixItems" } else { "items" };
        let parts: Vec<&Value> = parts.collect();
        Ok(self.validation_options(self.draft).build(&serde_json::json!({ keyword: parts }))?)
    }

    /// The validator of one schema of this document, named by its JSON Pointer.
    pub(super) fn validator_of(&self, pointer: &str) -> Result<Validator<OnTape>, SchemaError> {
        self.build_outside(self.reference_to(pointer))
    }

    fn reference_to(&self, pointer: &str) -> Value {
        let base = self.base.as_str().trim_end_matches('#');
        serde_json::json!({ "$ref": format!("{base}#{}", pointer::to_fragment(pointer)) })
    }

    /// Builds a schema that is not part of the document but refers to it.
    fn build_outside(&self, mut schema: Value) -> Result<Validator<OnTape>, SchemaError> {
        if let Some(keywords) = schema.as_object_mut() {
            keywords.insert("$id".to_owned(), "toolgate:outside".into());
        }
        Ok(self.validation_options(Draft::Draft202012).with_registry(self.registry()?).build(&schema)?)
    }

    /// Patterns run in linear time; those that need look-around or back-references are refused.
    fn validation_options(&self, draft: Draft) -> ValidationOptions<'_, Arc<dyn Retrieve>, OnTape> {
        let options = jsonschema::options_for::<OnTape>()
            .with_draft(draft)
            .with_retriever(InMemory(Arc::clone(&self.options.resources)))
            .with_pattern_options(PatternOptions::regex());
        // A dialect of its own may leave the keyword out.
        let options = if self.is_of_known_dialect() {
            options.with_keyword(PATTERN, |around, pattern, _| Pattern::keyword(around, pattern))
        } else {
            options
        };
        let options = match self.cut.clone() {
            Some(whole) => options.with_keyword(CUT, move |around, value, _| Cut::keyword(&whole, around, value)),
            None => options,
        };
        self.options.formats.apply(options)
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The draft that a schema is written in, 2020-12 where it declares none, and the dialects of its own between the two.
fn draft_of(
    schema: &Value,
    resources: &BTreeMap<String, Value>,
) -> Result<(Draft, BTreeMap<String, Value>), SchemaError> {
    let mut dialects = BTreeMap::new();
    let mut current = schema;
    loop {
        let draft = Draft::default().detect(current);
        if draft != Draft::Unknown {
            return Ok((draft, dialects));
        }
        let declared = current.get("$schema").and_then(Value::as_str).unwrap_or_default().trim_end_matches('#');
        let known = resources.get_key_value(declared).filter(|(uri, _)| !dialects.contains_key(uri.as_str()));
        let Some((uri, dialect)) = known else {
            return Err(SchemaError::UnknownDialect { dialect: declared.to_owned() });
        };
        dialects.insert(uri.clone(), dialect.clone());
        current = dialect;
    }
}
