// A voice server in a process of its own, which can be killed at any moment. Its orders come as one JSON argument:
// { artifact, store, effects, surface, providerUrl, resumeSecret, holds? }. It says by IPC where it listens, where its handler is (`run`:
// before its effect, `ended`: after it) and each line of the audit. The effect is a line appended to `effects`. At the place `holds` the
// handler waits for a message; at `audit` the process stands still once the call is in the audit, and its answer goes nowhere.
import { appendFileSync } from 'node:fs'
import { once } from 'node:events'

import { createRegistry } from '../../index.js'
import { createVoiceServer } from '../../voice-server/server.js'
import { SURFACES } from '../../voice-server/test/scenarios/surfaces.js'

const { artifact, store, effects, surface, providerUrl, resumeSecret, holds } = JSON.parse(process.argv[2])
const told = message => new Promise(resolve => process.send(message, resolve))
/** Says where the handler is, and waits there if the parent wants to kill it there. */
const reach = async place => {
  await told({ place })
  if (holds === place) await once(process, 'message')
}

const registry = createRegistry({
  artifact,
  store,
  audit(line) {
    const audit = JSON.parse(line)
    process.send({ audit })
    if (holds === 'audit' && audit.event === 'tool_execution')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  },
  handlers: {
    async note_save({ args }) {
      await reach('run')
      appendFileSync(effects, `${args.text}\n`)
      await reach('ended')
      return { ok: true, data: { saved: args.text } }
    },
  },
})
const silent = { info() {}, warn() {}, error: console.error }
const server = await createVoiceServer({
  registry,
  allowAnonymous: true,
  ...SURFACES[surface].server(providerUrl),
  logger: silent,
  limits: { pendingPollMs: 50 },
  resumeSecret,
})
await told({ url: server.url })
