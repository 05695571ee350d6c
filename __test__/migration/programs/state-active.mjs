import { createStateController } from 'toolgate/tools/_core/state-controller.js'
const state = createStateController({ mode: 'voice', isActive: true, pendingMessage: 'hi', topic: 'tea' })
console.log(JSON.stringify([state.get('isActive'), state.get('mode'), state.get('pendingMessage'), state.get('topic')]))
