// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/kb_search/handler.js'
