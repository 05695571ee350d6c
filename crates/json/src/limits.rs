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

/// Bounds of one parse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum nesting depth of arrays and objects; `1` allows one container. At most [`DEPTH_CEILING`] applies.
    pub max_depth: u32,
    /// Whether a lone surrogate is refused.
    pub lone_surrogates: LoneSurrogates,
    /// Maximum length of the text, in bytes. At most [`TEXT_CEILING`] applies.
    pub max_bytes: usize,
}

impl Limits {
    /// The limits for the arguments of a call: 64 levels, no lone surrogates, at most `max_bytes`.
    #[must_use]
    pub const fn for_arguments(max_bytes: usize) -> Self {
        Self { max_depth: 64, lone_surrogates: LoneSurrogates::Refuse, max_bytes }
    }

    /// The widest limits: for trusted text, such as the result of a handler.
    #[must_use]
    pub const fn widest() -> Self {
        Self { max_depth: DEPTH_CEILING, lone_surrogates: LoneSurrogates::Allow, max_bytes: TEXT_CEILING }
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
