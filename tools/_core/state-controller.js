// The session state controller under the import path that agents use. Nothing is defined here.
export { createStateController } from 'toolgate'
