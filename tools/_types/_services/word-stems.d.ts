// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * The stems of `text` in order, repeats included: without accents, case and stop words. Hyphens and underscores part words, so
 * that `real-time` is found as `real time`, and an id by its parts. A stop word in capitals among other words is an
 * abbreviation: `IT support`.
 *
 */
export function stemsOf(text: string): string[];
