// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/extract_action_items/handler.js'
