//! Runs a program on a text: depth first, with the state to return to on an explicit stack.

use super::character_classes;
use super::character_set::CharacterSet;
use super::program::{Address, Direction, Instruction, Loop, Program, Register, RepetitionBounds};

/// The number of steps was spent before the result was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the match takes more steps than allowed")]
pub struct OutOfSteps;

/// The value of a register without a position.
const UNSET: usize = usize::MAX;

/// What to undo or to try if a match fails.
enum Pending {
    /// A register's former value.
    Restore(Register, usize),
    /// Another way to go on.
    Continue(Address, usize),
    /// Other numbers of a repeated character: `left` positions, each `forward` or backward of the last.
    Positions { next: Address, at: usize, left: usize, is_forward: bool },
    /// A longer repetition of the character of `instruction`, at most `left` times more.
    Longer { instruction: Address, at: usize, left: usize },
    /// The beginning of a look-around, and the position there.
    Look { is_negative: bool, next: Address, at: usize },
}

struct Machine<'p, 's> {
    program: &'p Program,
    text: Vec<char>,
    registers: Vec<usize>,
    pending: Vec<Pending>,
    /// The places of the open look-arounds in `pending`.
    looks: Vec<usize>,
    steps: &'s mut u64,
}

/// Where the program goes on; `None` if this way fails.
type Step = Result<Option<(Address, usize)>, OutOfSteps>;

pub(super) fn is_match(program: &Program, text: &str, steps: &mut u64) -> Result<bool, OutOfSteps> {
    spend(steps, text.len())?;
    let mut machine = Machine {
        program,
        text: text.chars().collect(),
        registers: vec![UNSET; program.registers],
        pending: Vec::new(),
        looks: Vec::new(),
        steps,
    };
    let is_anchored = matches!(program.instructions.first(), Some(Instruction::TextStart));
    let last = if is_anchored { 0 } else { machine.text.len() };
    for start in 0..=last {
        if machine.matches_at(start)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn spend(steps: &mut u64, count: usize) -> Result<(), OutOfSteps> {
    let left = steps.checked_sub(count as u64);
    *steps = left.unwrap_or_default();
    left.map(|_| ()).ok_or(OutOfSteps)
}

impl Machine<'_, '_> {
    /// Whether the program matches from a position. If not, all registers are as before.
    fn matches_at(&mut self, start: usize) -> Result<bool, OutOfSteps> {
        let mut state = Some((0, start));
        loop {
            spend(self.steps, 1)?;
            let Some((address, at)) = state else {
                state = match self.backtrack()? {
                    None => return Ok(false),
                    resumed => resumed,
                };
                continue;
            };
            match self.program.instructions.get(address) {
                None | Some(Instruction::Match) => return Ok(true),
                Some(instruction) => state = self.run(instruction, address, at)?,
            }
        }
    }

    fn run(&mut self, instruction: &Instruction, address: Address, at: usize) -> Step {
        let next = address + 1;
        let go_on_if = |is_ok: bool| Ok(is_ok.then_some((next, at)));
        match instruction {
            Instruction::Character(set, direction) => Ok(self.consume(set, *direction, at).map(|after| (next, after))),
            Instruction::RepeatCharacter(set, direction, repetition) => {
                self.repeat_character(set, *direction, *repetition, address, at)
            }
            Instruction::Try { otherwise } => {
                self.pending.push(Pending::Continue(*otherwise, at));
                go_on_if(true)
            }
            Instruction::Jump(to) => Ok(Some((*to, at))),
            Instruction::Save(register) => {
                self.set(*register, at);
                go_on_if(true)
            }
            Instruction::StartLoop(count) => {
                self.set(*count, 0);
                go_on_if(true)
            }
            Instruction::Repeat(described) => Ok(Some(self.choose_iteration(described, next, at))),
            Instruction::StartIteration(described) => {
                self.start_iteration(described, at)?;
                go_on_if(true)
            }
            Instruction::EndIteration { repeat, count, min } => {
                let is_idle = self.register(*count + 1) == at && self.register(*count) > *min;
                Ok((!is_idle).then_some((*repeat, at)))
            }
            Instruction::TextStart => go_on_if(at == 0),
            Instruction::TextEnd => go_on_if(at == self.text.len()),
            Instruction::WordBoundary { is_negative } => go_on_if(self.is_word_boundary(at) != *is_negative),
            Instruction::BackReference(group, direction) => {
                Ok(self.back_reference(*group, *direction, at)?.map(|after| (next, after)))
            }
            Instruction::Look { is_negative, next: after } => {
                self.looks.push(self.pending.len());
                self.pending.push(Pending::Look { is_negative: *is_negative, next: *after, at });
                go_on_if(true)
            }
            Instruction::EndLook => self.end_look(),
            Instruction::Match => Ok(None),
        }
    }

    fn register(&self, register: Register) -> usize {
        self.registers.get(register).copied().unwrap_or(UNSET)
    }

    /// Sets a register, so that backtracking restores it.
    fn set(&mut self, register: Register, value: usize) {
        if let Some(place) = self.registers.get_mut(register).filter(|place| **place != value) {
            self.pending.push(Pending::Restore(register, *place));
            *place = value;
        }
    }

    fn restore(&mut self, register: Register, value: usize) {
        if let Some(place) = self.registers.get_mut(register) {
            *place = value;
        }
    }

    fn character_at(&self, at: usize, direction: Direction) -> Option<char> {
        let index = if direction == Direction::Forward { at } else { at.checked_sub(1)? };
        self.text.get(index).copied()
    }

    /// The position after a character of the set.
    fn consume(&self, set: &CharacterSet, direction: Direction, at: usize) -> Option<usize> {
        self.character_at(at, direction).filter(|character| set.contains(*character)).map(|_| shifted(at, 1, direction))
    }

    /// Goes back to the last choice.
    fn backtrack(&mut self) -> Step {
        while let Some(entry) = self.pending.pop() {
            spend(self.steps, 1)?;
            match entry {
                Pending::Restore(register, value) => self.restore(register, value),
                Pending::Continue(address, at) => return Ok(Some((address, at))),
                Pending::Positions { next, at, left, is_forward } => {
                    if left > 1 {
                        let further = if is_forward { at + 1 } else { at.saturating_sub(1) };
                        self.pending.push(Pending::Positions { next, at: further, left: left - 1, is_forward });
                    }
                    return Ok(Some((next, at)));
                }
                Pending::Longer { instruction, at, left } => {
                    if let Some(resumed) = self.lengthen(instruction, at, left) {
                        return Ok(Some(resumed));
                    }
                }
                Pending::Look { is_negative, next, at } => {
                    self.looks.pop();
                    if is_negative {
                        return Ok(Some((next, at)));
                    }
                }
            }
        }
        Ok(None)
    }

    fn repeat_character(
        &mut self,
        set: &CharacterSet,
        direction: Direction,
        repetition: RepetitionBounds,
        address: Address,
        start: usize,
    ) -> Step {
        let wanted = if repetition.is_greedy { repetition.max } else { repetition.min };
        let mut at = start;
        let mut count = 0;
        while count < wanted {
            let Some(after) = self.consume(set, direction, at) else { break };
            at = after;
            count += 1;
        }
        spend(self.steps, count)?;
        if count < repetition.min {
            return Ok(None);
        }
        if repetition.is_greedy {
            let left = count - repetition.min;
            if left > 0 {
                let is_forward = direction == Direction::Backward;
                let nearer = if is_forward { at + 1 } else { at.saturating_sub(1) };
                self.pending.push(Pending::Positions { next: address + 1, at: nearer, left, is_forward });
            }
        } else {
            let left = repetition.max - repetition.min;
            self.pending.push(Pending::Longer { instruction: address, at, left });
        }
        Ok(Some((address + 1, at)))
    }

    fn lengthen(&mut self, instruction: Address, at: usize, left: usize) -> Option<(Address, usize)> {
        let Some(Instruction::RepeatCharacter(set, direction, _)) = self.program.instructions.get(instruction) else {
            return None;
        };
        let after = self.consume(set, *direction, at).filter(|_| left > 0)?;
        self.pending.push(Pending::Longer { instruction, at: after, left: left - 1 });
        Some((instruction + 1, after))
    }

    fn choose_iteration(&mut self, described: &Loop, iteration: Address, at: usize) -> (Address, usize) {
        let Loop { repetition, count, exit, .. } = described;
        let done = self.register(*count);
        if done < repetition.min {
            return (iteration, at);
        }
        if done >= repetition.max {
            return (*exit, at);
        }
        let (first, second) = if repetition.is_greedy { (iteration, *exit) } else { (*exit, iteration) };
        self.pending.push(Pending::Continue(second, at));
        (first, at)
    }

    fn start_iteration(&mut self, described: &Loop, at: usize) -> Result<(), OutOfSteps> {
        let Loop { count, captures: (first, end), .. } = *described;
        spend(self.steps, end - first)?;
        self.set(count, self.register(count) + 1);
        self.set(count + 1, at);
        (first..end).for_each(|register| self.set(register, UNSET));
        Ok(())
    }

    fn is_word_boundary(&self, at: usize) -> bool {
        let is_word = |direction| self.character_at(at, direction).is_some_and(character_classes::is_word_character);
        is_word(Direction::Backward) != is_word(Direction::Forward)
    }

    /// The position after the text of a group; `None` if the text is not there.
    fn back_reference(
        &mut self,
        group: Register,
        direction: Direction,
        at: usize,
    ) -> Result<Option<usize>, OutOfSteps> {
        let (from, to) = (self.register(group), self.register(group + 1));
        if from == UNSET || to == UNSET {
            return Ok(Some(at));
        }
        let length = to.saturating_sub(from);
        spend(self.steps, length)?;
        let is_outside = direction == Direction::Backward && at < length;
        if is_outside {
            return Ok(None);
        }
        let after = shifted(at, length, direction);
        let found = self.text.get(at.min(after)..at.max(after));
        Ok((found.is_some() && found == self.text.get(from..to)).then_some(after))
    }

    /// The body of the innermost look-around matched: its other choices are dropped.
    fn end_look(&mut self) -> Step {
        let Some(place) = self.looks.pop() else { return Ok(None) };
        spend(self.steps, self.pending.len().saturating_sub(place))?;
        let mut inside = self.pending.split_off(place).into_iter();
        let Some(Pending::Look { is_negative, next, at }) = inside.next() else { return Ok(None) };
        let registers = inside.filter(|entry| matches!(entry, Pending::Restore(..)));
        if is_negative {
            let undone: Vec<_> = registers.collect();
            for entry in undone.into_iter().rev() {
                if let Pending::Restore(register, value) = entry {
                    self.restore(register, value);
                }
            }
            return Ok(None);
        }
        self.pending.extend(registers);
        Ok(Some((next, at)))
    }
}

fn shifted(at: usize, by: usize, direction: Direction) -> usize {
    match direction {
        Direction::Forward => at + by,
        Direction::Backward => at.saturating_sub(by),
    }
}
