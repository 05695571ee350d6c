//! A copy of a recursive schema in which recursion is cut, for explaining what is wrong.
//!
//! The validator explains every alternative of `anyOf` and `oneOf` to the bottom. Where alternatives recurse, that doubles
//! with every level of the value. Here a reference that recurses only says whether its target fits; explaining goes on
//! below it afterwards, and only in the alternative that is told.

use std::collections::BTreeSet;
use std::sync::Arc;

use jsonschema::{Draft, Keyword, ValidationError, Validator};
use serde_json::{Map, Value};

use super::document::Document;
use super::plan::{Plan, Reference};
use super::representation::OnTape;
use super::{CompileOptions, SchemaError};
use toolgate_json::Node;

/// The keyword that stands in place of a `$ref` that recurses; its value is the number of the target.
pub(super) const CUT: &str = "toolgate:cut";

/// Validators with recursion cut: of the whole schema, and of each target.
pub(super) struct Shallow {
    pub(super) root: Validator<OnTape>,
    targets: Vec<Target>,
}

struct Target {
    /// JSON Pointer of the schema.
    pointer: String,
    validator: Validator<OnTape>,
}

impl Shallow {
    /// Cuts a schema; `None` where it does not recurse.
    pub(super) fn build(schema: &Value, plan: &Plan, options: &CompileOptions) -> Result<Option<Self>, SchemaError> {
        let references = plan.recursive_references();
        if references.is_empty() {
            return Ok(None);
        }
        let targets: Vec<&str> =
            references.iter().map(|reference| reference.target.as_str()).collect::<BTreeSet<_>>().into_iter().collect();
        let document = Document::new(schema, options)?;
        let whole: Vec<_> = targets.iter().map(|target| document.validator_of(target)).collect::<Result<_, _>>()?;
        let mut cut = schema.clone();
        for reference in references {
            if let Ok(number) = targets.binary_search(&reference.target.as_str()) {
                cut_reference(&mut cut, reference, number, document.draft);
            }
        }
        let document = Document::new(&cut, options)?.with_cut(Arc::new(whole));
        let shallow_target =
            |pointer: &&str| Ok(Target { pointer: (*pointer).to_owned(), validator: document.validator_of(pointer)? });
        let targets = targets.iter().map(shallow_target).collect::<Result<_, SchemaError>>()?;
        Ok(Some(Self { root: document.validator()?, targets }))
    }

    /// The validator and the pointer of a target, by the message of the error that its cut made.
    pub(super) fn target(&self, message: &str) -> Option<(usize, &Validator<OnTape>, &str)> {
        let number = message.parse().ok()?;
        let target = self.targets.get(number)?;
        Some((number, &target.validator, &target.pointer))
    }
}

/// Puts the cut in place of a reference. Up to draft 7 nothing beside a `$ref` counts, so that it must go as well.
fn cut_reference(schema: &mut Value, reference: &Reference, number: usize, draft: Draft) {
    let Some(holder) = schema.pointer_mut(&reference.holder).and_then(Value::as_object_mut) else { return };
    if matches!(draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7) {
        let kept = ["definitions", "$defs", "$schema"];
        *holder = std::mem::take(holder).into_iter().filter(|(name, _)| kept.contains(&name.as_str())).collect();
    }
    holder.remove("$ref");
    holder.insert(CUT.to_owned(), number.into());
}

/// A target that has been cut off: fits or not.
pub(super) struct Cut {
    whole: Arc<Vec<Validator<OnTape>>>,
    number: usize,
}

impl Cut {
    /// The keyword, as the validator's builder asks for it.
    pub(super) fn keyword<'s>(
        whole: &Arc<Vec<Validator<OnTape>>>,
        _around: &'s Map<String, Value>,
        number: &'s Value,
    ) -> Result<Box<dyn for<'i> Keyword<'i, OnTape>>, ValidationError<'s>> {
        let number = number.as_u64().and_then(|number| usize::try_from(number).ok());
        let number = number.ok_or_else(|| ValidationError::schema("the number of a target"))?;
        Ok(Box::new(Self { whole: Arc::clone(whole), number }))
    }
}

impl<'i> Keyword<'i, OnTape> for Cut {
    fn validate(&self, node: Node<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(node) { Ok(()) } else { Err(ValidationError::custom(self.number.to_string())) }
    }

    fn is_valid(&self, node: Node<'i>) -> bool {
        self.whole.get(self.number).is_some_and(|validator| validator.is_valid(node))
    }
}
