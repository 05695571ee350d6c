// Generated from JSDoc by scripts/write-path-types.mjs.
/** The words of a text, for excerpts of one text for several searches.
 */
export function wordsOf(text: string): Word[];
/**
 * The excerpt of `text` of at most `limit` characters (without ellipses) that contains most of the searched terms, the
 * earliest of equal ones; the beginning of the text if no term matches.
 *
 */
export function snippetAround<W extends Word>(text: string, matchedTerm: (word: W) => string | null, limit: number, words?: readonly W[]): string;
/**
 * The beginning of `text`, at most `limit` characters.
 */
export function openingOf(text: string, limit: number, words?: readonly Word[]): string;
export type Word = {
    start: number;
    end: number;
    text: string;
};
