// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/calculate_roi/handler.js'
