// The loop of docs/many-tools.md over a session with `toolSearch: 'gate'`, as it stands, with the simulator as the model.
import OpenAI from 'openai'

import { startSimulator } from '../../simulator/src/index.js'
import { OpenAITransport } from '../../js/transports/openai-transport.js'
import { blockWith } from '../support/page.mjs'
import { afterTest } from '../support/tool-set.mjs'
import { META_TOOLS, openManyTools } from './many-tools-gate.mjs'

const AsyncFunction = (async () => {}).constructor

test("the page's loop finds and calls a tool of 500", async () => {
  const { registry, close } = await openManyTools()
  afterTest(close)
  const args = { number: 'S-7' }
  const steps = [
    { emit: [{ call: { name: 'reg_search', args: { query: 'track a shipment', limit: 1 } } }] },
    { emit: [{ call: { name: 'shipment_track', args } }] },
    { emit: [{ say: 'Tracked.' }] },
  ]
  const sim = await startSimulator({ scenario: { rules: [{ steps }] } })
  afterTest(() => sim.close())
  const code = blockWith('docs/many-tools.md', "toolSearch: 'gate'")
  const openai = new OpenAI({ apiKey: 'any', baseURL: `${sim.url}/v1`, maxRetries: 0 })
  const given = { registry, OpenAITransport, openai, model: 'any', messages: [{ role: 'user', content: 'Track S-7.' }] }
  await new AsyncFunction(...Object.keys(given), code)(...Object.values(given))
  const meta = Object.keys(META_TOOLS)
  const after = [...meta, 'shipment_track']
  expect(sim.received.map(({ json }) => json.tools.map(tool => tool.function.name))).toEqual([meta, after, after])
  expect(JSON.parse(given.messages.at(-1).content)).toMatchObject({ ok: true, data: args })
})
