// Written by scripts/write-path-types.mjs.
export * from 'toolgate-tools/_services/service-answers.js'
