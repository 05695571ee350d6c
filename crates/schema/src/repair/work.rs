//! The bounds of one repair: places, checks of the arguments, and schemas that are compiled.

use toolgate_json::Tape;

/// The largest number of repaired values.
const MAX_PLACES: usize = 64;
/// The bytes of all texts that are checked, whatever their number. A check costs more than its text is long.
const MAX_CHECKED_BYTES: usize = 1 << 20;
const CHECK_COST: usize = 4 << 10;
/// The compilation of a schema costs about as much as checking a text that is this many times as long.
const COMPILE_FACTOR: usize = 16;

/// What is left of the bounds.
pub(super) struct Work {
    places: usize,
    bytes: usize,
    has_given_up: bool,
}

impl Work {
    pub(super) const fn new() -> Self {
        Self { places: MAX_PLACES, bytes: MAX_CHECKED_BYTES, has_given_up: false }
    }

    /// Notes that a bound was reached: what was found may not be the only reading.
    pub(super) const fn give_up(&mut self) {
        self.has_given_up = true;
    }

    /// Whether a bound was reached.
    pub(super) const fn has_given_up(&self) -> bool {
        self.has_given_up
    }

    /// Takes a place; `None` if none is left.
    pub(super) fn take_place(&mut self) -> Option<()> {
        let left = self.places.checked_sub(1);
        self.has_given_up |= left.is_none();
        self.places = left?;
        Some(())
    }

    /// Takes the cost of checking arguments.
    pub(super) fn take_check(&mut self, tape: &Tape) -> Option<()> {
        self.take(tape.text().len() + CHECK_COST)
    }

    /// Takes the cost of compiling a schema.
    pub(super) fn take_compilation(&mut self, schema_bytes: usize) -> Option<()> {
        self.take(schema_bytes.saturating_mul(COMPILE_FACTOR) + CHECK_COST)
    }

    fn take(&mut self, bytes: usize) -> Option<()> {
        let left = self.bytes.checked_sub(bytes);
        self.has_given_up |= left.is_none();
        self.bytes = left?;
        Some(())
    }
}
