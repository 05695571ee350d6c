// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/ignore_user/handler.js'
