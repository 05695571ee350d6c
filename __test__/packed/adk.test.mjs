// The tools of a session in the Agent Development Kit, from the packed package: its own runner, over a scripted model. The kit
// is installed here, not in the repository: it has hundreds of packages.
import { cp } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProject, packPackage } from './project.mjs'

const TOOLS = fileURLToPath(new URL('../../examples/openai-agents/tools/', import.meta.url))

/** Plays one round of calls and the user's replies; prints the answers as JSON. */
const PROGRAM = `
import { BaseLlm, InMemoryRunner, LlmAgent } from '@google/adk'
import { createRegistry } from 'toolgate'
import { toAdkTools } from 'toolgate/adk'

const [calls, replies] = process.argv.slice(2).map(text => JSON.parse(text))
class ScriptedModel extends BaseLlm {
  rounds = [calls.map(functionCall => ({ functionCall }))]
  async *generateContentAsync() {
    yield { content: { role: 'model', parts: this.rounds.shift() ?? [{ text: 'done' }] } }
  }
}
const registry = await createRegistry({ audit: 'none' }).load()
const session = await registry.createSession({ mode: 'text' })
const agent = new LlmAgent({ name: 'orders', model: new ScriptedModel({ model: 'scripted' }), tools: toAdkTools(session) })
const runner = new InMemoryRunner({ agent, appName: 'orders' })
const { id: sessionId } = await runner.sessionService.createSession({ appName: 'orders', userId: 'u' })
const answers = []
const hints = []
let parts = [{ text: 'go' }]
while (parts !== null) {
  let asked = null
  for await (const { content } of runner.runAsync({ userId: 'u', sessionId, newMessage: { role: 'user', parts } })) {
    for (const { functionCall, functionResponse } of content?.parts ?? []) {
      if (functionCall?.name === 'adk_request_confirmation') asked = functionCall
      if (functionResponse) answers.push(functionResponse.response)
    }
  }
  if (asked !== null) hints.push(asked.args.toolConfirmation.hint)
  const reply = asked === null ? undefined : replies.shift()
  parts = reply === undefined ? null : [{ functionResponse: { ...asked, args: undefined, response: { confirmed: reply } } }]
}
const pending = (await session.listPending()).map(({ callId }) => callId)
await registry.close()
const brief = answers.map(({ ok, data, error }) => (ok ? data : error.type))
console.log('RESULT' + JSON.stringify({ answers: brief, hints, pending }))
process.exit()
`

let packed
let project

beforeAll(async () => {
  packed = await packPackage()
  project = await createProject({
    tarball: packed.tarball,
    dependencies: { '@google/adk': '^2.0.0', zod: '^4.0.0' },
    files: { 'play.mjs': PROGRAM },
  })
  await cp(TOOLS, path.join(project.folder, 'tools'), { recursive: true })
  await project.run('npx', ['toolgate', 'build'])
}, 400_000)

afterAll(async () => {
  await project?.remove()
  await packed?.remove()
})

const play = async (calls, replies) => {
  const stdout = await project.run('node', ['play.mjs', JSON.stringify(calls), JSON.stringify(replies)])
  return JSON.parse(/^RESULT(.*)$/m.exec(stdout)[1])
}
const cancel = { id: 'call_cancel_0001', name: 'cancel_order', args: { number: 'A-17' } }
const hints = ['Cancel the order A-17']

test.each([
  [
    'calls go through the gate as the model sent them',
    [
      { id: 'call_find_0001', name: 'find_order', args: { number: 'A-17' } },
      { id: 'call_find_0002', name: 'find_order', args: { number: 17 } },
    ],
    [],
    { answers: [{ number: 'A-17', arrives: 'on Friday' }, 'VALIDATION'], hints: [], pending: [] },
  ],
  ['a confirmation runs the call', [cancel], [true], { answers: [{ cancelled: 'A-17' }], hints, pending: [] }],
  ['a refusal runs nothing', [cancel], [false], { answers: ['CANCELLED'], hints, pending: [] }],
])(
  '%s',
  async (_, calls, replies, result) => {
    expect(await play(calls, replies)).toEqual(result)
  },
  60_000,
)
