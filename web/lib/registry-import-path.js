// The registry under the import path `@/tools/_core/registry.js` of web agents. Nothing is defined here.
export { toolRegistry, createRegistry } from 'toolgate'
