// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/capture_webcam_snapshot/handler.js'
