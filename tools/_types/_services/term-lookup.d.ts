// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * How a stem is looked up: exactly if the index contains it, else as a prefix, else with typo tolerance. The weaker way
 * is used only if the stronger finds nothing: a search for `rust` must not also find `just`.
 *
 */
export function createTermLookup({ db, size }: {
    db: Engine;
    size: number;
}, options: LookupOptions): {
    /** Whether any record has the term. */
    isFound: (term: Term) => boolean;
    /** All records that have the term, with the engine's scores.
 */
    hitsOf: (term: Term) => readonly Hit[];
};
/**
 * How a stem is looked up: exactly if the index contains it, else as a prefix, else with typo tolerance. The weaker way
 * is used only if the stronger finds nothing: a search for `rust` must not also find `just`.
 */
export type Term = {
    stem: string;
    exact: boolean;
    tolerance: number;
};
/**
 * How a stem is looked up: exactly if the index contains it, else as a prefix, else with typo tolerance. The weaker way
 * is used only if the stronger finds nothing: a search for `rust` must not also find `just`.
 */
export type Engine = import("./search-index.js").Engine;
/**
 * How a stem is looked up: exactly if the index contains it, else as a prefix, else with typo tolerance. The weaker way
 * is used only if the stronger finds nothing: a search for `rust` must not also find `just`.
 */
export type SearchParams = import("@orama/orama").SearchParamsFullText<Engine>;
/**
 * How a stem is looked up: exactly if the index contains it, else as a prefix, else with typo tolerance. The weaker way
 * is used only if the stronger finds nothing: a search for `rust` must not also find `just`.
 */
export type EngineResults = import("@orama/orama").Results<{
    id: string;
}>;
/**
 * How a stem is looked up: exactly if the index contains it, else as a prefix, else with typo tolerance. The weaker way
 * is used only if the stronger finds nothing: a search for `rust` must not also find `just`.
 */
export type LookupOptions = Pick<SearchParams, "properties" | "boost">;
/**
 * How a stem is looked up: exactly if the index contains it, else as a prefix, else with typo tolerance. The weaker way
 * is used only if the stronger finds nothing: a search for `rust` must not also find `just`.
 */
export type Hit = {
    id: string;
    score: number;
};
/**
 * How a stem is looked up: exactly if the index contains it, else as a prefix, else with typo tolerance. The weaker way
 * is used only if the stronger finds nothing: a search for `rust` must not also find `just`.
 */
export type TermLookup = ReturnType<typeof createTermLookup>;
