// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/reg_search/handler.js'
