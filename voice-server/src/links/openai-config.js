// How every conversation with OpenAI Realtime is set up.
import { loadVoicePrompt } from 'toolgate'
import { mergeDeep } from './merge-deep.js'

export const DEFAULT_OPENAI_MODEL = 'gpt-realtime'

/** The only PCM that the service takes and gives. */
const PCM = { type: 'audio/pcm', rate: 24_000 }

/**
 * @param {object} options
 * @param {import('toolgate').ToolRegistry} options.registry loaded
 * @param {string[]} options.services names of what the host offers; tools that need more are not declared
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
        transcription: { model: 'gpt-4o-mini-transcribe' },
        // The service finds out by itself when the user speaks: it answers then, and stops for them.
        turn_detection: { type: 'server_vad', create_response: true, interrupt_response: true },
      },
      output: { format: PCM },
    },
    tools,
    tool_choice: 'auto',
  }
  return mergeDeep(config, more)
}
