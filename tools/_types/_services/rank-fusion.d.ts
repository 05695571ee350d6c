// Generated from JSDoc by scripts/write-path-types.mjs.
export function fuseRankings(rankings: string[][]): {
    id: string;
    score: number;
}[];
