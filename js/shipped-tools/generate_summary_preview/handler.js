// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/generate_summary_preview/handler.js'
