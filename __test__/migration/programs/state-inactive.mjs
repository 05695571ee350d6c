import { createStateController } from 'toolgate/tools/_core/state-controller.js'
const initial = createStateController({ isActive: false })
const changed = createStateController()
changed.set('isActive', false)
console.log(JSON.stringify([initial.get('isActive'), changed.snapshot().isActive]))
