// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/format_datetime/handler.js'
