import { createStateController } from 'toolgate/tools/_core/state-controller.js'
const state = createStateController()
console.log(JSON.stringify(state.apply({ type: 'MADE_UP' })))
