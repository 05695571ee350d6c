// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/_services/calendar.js'
