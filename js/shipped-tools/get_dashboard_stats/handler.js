// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/get_dashboard_stats/handler.js'
