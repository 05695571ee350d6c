import { createStateController } from 'toolgate/voice-server/session-state.js'
console.log(JSON.stringify(createStateController({ mode: 'voice' }).get('mode')))
