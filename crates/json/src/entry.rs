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
}

/// Bits of `head` that hold the tag are those from here on.
const TAG_AT: u32 = 28;
/// The bit of `head` that says that the value is written as its canonical form.
const CANONICAL: u32 = 1 << 27;
/// Bits of `head` that hold a container's count. `TEXT_CEILING` keeps counts below: n elements take 2n + 1 bytes.
const COUNT_MASK: u32 = CANONICAL - 1;

/// A value. A container is followed by what it holds; in an object each value follows its key, which is a string entry.
#[derive(Debug, Clone, Copy)]
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
        Self { start, end, next, head: (tag as u32) << TAG_AT }
    }

    /// The entry of a value that is written as its canonical form, where `is_canonical` says so.
    pub(super) const fn marked(self, is_canonical: bool) -> Self {
        Self { head: if is_canonical { self.head | CANONICAL } else { self.head & !CANONICAL }, ..self }
    }

    /// Whether the value is known to be written as its canonical form. False says nothing.
    pub(super) const fn is_canonical(self) -> bool {
        self.head & CANONICAL != 0
    }

    /// First byte of the value, and the byte after it; a string's quotes included.
    pub(super) fn span(self) -> (u32, u32) {
        let quote = u32::from(self.is_string());
        (self.start.saturating_sub(quote), self.end + quote)
    }

    pub(super) fn tag(self) -> Tag {
        Tag::ALL.get((self.head >> TAG_AT) as usize).copied().unwrap_or(Tag::Null)
    }

    /// Whether it is a string, which is asked more often than anything else.
    const fn is_string(self) -> bool {
        (self.head >> TAG_AT).wrapping_sub(Tag::Plain as u32) <= Tag::Escaped as u32 - Tag::Plain as u32
    }

    /// How many elements or members a container holds.
    pub(super) const fn count(self) -> u32 {
        self.head & COUNT_MASK
    }

    /// `count` is below 2²⁷.
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

/// Equal where both list the same value. Whether it is known to be canonical does not count.
impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        let place = |entry: &Self| (entry.start, entry.end, entry.next, entry.head & !CANONICAL);
        place(self) == place(other)
    }
}
