// How every conversation with Gemini Live is set up.
import { loadVoicePrompt } from 'toolgate'

export const DEFAULT_GEMINI_MODEL = 'gemini-live-2.5-flash-native-audio'

/**
 * @param {object} options
 * @param {import('toolgate').ToolRegistry} options.registry loaded
 * @param {string[]} options.services names of what the host offers; tools that need more are not declared
 * @param {object} [options.more] further members of the SDK's LiveConnectConfig, such as `speechConfig`
 * @returns {Promise<object>}
 */
export async function makeGeminiConfig({ registry, services, more }) {
  const functionDeclarations = registry.getProviderSchemas('geminiNative', { mode: 'voice', services })
  return {
    responseModalities: ['AUDIO'],
    inputAudioTranscription: {},
    outputAudioTranscription: {},
    // Without it the service ends an audio conversation after a quarter of an hour.
    contextWindowCompression: { slidingWindow: {} },
    systemInstruction: await loadVoicePrompt({ registry, services }),
    ...(functionDeclarations.length > 0 ? { tools: [{ functionDeclarations }] } : {}),
    ...more,
  }
}
