// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/calendar_create_event/handler.js'
