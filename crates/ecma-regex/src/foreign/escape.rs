//! Escapes, in a class and outside.

use super::flags::{NO_FLAG, escaped};
use super::{NoForm, Translator, UNKNOWN};
use crate::EcmaPattern;

/// What an escape stands for.
pub(super) enum Escape {
    /// One character; `None` if it is written by its number.
    Character(Option<char>, String),
    /// A set of characters.
    Set(String),
    /// A place in the text, or the text of a group.
    Other(String),
}

const NO_PLACE: NoForm =
    "JavaScript has no `\\G`, `\\K`, `\\R` and `\\X`: write the characters, and put what precedes into `(?<=…)`";

impl Translator<'_> {
    /// An escape outside a class, after its backslash.
    pub(super) fn escape(&mut self) -> Result<(), NoForm> {
        if self.eat("Q") {
            let quoted = self.until("\\E").unwrap_or_else(|_| std::mem::take(&mut self.rest));
            quoted.chars().for_each(|character| self.literal(character));
            return Ok(());
        }
        match self.escape_sequence()? {
            Escape::Character(Some('-'), _) => self.term("-"),
            Escape::Character(Some(character), _) if self.flags.ignores_case => self.literal(character),
            Escape::Other(text) if matches!(&*text, "^" | "$" | "\\b" | "\\B") => self.assertion(&text),
            Escape::Other(_) if self.flags.ignores_case => return Err(NO_FLAG),
            Escape::Character(_, text) | Escape::Set(text) | Escape::Other(text) => self.term(&text),
        }
        Ok(())
    }

    /// Reads an escape after its backslash.
    pub(super) fn escape_sequence(&mut self) -> Result<Escape, NoForm> {
        let letter = self.next().ok_or(UNKNOWN)?;
        Ok(match letter {
            'A' => Escape::Other("^".to_owned()),
            'z' | 'Z' => Escape::Other("$".to_owned()),
            'b' | 'B' => Escape::Other(format!("\\{letter}")),
            'd' | 'D' | 'w' | 'W' | 's' | 'S' => Escape::Set(format!("\\{letter}")),
            'n' | 'r' | 't' | 'f' | 'v' => Escape::Character(None, format!("\\{letter}")),
            'c' => Escape::Character(None, format!("\\c{}", self.next().ok_or(UNKNOWN)?)),
            'p' | 'P' => Escape::Set(self.property(letter)?),
            'x' | 'u' | 'U' => Escape::Character(None, self.numbered_character(letter)?),
            'g' | 'k' => Escape::Other(self.reference()?),
            '0' => Escape::Character(None, self.octal()),
            '1'..='9' => {
                self.has_numbered_references = true;
                Escape::Other(format!("\\{letter}{}", self.digits()))
            }
            'G' | 'K' | 'R' | 'X' => return Err(NO_PLACE),
            letter if letter.is_ascii_alphabetic() => return Err(UNKNOWN),
            '-' => Escape::Character(Some('-'), "\\-".to_owned()),
            other => Escape::Character(Some(other), escaped(other)),
        })
    }

    /// `\pL`, `\p{^L}`, `\p{Greek}`: a property, without the letter `p`.
    fn property(&mut self, letter: char) -> Result<String, NoForm> {
        let name = if self.eat("{") { self.until("}")?.to_owned() } else { self.next().ok_or(UNKNOWN)?.to_string() };
        let other = if letter == 'p' { 'P' } else { 'p' };
        let (letter, name) = name.strip_prefix('^').map_or((letter, &*name), |name| (other, name));
        let forms = [format!("\\{letter}{{{name}}}"), format!("\\{letter}{{Script={name}}}")];
        if self.flags.ignores_case {
            return Err(NO_FLAG);
        }
        forms.into_iter().find(|form| EcmaPattern::compile(form).is_ok()).ok_or(UNKNOWN)
    }

    /// `\x41`, `\x{41}`, `\u0041`, `\U00000041`, without the letter.
    fn numbered_character(&mut self, letter: char) -> Result<String, NoForm> {
        if self.flags.ignores_case {
            return Err(NO_FLAG);
        }
        if letter != 'U' && self.eat("{") {
            return Ok(format!("\\u{{{}}}", self.until("}")?.trim()));
        }
        let length = match letter {
            'x' => 2,
            'u' => 4,
            _ => 8,
        };
        let (number, rest) = self.rest.split_at_checked(length).ok_or(UNKNOWN)?;
        self.rest = rest;
        Ok(if letter == 'U' { format!("\\u{{{number}}}") } else { format!("\\{letter}{number}") })
    }

    /// `\0`, `\012`, without the first zero.
    fn octal(&mut self) -> String {
        let is_octal = |digit: char| digit.is_digit(8);
        let length = self.rest.chars().take(2).take_while(|digit| is_octal(*digit)).count();
        let (digits, rest) = self.rest.split_at_checked(length).unwrap_or(("", self.rest));
        self.rest = rest;
        u8::from_str_radix(digits, 8).map_or_else(|_| "\\x00".to_owned(), |number| format!("\\x{number:02X}"))
    }

    fn digits(&mut self) -> String {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at_checked(length).unwrap_or(("", self.rest));
        self.rest = rest;
        digits.to_owned()
    }

    /// `\k<n>`, `\k'n'`, `\k{n}`, `\g{n}`, `\g{1}`, `\g1`: a reference to a group, without the letter.
    fn reference(&mut self) -> Result<String, NoForm> {
        let brackets = [("<", ">"), ("'", "'"), ("{", "}")];
        let end = brackets.into_iter().find(|(start, _)| self.eat(start)).map(|(_, end)| end);
        let group = match end {
            Some(end) => self.until(end)?.to_owned(),
            None => self.digits(),
        };
        let is_number = group.bytes().all(|byte| byte.is_ascii_digit());
        self.has_numbered_references |= is_number;
        // A digit that follows must not become a part of the number.
        Ok(if is_number { format!("(?:\\{group})") } else { format!("\\k<{group}>") })
    }
}
