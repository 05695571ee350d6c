// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * Makes a knowledge base that implements the `kb` service.
 *
 * `search` resolves to records (`id, type, title, snippet, score, source_type, last_updated, url, metadata`, and
 * `full_text`, `sources` if `returnFields` contains them), best first; the score is in 0..1, equal scores are ordered
 * by id. It is a keyword search: BM25 over title, text and tags, with English stemming, synonyms of everyday words,
 * and, for words that neither the records nor the synonyms contain, prefixes and tolerance for typing errors. A record that has
 * little of the query is not found. The first record's score is the share of the query that it has.
 * With `embed` it is a hybrid search: the keyword ranking and the ranking by vectors are joined by their ranks, and so are
 * their scores, which order the results of one search only. A search whose query cannot be embedded is answered by keywords.
 * `get` resolves to one such record or `null`; `nearestIds` to ids that look like the given one.
 * An unknown namespace is a ServiceError `INVALID_NAMESPACE`; an aborted signal rejects with its reason.
 *
 */
export function createKnowledgeBase({ records, file, synonyms, embed, leastSimilarity, }?: {
    records?: object[] | undefined;
    file?: string | URL | undefined;
    synonyms?: string[][] | undefined;
    embed?: import("./record-vectors.js").Embed | undefined;
    leastSimilarity?: number | undefined;
}): Promise<{
    search: (request: KnowledgeQuery) => Promise<import("./knowledge-record.js").RecordView[]>;
    get: (id: string, options?: GetOptions) => Promise<import("./knowledge-record.js").RecordView | null>;
    nearestIds: (id: string) => Promise<string[]>;
}>;
export type KnowledgeRecord = import("./knowledge-record.js").KnowledgeRecord;
export type RecordsById = Map<string, KnowledgeRecord>;
export type SearchIndex = ReturnType<typeof createSearchIndex>;
export type SearchFilters = {
    type?: string;
    tags?: string[];
    date_range?: {
        start?: string;
        end?: string;
    };
};
export type KnowledgeQuery = {
    query: string;
    namespace?: KnowledgeRecord["namespace"];
    filters?: SearchFilters;
    topK?: number;
    returnFields?: string[];
    includeSnippets?: boolean;
    signal?: AbortSignal;
};
export type GetOptions = {
    returnFields?: string[];
    signal?: AbortSignal;
};
export type Base = {
    byId: RecordsById;
    index: SearchIndex;
    nearestTo: Awaited<ReturnType<typeof createVectorRanking>> | undefined;
    /**
     * of the records' texts, by id
     */
    words: BoundedCache<StemmedWord[]>;
};
export type StemmedWord = import("./snippet.js").Word & {
    stems: readonly string[];
};
import { createSearchIndex } from './search-index.js';
import { createVectorRanking } from './record-vectors.js';
import { BoundedCache } from './bounded-cache.js';
