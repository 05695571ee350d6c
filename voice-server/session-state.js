// The session state controller under the import path of voice servers. Nothing is defined here.
export { createStateController } from 'toolgate'
