//! Groups: their names, flags and comments, and groups that give nothing back.

use super::flags::Flags;
use super::{NoForm, Translator, UNKNOWN};

pub(super) const NOT_ATOMIC: NoForm = "JavaScript has no possessive repetitions and atomic groups: write `a+` instead of `a++`, `(?:a)` instead of `(?>a)`";
const NO_RECURSION: NoForm =
    "JavaScript has no recursion, conditions and branch resets: check the structure in the handler";
const SAME_NAME: NoForm = "give each group a name of its own";

/// A group that is still open.
pub(super) struct OpenGroup {
    /// The flags outside.
    flags: Flags,
    /// Where the group begins in the translation; `None` if it can't be repeated.
    start: Option<usize>,
    /// What ends it in the translation.
    end: String,
}

impl<'p> Translator<'p> {
    /// A group after its bracket.
    pub(super) fn open_group(&mut self) -> Result<(), NoForm> {
        if !self.eat("?") {
            self.open("(", ")");
            return Ok(());
        }
        for look in ["=", "!", "<=", "<!"] {
            if self.eat(look) {
                self.open(&format!("(?{look}"), ")");
                // A look-around can't be repeated.
                self.open.last_mut().iter_mut().for_each(|group| group.start = None);
                return Ok(());
            }
        }
        if self.eat("#") {
            return self.until(")").map(drop);
        }
        if self.eat(">") {
            let (before, after) = self.atomic_group();
            self.open(&before, &after);
            return Ok(());
        }
        if let Some(name) = self.group_name()? {
            return self.named_group(name);
        }
        if self.eat("P=") {
            let name = self.until(")")?;
            self.term(&format!("\\k<{name}>"));
            return Ok(());
        }
        self.flags_group()
    }

    fn open(&mut self, text: &str, end: &str) {
        let start = Some(self.written.len());
        self.open.push(OpenGroup { flags: self.flags, start, end: end.to_owned() });
        self.assertion(text);
    }

    pub(super) fn close_group(&mut self) -> Result<(), NoForm> {
        let group = self.open.pop().ok_or(UNKNOWN)?;
        self.written.push_str(&group.end);
        self.flags = group.flags;
        self.term = group.start;
        Ok(())
    }

    /// `P<n>`, `<n>`, `'n'`: the name of a group.
    fn group_name(&mut self) -> Result<Option<&'p str>, NoForm> {
        if self.eat("P<") || self.eat("<") {
            return self.until(">").map(Some);
        }
        if self.eat("'") { self.until("'").map(Some) } else { Ok(None) }
    }

    /// A second group of a name loses it, unless the pattern refers to it.
    fn named_group(&mut self, name: &'p str) -> Result<(), NoForm> {
        match self.names.insert(name) {
            true => self.open(&format!("(?<{name}>"), ")"),
            false if self.has_named_references => return Err(SAME_NAME),
            false => self.open("(", ")"),
        }
        Ok(())
    }

    /// `(?:…)`, `(?i:…)`, or `(?i)`, whose flags hold to the end of the group around it.
    fn flags_group(&mut self) -> Result<(), NoForm> {
        let end = self.rest.find([':', ')']).ok_or(UNKNOWN)?;
        let (letters, rest) = self.rest.split_at_checked(end).ok_or(UNKNOWN)?;
        let are_flags = letters.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
        if !are_flags || letters == "R" {
            return Err(NO_RECURSION);
        }
        let changed = self.flags.changed(letters)?;
        self.rest = rest;
        if self.eat(":") {
            self.open("(?:", ")");
        } else {
            self.eat(")");
        }
        self.flags = changed;
        Ok(())
    }

    /// What stands before and after a part that gives nothing back: a look-ahead keeps what it matched first.
    pub(super) fn atomic_group(&mut self) -> (String, String) {
        self.added_groups += 1;
        let mut name = format!("atomic{}", self.added_groups);
        while self.rest.contains(&name) || self.names.contains(&*name) {
            name.push('_');
        }
        (format!("(?:(?=(?<{name}>"), format!("))\\k<{name}>)"))
    }
}
