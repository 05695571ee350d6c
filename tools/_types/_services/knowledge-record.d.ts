// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * Throws a TypeError that names the first broken record: the developer must correct the data, so this runs at start-up.
 *
 */
export function checkRecords(records: unknown): KnowledgeRecord[];
/**
 * The record as tools show it. `full_text` and `sources` are included only on request. If `returnFields` names fields,
 * `snippet`, `url` and `metadata` are left out unless they are named: the caller's context is spared.
 * Nested values are copies, so that a caller cannot change the stored record.
 *
 */
export function viewOf(record: KnowledgeRecord, { snippet, score, returnFields }: {
    snippet: string | null;
    score: number;
    returnFields?: string[];
}): RecordView;
export const RECORD_TYPES: readonly string[];
export const NAMESPACES: readonly string[];
/**
 * as it is stored
 */
export type KnowledgeRecord = {
    /**
     * `<type>:<name>`, such as `person:ada_example`
     */
    id: string;
    type: "project" | "person" | "process" | "link" | "doc";
    namespace: "studio" | "personal" | "public";
    title: string;
    text: string;
    /**
     * lower case
     */
    tags: string[];
    /**
     * RFC 3339 date-time
     */
    last_updated: string;
    url: string | null;
    /**
     * the kind of its source, such as `wiki`
     */
    source_type: string;
    /**
     * record ids or URLs that support the text
     */
    sources: string[];
    metadata: object;
};
/**
 * A record in the form of a search result: what a record lacks, what depends on the request, and the rest.
 */
export type RecordView = {
    score: number;
    snippet?: string | null;
    url?: string | null;
    metadata?: object;
    full_text?: string;
    sources?: string[];
} & Pick<KnowledgeRecord, "id" | "type" | "title" | "source_type" | "last_updated">;
