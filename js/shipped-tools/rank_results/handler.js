// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/rank_results/handler.js'
