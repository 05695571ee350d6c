// The setup of each Gemini Live conversation.
import capabilities from 'toolgate/transports/live-capabilities.js'

/**
 * @param {object} options
 * @param {import('../providers.js').SessionTools} options.tools
 * @param {import('./gemini-connect.js').GeminiSettings} options.settings
 * @param {object} [options.more] further members of the SDK's LiveConnectConfig, such as `speechConfig`
 * @returns {object}
 */
export function makeGeminiConfig({ tools, settings, more }) {
  const declarations = /** @type {{ name: string }[]} */ (tools.declared('geminiNative'))
  const functionDeclarations = capabilities.withBehavior(declarations, {
    surface: settings.surface,
    model: settings.model,
    isBackground: tools.isBackground,
  })
  return {
    responseModalities: ['AUDIO'],
    inputAudioTranscription: {},
    outputAudioTranscription: {},
    // Without compression the service ends an audio conversation after 15 minutes.
    contextWindowCompression: { slidingWindow: {} },
    systemInstruction: tools.prompt,
    ...(functionDeclarations.length > 0 ? { tools: [{ functionDeclarations }] } : {}),
    ...more,
  }
}
