// Generated from JSDoc by scripts/write-path-types.mjs.
/**
 * The host service `embed`: one vector per text, in order, all of one length.
 */
/**
 * Embeds the records once.
 *
 */
export function createVectorRanking(records: {
    id: string;
    title: string;
    text: string;
}[], embed: Embed, leastSimilarity: number): Promise<(query: string, signal?: AbortSignal) => Promise<string[]>>;
/**
 * The host service `embed`: one vector per text, in order, all of one length.
 */
export type Embed = (texts: string[], options: {
    signal?: AbortSignal;
}) => Promise<number[][]>;
