// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/image_draft_prompt/handler.js'
