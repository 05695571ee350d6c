//! One entry of a tape: where a value stands in the text, and where the next one is listed.

/// What an entry stands for. Finer than JSON's types where the text already told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Null,
    False,
    True,
    /// A number without fraction and exponent.
    Integer,
    /// Any other number.
    Float,
    /// A string without escapes: its text is its value.
    Plain,
    /// A string with at least one escape.
    Escaped,
    Array,
    Object,
}

impl Tag {
    const ALL: [Self; 9] = [
        Self::Null,
        Self::False,
        Self::True,
        Self::Integer,
        Self::Float,
        Self::Plain,
        Self::Escaped,
        Self::Array,
        Self::Object,
    ];

    pub(super) const fn is_string(self) -> bool {
        matches!(self, Self::Plain | Self::Escaped)
    }
}

/// Bits of `head` that hold a container's count; the tag is above them. `TEXT_CEILING` keeps counts below.
const COUNT_BITS: u32 = 28;
const COUNT_MASK: u32 = (1 << COUNT_BITS) - 1;

/// A value. A container is followed by what it holds; in an object each value follows its key, which is a string entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Byte where the value begins; of a string, the byte after its opening quote.
    pub(super) start: u32,
    /// Byte after the value; of a string, its closing quote.
    pub(super) end: u32,
    /// Index of the entry after the value and all it holds. While a container is open: index of the one around it.
    pub(super) next: u32,
    head: u32,
}

impl Entry {
    /// What is read where there is no entry.
    pub(super) const NULL: Self = Self { start: 0, end: 0, next: 0, head: Tag::Null as u32 };

    pub(super) const fn new(tag: Tag, start: u32, end: u32, next: u32) -> Self {
        Self { start, end, next, head: (tag as u32) << COUNT_BITS }
    }

    pub(super) fn tag(self) -> Tag {
        Tag::ALL.get((self.head >> COUNT_BITS) as usize).copied().unwrap_or(Tag::Null)
    }

    /// How many elements or members a container holds.
    pub(super) const fn count(self) -> u32 {
        self.head & COUNT_MASK
    }

    pub(super) fn add_one(&mut self) {
        self.head += 1;
    }

    /// `count` is below 2²⁸.
    pub(super) const fn set_count(&mut self, count: u32) {
        self.head = (self.head & !COUNT_MASK) | (count & COUNT_MASK);
    }

    /// The entry where its text stands `bytes` further on, and what follows it `entries` further on.
    pub(super) const fn moved(self, bytes: u32, entries: u32) -> Self {
        Self {
            start: self.start.wrapping_add(bytes),
            end: self.end.wrapping_add(bytes),
            next: self.next.wrapping_add(entries),
            head: self.head,
        }
    }
}
