// The setup of each Gemini Live conversation.
import { loadVoicePrompt } from 'toolgate'
import capabilities from 'toolgate/transports/live-capabilities.js'

/**
 * @param {object} options
 * @param {import('toolgate').ToolRegistry} options.registry loaded
 * @param {string[]} options.services names of the host's services; tools that need others are not declared
 * @param {import('./gemini-connect.js').GeminiSettings} options.settings
 * @param {object} [options.more] further members of the SDK's LiveConnectConfig, such as `speechConfig`
 * @returns {Promise<object>}
 */
export async function makeGeminiConfig({ registry, services, settings, more }) {
  const declarations = registry.getProviderSchemas('geminiNative', { mode: 'voice', services })
  const functionDeclarations = capabilities.withBehavior(/** @type {{ name: string }[]} */ (declarations), {
    surface: settings.surface,
    model: settings.model,
    isBackground: name => registry.getToolMetadata(name)?.background !== undefined,
  })
  return {
    responseModalities: ['AUDIO'],
    inputAudioTranscription: {},
    outputAudioTranscription: {},
    // Without compression the service ends an audio conversation after 15 minutes.
    contextWindowCompression: { slidingWindow: {} },
    systemInstruction: await loadVoicePrompt({ registry, services }),
    ...(functionDeclarations.length > 0 ? { tools: [{ functionDeclarations }] } : {}),
    ...more,
  }
}
