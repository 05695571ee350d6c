// The setup of each GPT-Live session: who works for the model, and what it knows of that.
import { DEFAULT_MODELS } from 'toolgate/http'
import { mergeDeep } from '../merge-deep.js'

/** One format for both directions. */
const PCM = { type: 'audio/pcm', rate: 24_000 }
/** The model that speaks has no tools: its rules are about speech, those about work are the backend's. */
const FRONTEND = `You are the voice of an assistant. Speak the user's language, in short sentences, and stop when the user speaks.
Delegate all that needs data, a tool or an action, and all that you do not know. Never state a result that you were not given, and never say
that something was done before you are told so. Bracketed texts are notes of the application that runs you: follow them, and do not read the
brackets aloud. If a note asks you to say a text word for word, say it so and add nothing. Only the user can agree to an action, and the
application decides whether they have.`

/**
 * @param {object} options
 * @param {import('../providers.js').SessionTools} options.tools
 * @param {{ backendModel?: string }} options.settings
 * @param {object} [options.more] further members of the `session` of `session.start`, such as `audio.output.voice`
 * @param {boolean} options.isDelegated whether the host does the work, not a Responses backend
 * @returns {object}
 */
export function makeGptLiveConfig({ tools, settings, more, isDelegated }) {
  const backend = () => ({
    type: 'responses',
    responses: {
      model: settings.backendModel ?? DEFAULT_MODELS.gptLiveBackend,
      instructions: tools.prompt,
      tools: tools.declared('openaiResponses'),
    },
  })
  const config = {
    instructions: FRONTEND,
    audio: { format: PCM },
    delegation: isDelegated ? { type: 'client' } : backend(),
  }
  const merged = mergeDeep(config, more)
  const { type } = merged.delegation ?? { type: 'client' }
  if (type === 'client' && !isDelegated)
    throw new TypeError('`gptLive.config.delegation.type` `client` needs `delegate`')
  if (type !== 'client' && isDelegated)
    throw new TypeError(`\`delegate\` needs \`gptLive.config.delegation.type\` \`client\`, not \`${type}\``)
  return merged
}
