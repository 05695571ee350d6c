// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/end_voice_session/handler.js'
