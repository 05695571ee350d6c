import { ErrorType, createStateController, failure, loadVoicePrompt, toolRegistry } from 'toolgate'
console.log(
  JSON.stringify([
    typeof ErrorType,
    typeof createStateController,
    typeof failure,
    typeof loadVoicePrompt,
    typeof toolRegistry,
  ]),
)
