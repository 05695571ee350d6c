//! The instructions of a compiled pattern.

use super::character_set::CharacterSet;

/// The index of an instruction.
pub(super) type Address = usize;
/// The index of a register.
pub(super) type Register = usize;

/// The direction in which terms consume the text: backward in look-behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

/// How often a term repeats, and which number is tried first.
#[derive(Debug, Clone, Copy)]
pub(super) struct RepetitionBounds {
    pub(super) min: usize,
    /// `usize::MAX` if there is no upper bound.
    pub(super) max: usize,
    pub(super) is_greedy: bool,
}

/// A repeated group. Its first register counts the iterations; the next holds the position where the last one began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loop {
    pub(super) repetition: RepetitionBounds,
    pub(super) count: Register,
    pub(super) exit: Address,
    /// The registers of the capturing groups inside, which each iteration clears: first and end.
    pub(super) captures: (Register, Register),
}

#[derive(Debug)]
pub(super) enum Instruction {
    /// One character of a set.
    Character(CharacterSet, Direction),
    /// A repeated character of a set, with one entry on the stack for all its ends.
    RepeatCharacter(CharacterSet, Direction, RepetitionBounds),
    /// Continues at the next instruction, and at the given one if that fails.
    Try {
        otherwise: Address,
    },
    Jump(Address),
    /// Stores the position in a register.
    Save(Register),
    /// Sets the counter of the loop that follows to zero.
    StartLoop(Register),
    /// Chooses between a further iteration, which begins at the next instruction, and the exit.
    Repeat(Loop),
    StartIteration(Loop),
    /// Ends an iteration. One that consumed nothing fails if it was not required.
    EndIteration {
        repeat: Address,
        count: Register,
        min: usize,
    },
    TextStart,
    TextEnd,
    WordBoundary {
        is_negative: bool,
    },
    /// The text of a group, given by its first register; nothing if the group has none.
    BackReference(Register, Direction),
    /// Look-around: its body follows, up to its `EndLook`.
    Look {
        is_negative: bool,
        next: Address,
    },
    EndLook,
    Match,
}

#[derive(Debug)]
pub(super) struct Program {
    pub(super) instructions: Vec<Instruction>,
    pub(super) registers: usize,
}
