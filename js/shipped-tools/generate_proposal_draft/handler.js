// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/generate_proposal_draft/handler.js'
