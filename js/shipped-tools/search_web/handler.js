// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/search_web/handler.js'
