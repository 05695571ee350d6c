//! The limits of a parse.

/// Maximum nesting depth of every tape, whatever the limits are: recursion over a tape is safe because of it.
pub const DEPTH_CEILING: u32 = 512;

/// Maximum length of every tape's text, in bytes: offsets and counts fit their fields because of it.
pub const TEXT_CEILING: usize = (1 << 28) - 1;

/// The treatment of a lone surrogate, written as an escape such as `\ud800`.
///
/// `JSON.parse` accepts it, but UTF-8 cannot encode it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoneSurrogates {
    /// The text is refused.
    Refuse,
    /// The text is kept unchanged; reading the string returns U+FFFD instead.
    Allow,
}

/// The numbers that are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberRange {
    /// Every number that a double does not turn into another one. A whole number beyond 2^53 - 1 is refused if it is
    /// written without an exponent and a fraction, or with more than 15 significant digits: `JSON.parse` rounds it, or
    /// has rounded it already. A number that a double rounds to 0 is refused as well. Decimals are rounded.
    Exact,
    /// Every finite double.
    Finite,
}

/// Bounds of one parse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum nesting depth of arrays and objects; `1` allows one container. At most [`DEPTH_CEILING`] applies.
    pub max_depth: u32,
    /// Whether a lone surrogate is refused.
    pub lone_surrogates: LoneSurrogates,
    /// The numbers that are taken.
    pub numbers: NumberRange,
    /// Maximum length of the text, in bytes. At most [`TEXT_CEILING`] applies.
    pub max_bytes: usize,
}

impl Limits {
    /// The limits for the arguments of a call: 64 levels, no lone surrogates, exact numbers, at most
    /// `max_bytes`.
    #[must_use]
    pub const fn for_arguments(max_bytes: usize) -> Self {
        Self { max_depth: 64, lone_surrogates: LoneSurrogates::Refuse, numbers: NumberRange::Exact, max_bytes }
    }

    /// The widest limits: for trusted text, such as the result of a handler.
    #[must_use]
    pub const fn widest() -> Self {
        Self {
            max_depth: DEPTH_CEILING,
            lone_surrogates: LoneSurrogates::Allow,
            numbers: NumberRange::Finite,
            max_bytes: TEXT_CEILING,
        }
    }

    /// The effective maximum depth.
    pub(super) fn effective_depth(&self) -> u32 {
        self.max_depth.min(DEPTH_CEILING)
    }

    /// The effective maximum length.
    pub(super) fn effective_bytes(&self) -> usize {
        self.max_bytes.min(TEXT_CEILING)
    }
}
