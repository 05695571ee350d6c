//! Compiles a schema document into rules.
//!
//! Supports draft 2020-12, without identifiers, base URIs and dialects below the root. A schema with anything else
//! becomes a rule that accepts no value, so its values stay undetermined.

use std::borrow::Cow;
use std::collections::HashMap;

use super::keywords::SupportedKeywords;
use super::object::{AdditionalProperties, DefaultRule, ObjectRule, PropertyRule};
use super::rules::{ArrayRule, InPlaceRules, NumberRule, Rule, RuleId, Scalar, StringRule, TypeSet};
use super::{FastPath, ROOT};
use crate::format::{FormatHandling, Formats};
use crate::pattern::Pattern;
use toolgate_json::{Kind, Node, Tape};

/// The error of an unsupported or invalid schema.
pub(super) struct Unsupported;

type ReadResult<T> = Result<T, Unsupported>;

/// The deepest nesting of a supported document: it is read recursively.
const MAX_DEPTH: u32 = 48;

const SUPPORTED_DIALECTS: [&str; 2] =
    ["https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema#"];

/// The largest number up to which a double represents every integer exactly.
const MAX_EXACT_INTEGER: i64 = 1 << 53;

struct SchemaReader<'t, 'f> {
    formats: &'f Formats,
    rules: Vec<Rule>,
    /// The referable schemas, by reference.
    by_reference: HashMap<String, RuleId>,
    /// Defaults, to be checked after all schemas are read.
    defaults: Vec<PendingDefault<'t>>,
    is_whole: bool,
}

/// A default to be checked: its object, property and schema.
struct PendingDefault<'t> {
    object: RuleId,
    property_index: usize,
    schema: RuleId,
    value: Node<'t>,
}

impl FastPath {
    /// Compiles a document; `None` if its root is not supported.
    pub(crate) fn compile(document: &Tape, formats: &Formats) -> Option<Self> {
        let root = document.root();
        if document.depth() > MAX_DEPTH {
            return None;
        }
        let mut reader = SchemaReader {
            formats,
            rules: Vec::new(),
            by_reference: HashMap::new(),
            defaults: Vec::new(),
            is_whole: true,
        };
        let id = reader.reserve();
        reader.by_reference.insert("#".to_owned(), id);
        let definitions = reader.read_definitions(root).ok()?;
        if root.kind() == Kind::Object {
            require_current_dialect(root).ok()?;
        }
        let rule = reader.read_rule(id, root).ok()?;
        reader.set_rule(id, rule);
        for (id, schema) in definitions {
            reader.read_into(id, schema);
        }
        let SchemaReader { rules, defaults, is_whole, .. } = reader;
        let mut quick = Self { rules: rules.into(), is_whole };
        for given in defaults {
            quick.check_default(&given);
        }
        Some(quick)
    }

    /// Checks whether a default matches its own schema and no defaults are filled into it: a default without objects
    /// has no place for them.
    fn check_default(&mut self, given: &PendingDefault<'_>) {
        let holds_object = given.value.raw().contains('{');
        if holds_object || self.check_against(given.schema, given.value).is_none() {
            return;
        }
        let object = self.rules.get_mut(given.object as usize).and_then(|rule| rule.object.as_mut());
        if let Some(property) = object.and_then(|object| object.properties.get_mut(given.property_index)) {
            property.default = DefaultRule::Known(given.value.to_value().to_string().into());
        }
    }
}

fn require_current_dialect(root: Node<'_>) -> ReadResult<()> {
    match root.get("$schema") {
        None => Ok(()),
        Some(dialect) if dialect.as_str().is_some_and(|dialect| SUPPORTED_DIALECTS.contains(&&*dialect)) => Ok(()),
        Some(_) => Err(Unsupported),
    }
}

impl<'t> SchemaReader<'t, '_> {
    fn reserve(&mut self) -> RuleId {
        let id = RuleId::try_from(self.rules.len()).unwrap_or(RuleId::MAX);
        self.rules.push(Rule::never());
        id
    }

    fn set_rule(&mut self, id: RuleId, rule: Rule) {
        if let Some(slot) = self.rules.get_mut(id as usize) {
            *slot = rule;
        }
    }

    /// Reserves the referable schemas, to be read later.
    fn read_definitions(&mut self, root: Node<'t>) -> ReadResult<Vec<(RuleId, Node<'t>)>> {
        let mut definitions = Vec::new();
        for place in ["$defs", "definitions"] {
            let Some(named) = root.get(place) else { continue };
            for (name, schema) in object_members(Some(named))? {
                let id = self.reserve();
                // A name with other characters has more than one encoding in a reference.
                if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')) {
                    self.by_reference.insert(format!("#/{place}/{name}"), id);
                }
                definitions.push((id, schema));
            }
        }
        Ok(definitions)
    }

    fn read_schema(&mut self, schema: Node<'t>) -> RuleId {
        let id = self.reserve();
        self.read_into(id, schema);
        id
    }

    fn read_into(&mut self, id: RuleId, schema: Node<'t>) {
        match self.read_rule(id, schema) {
            Ok(rule) => self.set_rule(id, rule),
            Err(Unsupported) => self.is_whole = false,
        }
    }

    fn read_rule(&mut self, id: RuleId, schema: Node<'t>) -> ReadResult<Rule> {
        match (schema.kind(), schema.as_bool()) {
            (_, Some(true)) => return Ok(Rule::default()),
            (_, Some(false)) => return Ok(Rule::never()),
            (Kind::Object, _) => {}
            _ => return Err(Unsupported),
        }
        let keywords = SupportedKeywords::from_schema(schema)?;
        let SupportedKeywords { dialect, definitions, older_definitions, .. } = keywords;
        if id != ROOT && [dialect, definitions, older_definitions].iter().any(Option::is_some) {
            return Err(Unsupported);
        }
        let object = self.read_object(id, &keywords)?.map(Box::new);
        let list = self.read_array(&keywords)?.map(Box::new);
        let in_place = self.read_in_place(&keywords, object.is_none() && list.is_none())?.map(Box::new);
        Ok(Rule {
            types: read_types(keywords.types)?,
            allowed_values: read_allowed_values(&keywords)?,
            string: self.read_string(&keywords)?.map(Box::new),
            number: read_number(&keywords)?.map(Box::new),
            array: list,
            object,
            in_place,
        })
    }

    fn read_in_place(
        &mut self,
        keywords: &SupportedKeywords<'t>,
        says_nothing_else: bool,
    ) -> ReadResult<Option<InPlaceRules>> {
        let mut all = Vec::new();
        if let Some(reference) = keywords.reference {
            let reference = reference.as_str().ok_or(Unsupported)?;
            all.push(*self.by_reference.get(&*reference).ok_or(Unsupported)?);
        }
        all.extend(self.read_schemas(keywords.all_of)?);
        let any = self.read_schemas(keywords.any_of)?;
        let passes_on = says_nothing_else && any.is_empty() && all.len() == 1;
        let is_there = !(all.is_empty() && any.is_empty());
        Ok(is_there.then(|| InPlaceRules { all: all.into(), any: any.into(), is_transparent: passes_on }))
    }

    /// Reads a list of at least one schema.
    fn read_schemas(&mut self, list: Option<Node<'t>>) -> ReadResult<Vec<RuleId>> {
        let Some(list) = list else { return Ok(Vec::new()) };
        if list.kind() != Kind::Array || list.is_empty() {
            return Err(Unsupported);
        }
        Ok(list.elements().map(|schema| self.read_schema(schema)).collect())
    }

    fn read_object(&mut self, id: RuleId, keywords: &SupportedKeywords<'t>) -> ReadResult<Option<ObjectRule>> {
        let SupportedKeywords { properties, required, additional_properties, min_properties, max_properties, .. } =
            keywords;
        if [properties, required, additional_properties, min_properties, max_properties].iter().all(|it| it.is_none()) {
            return Ok(None);
        }
        let required = read_unique_strings(*required)?;
        let mut all = Vec::new();
        for (place, (name, schema)) in object_members(*properties)?.enumerate() {
            let rule = self.read_schema(schema);
            let default = schema.get("default");
            self.defaults.extend(default.map(|value| PendingDefault {
                object: id,
                property_index: place,
                schema: rule,
                value,
            }));
            let default = if default.is_some() { DefaultRule::Unknown } else { DefaultRule::None };
            all.push(PropertyRule::new(&name, Some(rule), required.iter().any(|required| *required == name), default));
        }
        for name in &required {
            if !all.iter().any(|property| *property.name == **name) {
                all.push(PropertyRule::new(name, None, true, DefaultRule::None));
            }
        }
        let others = match additional_properties {
            None => AdditionalProperties::Allowed,
            Some(schema) if schema.as_bool() == Some(true) => AdditionalProperties::Allowed,
            Some(schema) if schema.as_bool() == Some(false) => AdditionalProperties::Refused,
            Some(schema) => AdditionalProperties::Matching(self.read_schema(*schema)),
        };
        let bounds = (read_count(*min_properties)?.unwrap_or(0), read_count(*max_properties)?.unwrap_or(u64::MAX));
        ObjectRule::new(bounds, all, others).map(Some).ok_or(Unsupported)
    }

    fn read_array(&mut self, keywords: &SupportedKeywords<'t>) -> ReadResult<Option<ArrayRule>> {
        let SupportedKeywords { items, prefix_items, min_items, max_items, unique_items, .. } = keywords;
        if [items, prefix_items, min_items, max_items, unique_items].iter().all(|it| it.is_none()) {
            return Ok(None);
        }
        let leading = self.read_schemas(*prefix_items)?.into();
        let items = items.filter(|items| items.as_bool() != Some(true)).map(|items| self.read_schema(items));
        let (least, most) = (read_count(*min_items)?.unwrap_or(0), read_count(*max_items)?.unwrap_or(u64::MAX));
        let is_unique = unique_items.map_or(Ok(false), |unique| unique.as_bool().ok_or(Unsupported))?;
        Ok(Some(ArrayRule { min_items: least, max_items: most, is_unique, prefix_items: leading, items }))
    }

    fn read_string(&self, keywords: &SupportedKeywords<'t>) -> ReadResult<Option<StringRule>> {
        let SupportedKeywords { min_length, max_length, pattern, format, .. } = keywords;
        let least = read_count(*min_length)?.unwrap_or(0);
        let most = read_count(*max_length)?.unwrap_or(u64::MAX);
        // A match without a result is an error, which this path cannot return.
        let compiled = |pattern: Node<'_>| {
            Pattern::compile(&pattern.as_str().ok_or(Unsupported)?).ok().filter(Pattern::is_linear).ok_or(Unsupported)
        };
        let pattern = pattern.map(compiled).transpose()?;
        let format = match format.map(|format| format.as_str().ok_or(Unsupported)).transpose()? {
            None => None,
            Some(name) => match self.formats.handling(&name) {
                FormatHandling::Check(check) => Some(check),
                FormatHandling::Annotation => None,
                FormatHandling::ValidatorOnly => return Err(Unsupported),
            },
        };
        let is_there = least > 0 || most < u64::MAX || pattern.is_some() || format.is_some();
        Ok(is_there.then_some(StringRule { min_length: least, max_length: most, pattern, format }))
    }
}

fn read_types(types: Option<Node<'_>>) -> ReadResult<TypeSet> {
    let Some(types) = types else { return Ok(TypeSet::default()) };
    if let Some(name) = types.as_str() {
        return TypeSet::from_type_name(&name).ok_or(Unsupported);
    }
    let names = read_unique_strings(Some(types))?;
    if names.is_empty() {
        return Err(Unsupported);
    }
    names.iter().try_fold(TypeSet::NONE, |all, name| Some(all.union(TypeSet::from_type_name(name)?))).ok_or(Unsupported)
}

fn read_allowed_values(keywords: &SupportedKeywords<'_>) -> ReadResult<Option<Box<[Scalar]>>> {
    match (keywords.among, keywords.constant) {
        (None, None) => Ok(None),
        (None, Some(value)) => Ok(Some([read_scalar(value)?].into())),
        (Some(values), None) if values.kind() == Kind::Array && !values.is_empty() => {
            Ok(Some(values.elements().map(read_scalar).collect::<ReadResult<_>>()?))
        }
        _ => Err(Unsupported),
    }
}

fn read_scalar(value: Node<'_>) -> ReadResult<Scalar> {
    Ok(match value.kind() {
        Kind::Null => Scalar::Null,
        Kind::Bool => Scalar::Bool(value.as_bool() == Some(true)),
        Kind::Number => Scalar::Number(read_exact_number(value)?),
        Kind::String => Scalar::String((*value.as_str().ok_or(Unsupported)?).into()),
        Kind::Array | Kind::Object => return Err(Unsupported),
    })
}

fn read_number(keywords: &SupportedKeywords<'_>) -> ReadResult<Option<NumberRule>> {
    let SupportedKeywords { minimum, maximum, above, below, multiple_of, .. } = keywords;
    if [minimum, maximum, above, below, multiple_of].iter().all(|it| it.is_none()) {
        return Ok(None);
    }
    let or = |node: &Option<Node<'_>>, otherwise| node.map_or(Ok(otherwise), read_exact_number);
    Ok(Some(NumberRule {
        minimum: or(minimum, f64::NEG_INFINITY)?,
        maximum: or(maximum, f64::INFINITY)?,
        exclusive_minimum: or(above, f64::NEG_INFINITY)?,
        exclusive_maximum: or(below, f64::INFINITY)?,
        multiple_of: multiple_of.map(read_divisor).transpose()?,
    }))
}

/// A number that a double represents exactly.
fn read_exact_number(node: Node<'_>) -> ReadResult<f64> {
    if node.is_written_as_integer() {
        let number: i64 = node.as_number().ok_or(Unsupported)?.parse().map_err(|_| Unsupported)?;
        if number.abs() > MAX_EXACT_INTEGER {
            return Err(Unsupported);
        }
    }
    node.as_f64().filter(|number| number.is_finite()).ok_or(Unsupported)
}

fn read_divisor(node: Node<'_>) -> ReadResult<i64> {
    let number = node.as_number().filter(|_| node.is_written_as_integer()).and_then(|number| number.parse().ok());
    number.filter(|number| (1..=MAX_EXACT_INTEGER).contains(number)).ok_or(Unsupported)
}

/// A number of characters, elements or members.
fn read_count(node: Option<Node<'_>>) -> ReadResult<Option<u64>> {
    let Some(node) = node else { return Ok(None) };
    let number = node.as_number().filter(|_| node.is_written_as_integer());
    Ok(Some(number.ok_or(Unsupported)?.parse().map_err(|_| Unsupported)?))
}

/// A list of distinct strings.
fn read_unique_strings(list: Option<Node<'_>>) -> ReadResult<Vec<String>> {
    let Some(list) = list else { return Ok(Vec::new()) };
    if list.kind() != Kind::Array {
        return Err(Unsupported);
    }
    let mut names: Vec<String> = Vec::with_capacity(list.len());
    for name in list.elements() {
        let name = name.as_str().ok_or(Unsupported)?.into_owned();
        if names.contains(&name) {
            return Err(Unsupported);
        }
        names.push(name);
    }
    Ok(names)
}

/// The members of an object; empty if it is absent.
fn object_members(object: Option<Node<'_>>) -> ReadResult<impl Iterator<Item = (Cow<'_, str>, Node<'_>)>> {
    if object.is_some_and(|object| object.kind() != Kind::Object) {
        return Err(Unsupported);
    }
    Ok(object.into_iter().flat_map(|object| object.members()))
}
