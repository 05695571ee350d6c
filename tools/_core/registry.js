// The registry under the import path that agents use. Nothing is defined here.
export { toolRegistry, createRegistry } from 'toolgate'
