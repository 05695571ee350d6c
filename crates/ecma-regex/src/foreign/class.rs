//! Classes of characters: POSIX names, hyphens beside sets, escapes that the flag `u` forbids.

use super::escape::Escape;
use super::flags::{NO_FLAG, escaped};
use super::{NoForm, Translator, UNKNOWN};

/// The POSIX classes of ASCII as items of an ECMAScript class.
const POSIX: [(&str, &str); 14] = [
    ("alnum", "0-9A-Za-z"),
    ("alpha", "A-Za-z"),
    ("ascii", "\\x00-\\x7F"),
    ("blank", " \\t"),
    ("cntrl", "\\x00-\\x1F\\x7F"),
    ("digit", "0-9"),
    ("graph", "\\x21-\\x7E"),
    ("lower", "a-z"),
    ("print", "\\x20-\\x7E"),
    ("punct", "!-\\/:-@\\[-`\\{-~"),
    ("space", "\\s"),
    ("upper", "A-Z"),
    ("word", "\\w"),
    ("xdigit", "0-9A-Fa-f"),
];

/// The POSIX classes whose complement is an item too.
const POSIX_COMPLEMENTS: [(&str, &str); 3] = [("digit", "\\D"), ("space", "\\S"), ("word", "\\W")];

const EMPTY: NoForm = "`[]` is an empty class in JavaScript: write `[\\]…]` for a class with a bracket";
const NO_SETS: NoForm = "JavaScript has no `&&` in a class: put a look-ahead before the class, as in `(?![ab])[a-z]`";

/// An item of a class.
enum Item {
    Character(Option<char>, String),
    Set(String),
    Hyphen,
}

impl Item {
    /// What can bound a range: a character, and how it is written.
    fn character(&self) -> Option<(Option<char>, &str)> {
        match self {
            Self::Character(character, text) => Some((*character, text)),
            Self::Hyphen => Some((Some('-'), "\\-")),
            Self::Set(_) => None,
        }
    }
}

impl Translator<'_> {
    /// A class after its bracket.
    pub(super) fn class(&mut self) -> Result<(), NoForm> {
        let start = if self.eat("^") { "[^" } else { "[" };
        if self.rest.starts_with(']') {
            return Err(EMPTY);
        }
        let mut items = Vec::new();
        while !self.eat("]") {
            items.push(self.class_item()?);
        }
        let text = self.class_text(&items);
        self.term(&format!("{start}{text}]"));
        Ok(())
    }

    fn class_item(&mut self) -> Result<Item, NoForm> {
        if self.rest.starts_with("&&[") {
            return Err(NO_SETS);
        }
        if let Some(set) = self.posix_class()? {
            return Ok(Item::Set(set));
        }
        Ok(match self.next().ok_or(UNKNOWN)? {
            '-' => Item::Hyphen,
            '\\' => match self.escape_sequence()? {
                Escape::Character(character, text) => Item::Character(character, text),
                Escape::Set(text) => Item::Set(text),
                Escape::Other(text) if text == "\\b" => Item::Character(None, text),
                Escape::Other(_) => return Err(UNKNOWN),
            },
            character => Item::Character(Some(character), class_character(character)),
        })
    }

    /// `[:alpha:]`, `[:^digit:]`.
    fn posix_class(&mut self) -> Result<Option<String>, NoForm> {
        let Some((name, rest)) = self.rest.strip_prefix("[:").and_then(|inner| inner.split_once(":]")) else {
            return Ok(None);
        };
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'^');
        if !is_name {
            return Ok(None);
        }
        self.rest = rest;
        if self.flags.ignores_case && ["lower", "upper"].contains(&name) {
            return Err(NO_FLAG);
        }
        let found = match name.strip_prefix('^') {
            Some(name) => POSIX_COMPLEMENTS.iter().find(|(known, _)| *known == name),
            None => POSIX.iter().find(|(known, _)| *known == name),
        };
        found.map(|(_, items)| Some((*items).to_owned())).ok_or(UNKNOWN)
    }

    /// The items with ranges between characters only: any other hyphen stands for itself.
    fn class_text(&self, mut items: &[Item]) -> String {
        let mut text = String::new();
        while let Some((first, after)) = items.split_first() {
            items = after;
            match (first.character(), after) {
                (Some((from, start)), [Item::Hyphen, end, rest @ ..]) if end.character().is_some() => {
                    let (to, end) = end.character().unwrap_or_default();
                    text.extend([start, "-", end, &self.cases(from, to)]);
                    items = rest;
                }
                (Some((character, written)), _) => text.extend([written, &self.cases(character, character)]),
                (None, _) => {
                    if let Item::Set(set) = first {
                        text.push_str(set);
                    }
                }
            }
        }
        text
    }

    fn cases(&self, from: Option<char>, to: Option<char>) -> String {
        from.zip(to).map(|(from, to)| self.flags.other_cases(from, to)).unwrap_or_default()
    }
}

/// A character of a class that stands for itself. Few need a backslash there.
fn class_character(character: char) -> String {
    if "[]\\^".contains(character) { escaped(character) } else { character.to_string() }
}
