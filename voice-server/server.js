// Voice calls behind an HTTP server of the host's, or behind one of its own.
import { createVoiceEngine } from './src/engine.js'
import { createListeningServer } from './src/listening-server.js'

export async function createVoiceServer({ noServer = false, ...options }) {
  if (!noServer) return createListeningServer(options)
  for (const name of ['port', 'host'])
    if (options[name] !== undefined)
      throw new TypeError(`\`${name}\` can't be given with \`noServer\`: your server listens`)
  return createVoiceEngine(options)
}
