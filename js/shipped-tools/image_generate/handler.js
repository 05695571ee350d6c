// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/image_generate/handler.js'
