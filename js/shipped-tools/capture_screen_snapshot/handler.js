// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/capture_screen_snapshot/handler.js'
