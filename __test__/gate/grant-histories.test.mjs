// Grants by several processes: random histories against a model, and races for the last calls.
import { readFileSync } from 'node:fs'
import path from 'node:path'

import { PACKAGE, runModule } from '../support/child-process.mjs'
import { openGate } from '../support/gate.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'

const HOUR = 3_600_000
const PAY = {
  kind: 'write',
  requiresConfirmation: true,
  duplicate: false,
  properties: { to: { type: 'string' } },
  required: ['to'],
  confirmation: { preview: 'Pay {to}', grantable: 'tool' },
}

let made = 0
const pay = to => ({ id: `call_pay_${String(++made).padStart(6, '0')}`, name: 'pay', args: { to } })

async function paying(store) {
  const runs = []
  const execute = ({ args }) => {
    runs.push(args.to)
    return { ok: true }
  }
  return { ...(await openGate({ pay: { ...PAY, execute } }, { store })), runs }
}

/** Numbers below `count`, the same for a seed. */
function dice(seed) {
  let state = seed
  return count => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return (state >>> 3) % count
  }
}

const REFUSED = { CONFIRMATION_REQUIRED: 'asked', LOOP_DETECTED: 'denied' }

/** What the gate must do, one act after another: the only ways to a run are a yes to what was shown, and a grant. */
class Model {
  turn = 1
  grants = []
  questions = new Map()

  /** `ran`, `replay`, `denied` or `asked`; what runs by a grant takes one call of it. */
  call(to) {
    const question = this.questions.get(to)
    if (question?.state === 'pending') return 'asked'
    if (question?.state === 'confirmed' && this.turn - question.turn <= 1) return 'replay'
    const covering = this.grants.filter(grant => grant.scope === 'tool' || grant.to === to)
    covering.sort((a, b) => (a.scope === b.scope ? a.expires - b.expires : a.scope === 'args' ? -1 : 1))
    const denied = question?.denied?.turn === this.turn ? question.denied.times : 0
    if (denied >= 2) return 'denied'
    if (covering.length > 0 && denied === 0) {
      if (--covering[0].calls === 0) this.grants.splice(this.grants.indexOf(covering[0]), 1)
      return 'ran'
    }
    this.questions.set(to, { ...question, state: 'pending', turn: this.turn })
    return 'asked'
  }

  confirm(to, grant) {
    const question = this.questions.get(to)
    this.questions.set(to, { ...question, state: 'confirmed', turn: this.turn })
    if (grant === null) return
    this.grants = this.grants.filter(old => !(old.scope === grant.scope && (grant.scope === 'tool' || old.to === to)))
    if (grant.expires > Date.now()) this.grants.push({ ...grant, to })
  }

  deny(to) {
    const { turn, denied } = this.questions.get(to)
    const times = denied?.turn === turn ? denied.times + 1 : 1
    this.questions.set(to, { state: 'denied', denied: { turn, times } })
  }
}

test.each([1, 2, 3, 4])(
  'histories over two processes of a store: what runs was shown or granted (%i)',
  async seed => {
    const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
    const gates = [await paying(store), await paying(store)]
    const ran = () => gates.reduce((sum, { runs }) => sum + runs.length, 0)
    const roll = dice(seed * 7919)
    let byGrant = 0
    for (let history = 0; history < 12; history++) {
      const sessionId = `history-${history}`
      const sessions = await Promise.all(
        gates.map(({ session }) => session({ sessionId, policy: { totalCalls: 1000 } })),
      )
      const [model, tokens] = [new Model(), new Map()]
      const turn = async () => {
        model.turn++
        for (const session of sessions) await session.beginTurn(`turn-${model.turn}`)
      }
      model.turn = 0
      await turn()
      for (let step = 0; step < 40; step++) {
        const [session, to, before] = [sessions[roll(2)], ['ada', 'bob', 'cyd'][roll(3)], ran()]
        const what = roll(10)
        if (what < 5) {
          if (roll(4) > 0) await turn()
          const expected = model.call(to)
          const answer = await session.execute(pay(to))
          const found = answer.ok ? (answer.meta._idempotent_cache_hit ? 'replay' : 'ran') : REFUSED[answer.error.type]
          if (found === 'asked') tokens.set(to, answer.error.confirmation_request.token)
          expect([seed, history, step, found]).toEqual([seed, history, step, expected])
          expect(ran() - before).toBe(expected === 'ran' ? 1 : 0)
          byGrant += expected === 'ran' ? 1 : 0
        } else if (what < 8 && model.questions.get(to)?.state === 'pending') {
          const ttlMs = roll(4) === 0 ? 1 : HOUR + roll(5) * HOUR
          const grant = roll(3) === 0 ? null : { scope: ['args', 'tool'][roll(2)], calls: 1 + roll(3), ttlMs }
          const wide = roll(6) === 0
          const wanted = wide ? { ...grant, scope: 'all', calls: 1, ttlMs } : grant
          const answer = await session.confirm(tokens.get(to), wanted === null ? {} : { grant: wanted })
          expect([answer.ok, ran() - before]).toEqual(wide ? [false, 0] : [true, 1])
          if (!wide) model.confirm(to, grant && { ...grant, expires: ttlMs === 1 ? 0 : Date.now() + ttlMs })
          if (ttlMs === 1) await new Promise(resolve => setTimeout(resolve, 4))
        } else if (what === 8 && model.questions.get(to)?.state === 'pending') {
          expect(await session.deny(tokens.get(to))).toBe(true)
          model.deny(to)
        } else if (what === 9) {
          const grants = await session.grants()
          expect(grants.map(grant => grant.callsLeft).sort()).toEqual(model.grants.map(grant => grant.calls).sort())
          if (grants.length > 0 && roll(2) === 0) {
            const place = roll(grants.length)
            expect(await session.revoke(grants[place].id)).toBe(true)
            const ended = model.grants.findIndex(
              ({ scope, calls, expires, to: of }) =>
                scope === grants[place].scope &&
                calls === grants[place].callsLeft &&
                Math.abs(expires - grants[place].expires) < 60_000 &&
                (scope === 'tool' || grants[place].preview === `Pay ${of}`),
            )
            model.grants.splice(ended, 1)
          }
        }
      }
    }
    expect(byGrant).toBeGreaterThan(10)
  },
  60_000,
)

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
  60_000,
)
