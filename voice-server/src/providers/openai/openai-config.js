// The setup of each OpenAI Realtime conversation.
import { DEFAULT_MODELS } from 'toolgate/http'
import { mergeDeep } from '../merge-deep.js'

/** The only PCM format of the service. */
const PCM = { type: 'audio/pcm', rate: 24_000 }

/**
 * @param {object} options
 * @param {import('../providers.js').SessionTools} options.tools
 * @param {object} [options.more] further members of the `session` of `session.update`, such as `audio.output.voice`
 * @returns {object}
 */
export function makeOpenAIConfig({ tools, more }) {
  const config = {
    type: 'realtime',
    output_modalities: ['audio'],
    instructions: tools.prompt,
    audio: {
      input: {
        format: PCM,
        transcription: { model: DEFAULT_MODELS.transcription },
        // The service detects speech itself: it answers it, and stops its output for it.
        turn_detection: { type: 'server_vad', create_response: true, interrupt_response: true },
      },
      output: { format: PCM },
    },
    tools: tools.declared('openaiRealtime'),
    tool_choice: 'auto',
  }
  return mergeDeep(config, more)
}
