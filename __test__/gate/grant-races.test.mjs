// Grants by several processes: races for the last calls.
import { readFileSync } from 'node:fs'
import path from 'node:path'

import { PACKAGE, runModule } from '../support/child-process.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'

const PAY = {
  kind: 'write',
  requiresConfirmation: true,
  duplicate: false,
  properties: { to: { type: 'string' } },
  required: ['to'],
  confirmation: { preview: 'Pay {to}', grantable: 'tool' },
}

const STORES = [
  ['file', async () => ({ file: path.join(temporaryFolder(), 'sessions.sqlite') })],
  ...(hasRedis ? [['redis', async () => ({ redis: (await RedisServer.start()).url })]] : []),
]

test.each(STORES)(
  'processes that race for the last calls of a grant on %s take as many as were granted',
  async (_, place) => {
    const [store, log] = [await place(), path.join(temporaryFolder(), 'runs.log')]
    const source = `import { appendFileSync } from 'node:fs'
    export function execute({ args }) { appendFileSync(${JSON.stringify(log)}, args.to + '\\n'); return { ok: true } }`
    const tools = await toolSet({ pay: { ...PAY, source } })
    const program = name => `
    import { createRegistry } from ${JSON.stringify(PACKAGE)}
    const registry = createRegistry({ artifact: ${JSON.stringify(tools.artifact)}, store: ${JSON.stringify(store)} })
    await registry.load()
    const session = await registry.createSession({ mode: 'text', sessionId: 's', policy: { totalCalls: 1000 } })
    const call = n => session.execute({ id: 'call_${name}_' + n, name: 'pay', args: { to: '${name}-' + n } })
    if ('${name}' === 'a') {
      const asked = await call('first')
      const grant = { scope: 'tool', calls: 5, ttlMs: 3600000 }
      const answer = await session.confirm(asked.error.confirmation_request.token, { grant })
      if (!answer.ok) throw new Error(JSON.stringify(answer))
    }
    process.stdout.write('ready\\n')
    await new Promise(resolve => process.stdin.once('data', resolve))
    const answers = await Promise.all([1, 2, 3, 4].map(call))
    console.log(JSON.stringify(answers.map(answer => (answer.ok ? 'ran' : answer.error.type))))
    process.stdin.destroy()
    await registry.close()
  `
    const children = []
    const onLine = (line, child) => {
      if (line === 'ready' && children.push(child) === 2) for (const ready of children) ready.stdin.write('go\n')
    }
    const ended = await Promise.all(['a', 'b'].map(name => runModule(program(name), { onLine })))
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(Array(2).fill([0, '']))
    const told = ended.flatMap(({ stdout }) => JSON.parse(stdout.trim().split('\n').at(-1))).sort()
    expect(told).toEqual([...Array(3).fill('CONFIRMATION_REQUIRED'), ...Array(5).fill('ran')])
    expect(readFileSync(log, 'utf8').trim().split('\n')).toHaveLength(1 + 5)
  },
)
