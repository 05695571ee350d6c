// Generated from JSDoc by scripts/write-path-types.mjs.
export function createSearchIndex(records: import("./knowledge-record.js").KnowledgeRecord[], synonyms: string[][]): {
    /**
     * The records that match well, best first: score in 0..1, ties by id. The first one's score is the share of the query that
     * it has, those of the others are less in proportion.
 */
    find: (query: string, conditions: Conditions) => {
        terms: Term[];
        hits: Hit[];
    };
    idsUnder: (conditions: Conditions) => string[];
    nearestIds: (id: string, limit: number) => string[];
    matcherOf: typeof matcherOf;
};
export type Concept = import("./synonyms.js").Concept;
/**
 * `length` counts the words that the index lacks, too
 */
export type WeightedTerms = {
    terms: Term[];
    weight: number;
    length: number;
};
/**
 * `score` of the engine, `share` of the query's weight
 */
export type Match = {
    score: number;
    share: number;
};
export type Engine = import("@orama/orama").Orama<typeof SCHEMA>;
export type TermLookup = import("./term-lookup.js").TermLookup;
export type Term = import("./term-lookup.js").Term;
export type Hit = import("./term-lookup.js").Hit;
export type Where = import("./term-lookup.js").SearchParams["where"];
export type Conditions = {
    namespace?: string;
    type?: string;
    tags?: string[];
    updatedFrom?: number;
    updatedTo?: number;
};
/**
 * Returns for the stems of a word of running text which of the terms the word matches, as the engine would.
 *
 */
declare function matcherOf(terms: Term[]): (stems: readonly string[]) => string | null;
declare namespace SCHEMA {
    let title: "string";
    let body: "string";
    let tagText: "string";
    let idText: "string";
    let tags: "enum[]";
    let type: "enum";
    let namespace: "enum";
    let lastUpdated: "number";
}
export {};
