// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/validate_email/handler.js'
