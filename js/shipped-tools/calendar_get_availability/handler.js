// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/calendar_get_availability/handler.js'
