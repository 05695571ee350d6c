//! Compiles the tree of a pattern to instructions.

use std::collections::HashMap;

use oxc_regular_expression::ast::{
    Alternative, BoundaryAssertionKind, CapturingGroup, CharacterClassContents, Disjunction, LookAroundAssertion,
    LookAroundAssertionKind as LookKind, Pattern, Quantifier, Term, UnicodePropertyEscape,
};
use regex_syntax::hir::ClassUnicode;

use super::PatternError;
use super::character_classes;
use super::character_set::CharacterSet;
use super::program::{Address, Direction, Instruction, Loop, Program, Register, RepetitionBounds};

pub(super) fn compile(pattern: &Pattern<'_>) -> Result<Program, PatternError> {
    let mut names = GroupNames::default();
    names.collect_disjunction(&pattern.body);
    if let Some(name) = names.duplicate {
        return Err(PatternError::DuplicateName(name));
    }
    let mut compiler = Compiler {
        instructions: Vec::new(),
        next_group: 0,
        next_register: 2 * names.count,
        group_count: names.count,
        names: names.by_name,
    };
    compiler.disjunction(&pattern.body, Direction::Forward)?;
    compiler.instructions.push(Instruction::Match);
    Ok(Program { instructions: compiler.instructions, registers: compiler.next_register })
}

/// The numbers of named groups, and the number of all groups.
#[derive(Default)]
struct GroupNames {
    by_name: HashMap<String, usize>,
    count: usize,
    /// A name of two groups, which ECMAScript before 2025 forbids, in alternatives too.
    duplicate: Option<String>,
}

impl GroupNames {
    fn collect_disjunction(&mut self, disjunction: &Disjunction<'_>) {
        disjunction.body.iter().flat_map(|alternative| &alternative.body).for_each(|term| self.collect_term(term));
    }

    fn collect_term(&mut self, term: &Term<'_>) {
        match term {
            Term::CapturingGroup(group) => {
                if let Some(name) = &group.name
                    && self.by_name.insert(name.to_string(), self.count).is_some()
                {
                    self.duplicate = Some(name.to_string());
                }
                self.count += 1;
                self.collect_disjunction(&group.body);
            }
            Term::IgnoreGroup(group) => self.collect_disjunction(&group.body),
            Term::LookAroundAssertion(look) => self.collect_disjunction(&look.body),
            Term::Quantifier(quantifier) => self.collect_term(&quantifier.body),
            _ => {}
        }
    }
}

struct Compiler {
    instructions: Vec<Instruction>,
    /// The number of the next capturing group in the order of their opening brackets.
    next_group: usize,
    next_register: Register,
    group_count: usize,
    names: HashMap<String, usize>,
}

impl Compiler {
    fn here(&self) -> Address {
        self.instructions.len()
    }

    fn push(&mut self, instruction: Instruction) -> Address {
        self.instructions.push(instruction);
        self.here() - 1
    }

    fn replace(&mut self, at: Address, instruction: Instruction) {
        if let Some(place) = self.instructions.get_mut(at) {
            *place = instruction;
        }
    }

    fn disjunction(&mut self, disjunction: &Disjunction<'_>, direction: Direction) -> Result<(), PatternError> {
        let mut jumps = Vec::new();
        let last = disjunction.body.len().saturating_sub(1);
        for (index, alternative) in disjunction.body.iter().enumerate() {
            if index == last {
                self.alternative(alternative, direction)?;
                continue;
            }
            let choice = self.push(Instruction::Jump(0));
            self.alternative(alternative, direction)?;
            jumps.push(self.push(Instruction::Jump(0)));
            let otherwise = self.here();
            self.replace(choice, Instruction::Try { otherwise });
        }
        let end = self.here();
        for jump in jumps {
            self.replace(jump, Instruction::Jump(end));
        }
        Ok(())
    }

    fn alternative(&mut self, alternative: &Alternative<'_>, direction: Direction) -> Result<(), PatternError> {
        if direction == Direction::Forward {
            return alternative.body.iter().try_for_each(|term| self.term(term, direction));
        }
        // Groups keep their numbers, although the last term comes first.
        let first_group = self.next_group;
        let mut starts = Vec::new();
        for term in &alternative.body {
            starts.push(self.next_group);
            self.next_group += count_groups(term);
        }
        let after = self.next_group;
        for (term, start) in alternative.body.iter().zip(starts).rev() {
            self.next_group = start;
            self.term(term, direction)?;
        }
        self.next_group = after.max(first_group);
        Ok(())
    }

    fn term(&mut self, term: &Term<'_>, direction: Direction) -> Result<(), PatternError> {
        if let Some(class) = single_character_class(term)? {
            self.push(Instruction::Character(CharacterSet::new(&class), direction));
            return Ok(());
        }
        match term {
            Term::BoundaryAssertion(assertion) => {
                self.push(match assertion.kind {
                    BoundaryAssertionKind::Start => Instruction::TextStart,
                    BoundaryAssertionKind::End => Instruction::TextEnd,
                    BoundaryAssertionKind::Boundary => Instruction::WordBoundary { is_negative: false },
                    BoundaryAssertionKind::NegativeBoundary => Instruction::WordBoundary { is_negative: true },
                });
                Ok(())
            }
            Term::LookAroundAssertion(look) => self.look_around(look),
            Term::Quantifier(quantifier) => self.quantifier(quantifier, direction),
            Term::CapturingGroup(group) => self.capturing_group(group, direction),
            Term::IgnoreGroup(group) if group.modifiers.is_some() => Err(PatternError::Modifiers),
            Term::IgnoreGroup(group) => self.disjunction(&group.body, direction),
            Term::IndexedReference(reference) => {
                let group = (reference.index as usize).checked_sub(1).filter(|group| *group < self.group_count);
                self.back_reference(group, direction);
                Ok(())
            }
            Term::NamedReference(reference) => {
                self.back_reference(self.names.get(reference.name.as_str()).copied(), direction);
                Ok(())
            }
            // The other terms match one character.
            _ => Ok(()),
        }
    }

    /// The parser refuses a reference to no group.
    fn back_reference(&mut self, group: Option<usize>, direction: Direction) {
        if let Some(group) = group {
            self.push(Instruction::BackReference(2 * group, direction));
        }
    }

    fn capturing_group(&mut self, group: &CapturingGroup<'_>, direction: Direction) -> Result<(), PatternError> {
        let start = 2 * self.next_group;
        self.next_group += 1;
        let (before, after) = match direction {
            Direction::Forward => (start, start + 1),
            Direction::Backward => (start + 1, start),
        };
        self.push(Instruction::Save(before));
        self.disjunction(&group.body, direction)?;
        self.push(Instruction::Save(after));
        Ok(())
    }

    fn look_around(&mut self, look: &LookAroundAssertion<'_>) -> Result<(), PatternError> {
        let (direction, is_negative) = match look.kind {
            LookKind::Lookahead => (Direction::Forward, false),
            LookKind::NegativeLookahead => (Direction::Forward, true),
            LookKind::Lookbehind => (Direction::Backward, false),
            LookKind::NegativeLookbehind => (Direction::Backward, true),
        };
        let at = self.push(Instruction::EndLook);
        self.disjunction(&look.body, direction)?;
        self.push(Instruction::EndLook);
        let next = self.here();
        self.replace(at, Instruction::Look { is_negative, next });
        Ok(())
    }

    fn quantifier(&mut self, quantifier: &Quantifier<'_>, direction: Direction) -> Result<(), PatternError> {
        let bound = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let repetition = RepetitionBounds {
            min: bound(quantifier.min),
            max: quantifier.max.map_or(usize::MAX, bound),
            is_greedy: quantifier.greedy,
        };
        if let Some(class) = single_character_class(&quantifier.body)? {
            self.push(Instruction::RepeatCharacter(CharacterSet::new(&class), direction, repetition));
            return Ok(());
        }
        let count = self.next_register;
        self.next_register += 2;
        self.push(Instruction::StartLoop(count));
        let repeat = self.push(Instruction::Jump(0));
        let start = self.push(Instruction::Jump(0));
        let first_capture = 2 * self.next_group;
        self.term(&quantifier.body, direction)?;
        let captures = (first_capture, 2 * self.next_group);
        self.push(Instruction::EndIteration { repeat, count, min: repetition.min });
        let described = Loop { repetition, count, exit: self.here(), captures };
        self.replace(repeat, Instruction::Repeat(described));
        self.replace(start, Instruction::StartIteration(described));
        Ok(())
    }
}

fn count_groups(term: &Term<'_>) -> usize {
    let mut names = GroupNames::default();
    names.collect_term(term);
    names.count
}

/// The characters of a term that always matches exactly one; `None` for other terms.
pub(super) fn single_character_class(term: &Term<'_>) -> Result<Option<ClassUnicode>, PatternError> {
    let class = match term {
        Term::Character(character) => character_classes::single_character(character.value),
        Term::Dot(_) => character_classes::dot(),
        Term::CharacterClassEscape(escape) => character_classes::class_escape(escape.kind),
        Term::UnicodePropertyEscape(escape) => {
            character_classes::unicode_property(escape).ok_or_else(|| unknown_property(escape))?
        }
        Term::CharacterClass(class) => character_classes::bracketed(class).ok_or_else(|| {
            let unknown = class.body.iter().find_map(|item| match item {
                CharacterClassContents::UnicodePropertyEscape(escape)
                    if character_classes::unicode_property(escape).is_none() =>
                {
                    Some(unknown_property(escape))
                }
                _ => None,
            });
            unknown.unwrap_or_else(|| PatternError::Syntax("a class of strings".to_owned()))
        })?,
        _ => return Ok(None),
    };
    Ok(Some(class))
}

fn unknown_property(escape: &UnicodePropertyEscape<'_>) -> PatternError {
    let value = escape.value.map(|value| format!("={value}")).unwrap_or_default();
    PatternError::UnicodeProperty(format!("{}{value}", escape.name))
}
