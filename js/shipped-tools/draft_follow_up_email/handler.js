// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/draft_follow_up_email/handler.js'
