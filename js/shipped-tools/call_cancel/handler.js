// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/call_cancel/handler.js'
