// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/_services/gemini-images.js'
