// The tool compiler under the import path that build scripts use. Nothing is defined here.
export { buildTools } from '../../index.js'
