// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/create_chart/handler.js'
