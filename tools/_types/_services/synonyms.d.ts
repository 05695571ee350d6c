// Generated from JSDoc by scripts/write-path-types.mjs.
export function createConceptReader(groups: string[][]): (query: string) => Concept[];
export function shippedSynonyms(): string[][];
export type Phrase = {
    stems: string[];
    synonyms: Map<string, string[]>;
};
/**
 * One meaning of the query. A record scores by its best alternative, so that a record with three synonyms of one word
 * is not preferred to a record with two words of the query.
 */
export type Alternative = {
    stems: string[];
    weight: number;
};
/**
 * `known`: the synonyms contain it, so that it is no
 *   typing error
 */
export type Concept = {
    alternatives: Alternative[];
    known: boolean;
};
