import { TEXT_BUDGET, VOICE_BUDGET, WEBCAM_BUDGET } from 'toolgate/voice-server/config.js'
console.log(JSON.stringify([TEXT_BUDGET.totalCalls, VOICE_BUDGET, WEBCAM_BUDGET.retrievalCalls]))
