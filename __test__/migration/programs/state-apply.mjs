import { createStateController } from 'toolgate/tools/_core/state-controller.js'
const state = createStateController({ mode: 'voice' })
const applied = state.apply({ type: 'SET_PENDING_MESSAGE', message: 'later' })
console.log(JSON.stringify([applied, state.snapshot().pendingMessage]))
