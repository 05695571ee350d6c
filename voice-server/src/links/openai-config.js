// The setup of each OpenAI Realtime conversation.
import { loadVoicePrompt } from 'toolgate'
import { DEFAULT_MODELS } from 'toolgate/http'
import { mergeDeep } from './merge-deep.js'

/** The only PCM format of the service. */
const PCM = { type: 'audio/pcm', rate: 24_000 }

/**
 * @param {object} options
 * @param {import('toolgate').ToolRegistry} options.registry loaded
 * @param {string[]} options.services names of the host's services; tools that need others are not declared
 * @param {object} [options.more] further members of the `session` of `session.update`, such as `audio.output.voice`
 * @returns {Promise<object>}
 */
export async function makeOpenAIConfig({ registry, services, more }) {
  const tools = registry.getProviderSchemas('openaiRealtime', { mode: 'voice', services })
  const config = {
    type: 'realtime',
    output_modalities: ['audio'],
    instructions: await loadVoicePrompt({ registry, services }),
    audio: {
      input: {
        format: PCM,
        transcription: { model: DEFAULT_MODELS.transcription },
        // The service detects speech itself: it answers it, and stops its output for it.
        turn_detection: { type: 'server_vad', create_response: true, interrupt_response: true },
      },
      output: { format: PCM },
    },
    tools,
    tool_choice: 'auto',
  }
  return mergeDeep(config, more)
}
