// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * The stems of `text` in order, repeats included: without accents, case, stop words and single letters. Hyphens and
 * underscores part words, so that `real-time` is found as `real time`, and an id by its parts.
 *
 */
export function stemsOf(text: string): string[];
