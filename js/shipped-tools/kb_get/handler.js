// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/kb_get/handler.js'
