//! Reading a schema document into rules.
//!
//! What is understood is what draft 2020-12 says of it, in schemas that stand where the document begins: without names,
//! bases and dialects of their own. A schema with anything else in it becomes one that no value is known to fit.

use std::borrow::Cow;
use std::collections::HashMap;

use super::keywords::Keywords;
use super::object::{Default, ObjectRule, Others, Property};
use super::rules::{InPlace, Kinds, ListRule, NumberRule, Rule, RuleId, Scalar, TextRule};
use super::{Quick, ROOT};
use crate::format::{Checked, Formats};
use crate::pattern::Pattern;
use toolgate_json::{Kind, Node, Tape};

/// Something in a schema that is not understood: unknown here, or wrong.
pub(super) struct Strange;

type Read<T> = Result<T, Strange>;

/// How deep a document may be nested: it is read by recursion.
const MAX_DEPTH: u32 = 48;

const DIALECTS: [&str; 2] =
    ["https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema#"];

/// The largest whole number up to which a double holds every one.
const EXACT: i64 = 1 << 53;

struct Reader<'t, 'f> {
    formats: &'f Formats,
    rules: Vec<Rule>,
    /// The schemas that a reference may name, by the reference.
    named: HashMap<String, RuleId>,
    /// Defaults, to be judged once all schemas are read.
    defaults: Vec<Given<'t>>,
    is_whole: bool,
}

/// A default: of which property of which object, under which schema.
struct Given<'t> {
    object: RuleId,
    place: usize,
    schema: RuleId,
    value: Node<'t>,
}

impl Quick {
    /// Reads a document; none where nothing of it is understood.
    pub(crate) fn read(document: &Tape, formats: &Formats) -> Option<Self> {
        let root = document.root();
        if document.depth() > MAX_DEPTH {
            return None;
        }
        let mut reader =
            Reader { formats, rules: Vec::new(), named: HashMap::new(), defaults: Vec::new(), is_whole: true };
        let id = reader.reserve();
        reader.named.insert("#".to_owned(), id);
        let definitions = reader.definitions(root).ok()?;
        if root.kind() == Kind::Object {
            of_current_dialect(root).ok()?;
        }
        let rule = reader.rule(id, root).ok()?;
        reader.put(id, rule);
        for (id, schema) in definitions {
            reader.read_into(id, schema);
        }
        let Reader { rules, defaults, is_whole, .. } = reader;
        let mut quick = Self { rules: rules.into(), is_whole, is_plain: false };
        for given in defaults {
            quick.judge(&given);
        }
        quick.is_plain = quick.is_plain();
        Some(quick)
    }

    /// Finds out whether a default fits its own schema, and that nothing is filled into it: what holds no object has no
    /// room for that.
    fn judge(&mut self, given: &Given<'_>) {
        let holds_object = given.value.raw().contains('{');
        if holds_object || self.check_against(given.schema, given.value).is_none() {
            return;
        }
        let object = self.rules.get_mut(given.object as usize).and_then(|rule| rule.object.as_mut());
        if let Some(property) = object.and_then(|object| object.properties.get_mut(given.place)) {
            property.default = Default::Sure(given.value.to_value().to_string().into());
        }
    }
}

fn of_current_dialect(root: Node<'_>) -> Read<()> {
    match root.get("$schema") {
        None => Ok(()),
        Some(dialect) if dialect.as_str().is_some_and(|dialect| DIALECTS.contains(&&*dialect)) => Ok(()),
        Some(_) => Err(Strange),
    }
}

impl<'t> Reader<'t, '_> {
    fn reserve(&mut self) -> RuleId {
        let id = RuleId::try_from(self.rules.len()).unwrap_or(RuleId::MAX);
        self.rules.push(Rule::never());
        id
    }

    fn put(&mut self, id: RuleId, rule: Rule) {
        if let Some(slot) = self.rules.get_mut(id as usize) {
            *slot = rule;
        }
    }

    /// The schemas that references may name, still to be read.
    fn definitions(&mut self, root: Node<'t>) -> Read<Vec<(RuleId, Node<'t>)>> {
        let mut definitions = Vec::new();
        for place in ["$defs", "definitions"] {
            let Some(named) = root.get(place) else { continue };
            for (name, schema) in members(Some(named))? {
                let id = self.reserve();
                // A name with other signs is written in more than one way.
                if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')) {
                    self.named.insert(format!("#/{place}/{name}"), id);
                }
                definitions.push((id, schema));
            }
        }
        Ok(definitions)
    }

    fn schema(&mut self, schema: Node<'t>) -> RuleId {
        let id = self.reserve();
        self.read_into(id, schema);
        id
    }

    fn read_into(&mut self, id: RuleId, schema: Node<'t>) {
        match self.rule(id, schema) {
            Ok(rule) => self.put(id, rule),
            Err(Strange) => self.is_whole = false,
        }
    }

    fn rule(&mut self, id: RuleId, schema: Node<'t>) -> Read<Rule> {
        match (schema.kind(), schema.as_bool()) {
            (_, Some(true)) => return Ok(Rule::default()),
            (_, Some(false)) => return Ok(Rule::never()),
            (Kind::Object, _) => {}
            _ => return Err(Strange),
        }
        let keywords = Keywords::of(schema)?;
        let Keywords { dialect, definitions, older_definitions, .. } = keywords;
        if id != ROOT && [dialect, definitions, older_definitions].iter().any(Option::is_some) {
            return Err(Strange);
        }
        let object = self.object(id, &keywords)?.map(Box::new);
        let list = self.list(&keywords)?.map(Box::new);
        let in_place = self.in_place(&keywords, object.is_none() && list.is_none())?.map(Box::new);
        Ok(Rule {
            kinds: kinds(keywords.types)?,
            among: among(&keywords)?,
            text: self.text(&keywords)?.map(Box::new),
            number: number(&keywords)?.map(Box::new),
            list,
            object,
            in_place,
        })
    }

    fn in_place(&mut self, keywords: &Keywords<'t>, says_nothing_else: bool) -> Read<Option<InPlace>> {
        let mut all = Vec::new();
        if let Some(reference) = keywords.reference {
            let reference = reference.as_str().ok_or(Strange)?;
            all.push(*self.named.get(&*reference).ok_or(Strange)?);
        }
        all.extend(self.schemas(keywords.all_of)?);
        let any = self.schemas(keywords.any_of)?;
        let passes_on = says_nothing_else && any.is_empty() && all.len() == 1;
        let is_there = !(all.is_empty() && any.is_empty());
        Ok(is_there.then(|| InPlace { all: all.into(), any: any.into(), passes_on }))
    }

    /// A list of schemas, which holds one at least.
    fn schemas(&mut self, list: Option<Node<'t>>) -> Read<Vec<RuleId>> {
        let Some(list) = list else { return Ok(Vec::new()) };
        if list.kind() != Kind::Array || list.is_empty() {
            return Err(Strange);
        }
        Ok(list.elements().map(|schema| self.schema(schema)).collect())
    }

    fn object(&mut self, id: RuleId, keywords: &Keywords<'t>) -> Read<Option<ObjectRule>> {
        let Keywords { properties, required, additional_properties, min_properties, max_properties, .. } = keywords;
        if [properties, required, additional_properties, min_properties, max_properties].iter().all(|it| it.is_none()) {
            return Ok(None);
        }
        let required = names(*required)?;
        let mut all = Vec::new();
        for (place, (name, schema)) in members(*properties)?.enumerate() {
            let rule = self.schema(schema);
            let default = schema.get("default");
            self.defaults.extend(default.map(|value| Given { object: id, place, schema: rule, value }));
            let default = if default.is_some() { Default::Unsure } else { Default::None };
            all.push(Property::new(&name, Some(rule), required.iter().any(|required| *required == name), default));
        }
        for name in &required {
            if !all.iter().any(|property| *property.name == **name) {
                all.push(Property::new(name, None, true, Default::None));
            }
        }
        let others = match additional_properties {
            None => Others::Anything,
            Some(schema) if schema.as_bool() == Some(true) => Others::Anything,
            Some(schema) if schema.as_bool() == Some(false) => Others::Refused,
            Some(schema) => Others::Fitting(self.schema(*schema)),
        };
        let bounds = (count(*min_properties)?.unwrap_or(0), count(*max_properties)?.unwrap_or(u64::MAX));
        ObjectRule::new(bounds, all, others).map(Some).ok_or(Strange)
    }

    fn list(&mut self, keywords: &Keywords<'t>) -> Read<Option<ListRule>> {
        let Keywords { items, prefix_items, min_items, max_items, unique_items, .. } = keywords;
        if [items, prefix_items, min_items, max_items, unique_items].iter().all(|it| it.is_none()) {
            return Ok(None);
        }
        let leading = self.schemas(*prefix_items)?.into();
        let items = items.filter(|items| items.as_bool() != Some(true)).map(|items| self.schema(items));
        let (least, most) = (count(*min_items)?.unwrap_or(0), count(*max_items)?.unwrap_or(u64::MAX));
        let is_unique = unique_items.map_or(Ok(false), |unique| unique.as_bool().ok_or(Strange))?;
        Ok(Some(ListRule { least, most, is_unique, leading, items }))
    }

    fn text(&self, keywords: &Keywords<'t>) -> Read<Option<TextRule>> {
        let Keywords { min_length, max_length, pattern, format, .. } = keywords;
        let least = count(*min_length)?.unwrap_or(0);
        let most = count(*max_length)?.unwrap_or(u64::MAX);
        let compiled = |pattern: Node<'_>| Pattern::of(&pattern.as_str().ok_or(Strange)?).map_err(|_| Strange);
        let pattern = pattern.map(compiled).transpose()?;
        let format = match format.map(|format| format.as_str().ok_or(Strange)).transpose()? {
            None => None,
            Some(name) => match self.formats.check(&name) {
                Checked::By(check) => Some(check),
                Checked::Note => None,
                Checked::Otherwise => return Err(Strange),
            },
        };
        let is_there = least > 0 || most < u64::MAX || pattern.is_some() || format.is_some();
        Ok(is_there.then_some(TextRule { least, most, pattern, format }))
    }
}

fn kinds(types: Option<Node<'_>>) -> Read<Kinds> {
    let Some(types) = types else { return Ok(Kinds::default()) };
    if let Some(name) = types.as_str() {
        return Kinds::named(&name).ok_or(Strange);
    }
    let names = names(Some(types))?;
    if names.is_empty() {
        return Err(Strange);
    }
    names.iter().try_fold(Kinds::NONE, |all, name| Some(all.and(Kinds::named(name)?))).ok_or(Strange)
}

fn among(keywords: &Keywords<'_>) -> Read<Option<Box<[Scalar]>>> {
    match (keywords.among, keywords.constant) {
        (None, None) => Ok(None),
        (None, Some(value)) => Ok(Some([scalar(value)?].into())),
        (Some(values), None) if values.kind() == Kind::Array && !values.is_empty() => {
            Ok(Some(values.elements().map(scalar).collect::<Read<_>>()?))
        }
        _ => Err(Strange),
    }
}

fn scalar(value: Node<'_>) -> Read<Scalar> {
    Ok(match value.kind() {
        Kind::Null => Scalar::Null,
        Kind::Bool => Scalar::Bool(value.as_bool() == Some(true)),
        Kind::Number => Scalar::Number(limit(value)?),
        Kind::String => Scalar::Text((*value.as_str().ok_or(Strange)?).into()),
        Kind::Array | Kind::Object => return Err(Strange),
    })
}

fn number(keywords: &Keywords<'_>) -> Read<Option<NumberRule>> {
    let Keywords { minimum, maximum, above, below, multiple_of, .. } = keywords;
    if [minimum, maximum, above, below, multiple_of].iter().all(|it| it.is_none()) {
        return Ok(None);
    }
    let or = |node: &Option<Node<'_>>, otherwise| node.map_or(Ok(otherwise), limit);
    Ok(Some(NumberRule {
        minimum: or(minimum, f64::NEG_INFINITY)?,
        maximum: or(maximum, f64::INFINITY)?,
        above: or(above, f64::NEG_INFINITY)?,
        below: or(below, f64::INFINITY)?,
        multiple_of: multiple_of.map(divisor).transpose()?,
    }))
}

/// A number that a double holds exactly.
fn limit(node: Node<'_>) -> Read<f64> {
    if node.is_written_as_integer() {
        let number: i64 = node.as_number().ok_or(Strange)?.parse().map_err(|_| Strange)?;
        if number.abs() > EXACT {
            return Err(Strange);
        }
    }
    node.as_f64().filter(|number| number.is_finite()).ok_or(Strange)
}

fn divisor(node: Node<'_>) -> Read<i64> {
    let number = node.as_number().filter(|_| node.is_written_as_integer()).and_then(|number| number.parse().ok());
    number.filter(|number| (1..=EXACT).contains(number)).ok_or(Strange)
}

/// A number of characters, elements or members.
fn count(node: Option<Node<'_>>) -> Read<Option<u64>> {
    let Some(node) = node else { return Ok(None) };
    let number = node.as_number().filter(|_| node.is_written_as_integer());
    Ok(Some(number.ok_or(Strange)?.parse().map_err(|_| Strange)?))
}

/// A list of strings of which none is there twice.
fn names(list: Option<Node<'_>>) -> Read<Vec<String>> {
    let Some(list) = list else { return Ok(Vec::new()) };
    if list.kind() != Kind::Array {
        return Err(Strange);
    }
    let mut names: Vec<String> = Vec::with_capacity(list.len());
    for name in list.elements() {
        let name = name.as_str().ok_or(Strange)?.into_owned();
        if names.contains(&name) {
            return Err(Strange);
        }
        names.push(name);
    }
    Ok(names)
}

/// The members of an object; none where there is none.
fn members(object: Option<Node<'_>>) -> Read<impl Iterator<Item = (Cow<'_, str>, Node<'_>)>> {
    if object.is_some_and(|object| object.kind() != Kind::Object) {
        return Err(Strange);
    }
    Ok(object.into_iter().flat_map(|object| object.members()))
}
