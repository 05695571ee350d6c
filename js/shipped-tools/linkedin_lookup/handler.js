// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/linkedin_lookup/handler.js'
