// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/start_voice_session/handler.js'
