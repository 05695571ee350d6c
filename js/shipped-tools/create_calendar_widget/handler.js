// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/create_calendar_widget/handler.js'
