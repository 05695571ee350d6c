// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/reg_describe/handler.js'
