//! One entry of a tape: the byte range of a value, and the index of the next entry.

/// The type of an entry. Finer than the types of JSON: the parser already distinguishes the variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Null,
    False,
    True,
    /// A number without fraction and exponent.
    Integer,
    /// Any other number.
    Float,
    /// A string without escapes: the text is the value.
    PlainString,
    /// A string with at least one escape.
    EscapedString,
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
        Self::PlainString,
        Self::EscapedString,
        Self::Array,
        Self::Object,
    ];
}

/// The lowest bit of the tag in `head`.
const TAG_SHIFT: u32 = 28;
/// The bit of `head` that marks a value written in canonical form.
const CANONICAL_BIT: u32 = 1 << 27;
/// The bits of `head` with a container's count. `TEXT_CEILING` keeps counts below: n elements take 2n + 1 bytes.
const COUNT_MASK: u32 = CANONICAL_BIT - 1;

/// A value. The contents of a container follow its entry; in an object each value follows its key, a string entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct TapeEntry {
    /// Offset of the first byte; of a string, the offset after the opening quote.
    pub(super) start: u32,
    /// Offset after the last byte; of a string, the offset of the closing quote.
    pub(super) end: u32,
    /// Index of the entry after the value and its contents. While a container is open: index of its parent container.
    pub(super) next: u32,
    /// Tag, canonical flag and count.
    head: u32,
}

impl TapeEntry {
    /// The entry returned for an index out of range.
    pub(super) const NULL: Self = Self { start: 0, end: 0, next: 0, head: Tag::Null as u32 };

    pub(super) const fn new(tag: Tag, start: u32, end: u32, next: u32) -> Self {
        Self { start, end, next, head: (tag as u32) << TAG_SHIFT }
    }

    /// Returns the entry with the canonical flag set to `is_canonical`. A text with the flag is hashed as it is written, so a
    /// wrong flag is a wrong hash. Property tests compare with a full rewrite.
    pub(super) const fn with_canonical(self, is_canonical: bool) -> Self {
        Self { head: if is_canonical { self.head | CANONICAL_BIT } else { self.head & !CANONICAL_BIT }, ..self }
    }

    /// Whether the value is known to be written in canonical form. False means unknown.
    pub(super) const fn is_canonical(self) -> bool {
        self.head & CANONICAL_BIT != 0
    }

    /// The byte range of the value; a string's quotes included.
    pub(super) fn span(self) -> (u32, u32) {
        let quote = u32::from(self.is_string());
        (self.start.saturating_sub(quote), self.end + quote)
    }

    pub(super) fn tag(self) -> Tag {
        Tag::ALL.get((self.head >> TAG_SHIFT) as usize).copied().unwrap_or(Tag::Null)
    }

    /// Whether the entry is a string. The most frequent test, hence one comparison without `tag`.
    const fn is_string(self) -> bool {
        (self.head >> TAG_SHIFT).wrapping_sub(Tag::PlainString as u32)
            <= Tag::EscapedString as u32 - Tag::PlainString as u32
    }

    /// The number of elements or members of a container.
    pub(super) const fn count(self) -> u32 {
        self.head & COUNT_MASK
    }

    /// Sets the count, which must be below 2²⁷.
    pub(super) const fn set_count(&mut self, count: u32) {
        self.head = (self.head & !COUNT_MASK) | (count & COUNT_MASK);
    }

    /// Returns the entry shifted by `bytes` in the text and by `entries` on the tape.
    pub(super) const fn shifted(self, bytes: u32, entries: u32) -> Self {
        Self {
            start: self.start.wrapping_add(bytes),
            end: self.end.wrapping_add(bytes),
            next: self.next.wrapping_add(entries),
            head: self.head,
        }
    }
}

/// Entries are equal if they list the same value; the canonical flag is ignored.
impl PartialEq for TapeEntry {
    fn eq(&self, other: &Self) -> bool {
        let place = |entry: &Self| (entry.start, entry.end, entry.next, entry.head & !CANONICAL_BIT);
        place(self) == place(other)
    }
}
