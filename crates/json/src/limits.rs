//! What a text may be before it is refused.

/// Deepest nesting that any tape holds, whatever the limits ask for: readers may recurse over a tape because of it.
pub const DEPTH_CEILING: u32 = 512;

/// Longest text that any tape holds, in bytes: offsets and counts fit their fields because of it.
pub const TEXT_CEILING: usize = (1 << 28) - 1;

/// What becomes of half a surrogate pair, written as an escape such as `\ud800`.
///
/// `JSON.parse` takes it, but no UTF-8 text can carry the character that it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoneSurrogates {
    /// The text is refused.
    Refuse,
    /// The text is kept as it is; reading the string gives U+FFFD in its place.
    Allow,
}

/// Bounds of one parse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How deep arrays and objects may be nested; `1` allows one container. At most [`DEPTH_CEILING`] applies.
    pub max_depth: u32,
    /// Whether half a surrogate pair is refused.
    pub lone_surrogates: LoneSurrogates,
    /// How long the text may be, in bytes. At most [`TEXT_CEILING`] applies.
    pub max_bytes: usize,
}

impl Limits {
    /// What is allowed of the arguments of a call: 64 levels, no half surrogate pairs, at most `max_bytes`.
    #[must_use]
    pub const fn arguments(max_bytes: usize) -> Self {
        Self { max_depth: 64, lone_surrogates: LoneSurrogates::Refuse, max_bytes }
    }

    /// The widest limits: for text that our own side made, such as the result of a handler.
    #[must_use]
    pub const fn widest() -> Self {
        Self { max_depth: DEPTH_CEILING, lone_surrogates: LoneSurrogates::Allow, max_bytes: TEXT_CEILING }
    }

    /// The depth that applies.
    pub(super) fn depth(&self) -> u32 {
        self.max_depth.min(DEPTH_CEILING)
    }

    /// The length that applies.
    pub(super) fn bytes(&self) -> usize {
        self.max_bytes.min(TEXT_CEILING)
    }
}
