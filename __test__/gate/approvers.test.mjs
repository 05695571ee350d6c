// Approvers: others than who asks confirm a call. Who decides, and with which roles, is what the host says.
import path from 'node:path'

import { toModelResponse } from '../../index.js'
import { eventually, openGate } from '../support/gate.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

const PAY = {
  kind: 'write',
  requiresConfirmation: true,
  duplicate: false,
  properties: { to: { type: 'string' }, amount: { type: 'number' } },
  required: ['to'],
  confirmation: { preview: 'Pay {to}', approvers: { roles: ['manager', 'cfo'] } },
}
const two = { confirmation: { preview: 'Pay {to}', approvers: { roles: ['manager'], count: 2 } } }

let made = 0
const pay = to => ({ id: `call_pay_${String(++made).padStart(6, '0')}`, name: 'pay', args: { to } })
const manager = (principal, roles = ['manager']) => ({ via: 'page', approver: { principal, roles } })

async function paying(fields = {}, options = {}) {
  const runs = []
  const events = []
  const execute = ({ args, session }) => {
    runs.push(args.to)
    return { ok: true, data: { paid: args.to, mode: session.mode } }
  }
  const gate = await openGate(
    { pay: { ...PAY, ...fields, execute } },
    { onConfirmation: event => events.push(event), ...options },
  )
  return { ...gate, open: gate.session, runs, events }
}

async function asking(fields, options) {
  const gate = await paying(fields, options)
  const session = await gate.open({ sessionId: 'conversation', principal: 'ada' })
  const call = pay('bob')
  const asked = await session.execute(call)
  return { ...gate, session, call, asked, token: asked.error.confirmation_request.token }
}
const typeOf = answer => (answer.ok ? 'ran' : answer.error.type)

test('another principal with the role confirms, and the call runs once, as the call of who asked', async () => {
  const { registry, session, call, asked, token, runs, events, lines } = await asking()
  expect(asked.error.message).toMatch(
    /needs the confirmation of another person with one of the roles `manager`, `cfo`/u,
  )
  expect(toModelResponse(asked).error).toMatchObject({
    suggestion: expect.stringContaining('do not ask the user for a yes'),
    confirmation_request: { approvers: { roles: ['manager', 'cfo'], count: 1 } },
  })
  expect(await session.listPending()).toMatchObject([{ approvers: { count: 1 }, confirmations: 0 }])
  const done = await session.confirm(token, manager('cyd', ['cfo']))
  expect([done.ok, done.meta.callId, runs]).toEqual([true, call.id, ['bob']])
  expect(typeOf(await session.confirm(token, manager('cyd', ['cfo'])))).toBe('CONFIRMATION_EXPIRED')
  expect((await session.execute(call)).data.paid).toBe('bob')
  expect(events.map(({ type, principal, approver }) => [type, principal, approver])).toEqual([
    ['requested', 'ada', undefined],
    ['confirmed', 'ada', 'cyd'],
  ])
  await registry.close()
  expect(lines.find(({ event }) => event === 'confirmation_granted')).toMatchObject({ via: 'page', principal: 'cyd' })
  expect(runs).toEqual(['bob'])
})

describe('who asks decides nothing', () => {
  test.each([
    ['by token', (session, { token }) => session.confirm(token, { via: 'speech' })],
    ['by the call', (session, { call }) => session.confirm(call, { via: 'ai-sdk' })],
    ['by its earlier name', (session, { call }) => session.approve(call)],
    ['with changed arguments', (session, { token }) => session.confirm(token, { args: { to: 'eve' } })],
    ['under their own name', (session, { token }) => session.confirm(token, manager('ada'))],
    ['without the role', (session, { token }) => session.confirm(token, manager('cyd', ['clerk', 'Manager']))],
    ['without any role', (session, { token }) => session.confirm(token, manager('cyd', []))],
  ])('%s', async (_how, confirm) => {
    const { session, runs, events, ...asked } = await asking()
    const answer = await confirm(session, asked)
    expect([typeOf(answer), runs]).toEqual(['AUTH', []])
    expect(events.map(({ type }) => type)).toEqual(['requested'])
    expect(await session.listPending()).toMatchObject([{ token: asked.token, confirmations: 0 }])
    expect(typeOf(await session.confirm(asked.token, manager('cyd')))).toBe('ran')
  })

  test('the refusal says who can', async () => {
    const { session, token } = await asking(two)
    const { error } = await session.confirm(token)
    expect(error.message).toBe(
      '`pay` is confirmed by 2 other people with the role `manager`, not by who asks for it; it has not run',
    )
    expect(error.details).toEqual({ reason: 'approvers', roles: ['manager'], count: 2 })
  })

  test('nor in a session whose principal is not known: no approver could be told from who asks', async () => {
    const { open, events } = await paying()
    const session = await open()
    expect(typeOf(await session.execute(pay('bob')))).toBe('AUTH')
    expect(events).toEqual([])
  })
})

test.each([
  ['nothing', null],
  ['a name', 'cyd'],
  ['no principal', { roles: ['manager'] }],
  ['an empty one', { principal: '', roles: ['manager'] }],
  ['no roles', { principal: 'cyd' }],
  ['a role as text', { principal: 'cyd', roles: 'manager' }],
  ['a role that is none', { principal: 'cyd', roles: [{ toString: () => 'manager' }] }],
  ['a huge number of roles', { principal: 'cyd', roles: Array(101).fill('manager') }],
  ['half a character', { principal: '\ud800', roles: ['manager'] }],
])('an approver that is %s throws, and decides nothing', async (_what, approver) => {
  const { session, token, runs } = await asking()
  await expect(session.confirm(token, { approver })).rejects.toThrow(TypeError)
  await expect(session.deny(token, 'no', { approver })).rejects.toThrow(TypeError)
  expect([runs, (await session.listPending()).length]).toEqual([[], 1])
})

test('an approver decides only where there are approvers', async () => {
  const { session, token, runs } = await asking({ confirmation: {} })
  expect(typeOf(await session.confirm(token, manager('cyd')))).toBe('AUTH')
  await expect(session.deny(token, 'no', manager('cyd'))).rejects.toMatchObject({ type: 'AUTH' })
  expect([...runs, typeOf(await session.confirm(token))]).toEqual(['ran'])
})

test('as many approvers confirm as must, each once; the audit names each', async () => {
  const { registry, session, token, runs, events, lines } = await asking(two)
  const first = await session.confirm(token, manager('cyd'))
  expect([first.error.type, first.error.details]).toEqual(['CONFIRMATION_REQUIRED', { confirmations: 1, count: 2 }])
  const again = await session.confirm(token, manager('cyd'))
  expect([again.error.type, again.error.details]).toEqual(['CONFIRMATION_REQUIRED', { confirmations: 1, count: 2 }])
  expect([runs, (await session.listPending())[0].confirmations]).toEqual([[], 1])
  expect(typeOf(await session.confirm(token, manager('ada')))).toBe('AUTH')
  expect(typeOf(await session.confirm(token, { ...manager('dan'), via: 'link' }))).toBe('ran')
  expect(typeOf(await session.confirm(token, manager('eve')))).toBe('CONFIRMATION_EXPIRED')
  expect([runs, events.map(({ type }) => type)]).toEqual([['bob'], ['requested', 'confirmed']])
  await registry.close()
  const named = lines.filter(({ event }) => /^confirmation_(counted|granted)$/u.test(event))
  expect(named.map(({ event, principal, via, confirmations }) => [event, principal, via, confirmations])).toEqual([
    ['confirmation_counted', 'cyd', 'page', 1],
    ['confirmation_granted', 'dan', 'link', undefined],
  ])
  expect(new Set(named.map(({ previewHash }) => previewHash)).size).toBe(1)
})

test('one denial denies, by an approver only', async () => {
  const { session, token, runs, events } = await asking(two)
  await session.confirm(token, manager('cyd'))
  await expect(session.deny(token, 'no', manager('eve', ['clerk']))).rejects.toMatchObject({ type: 'AUTH' })
  await expect(session.deny(token, 'no', manager('ada'))).rejects.toMatchObject({ type: 'AUTH' })
  expect(await session.deny(token, 'too much', manager('dan'))).toBe(true)
  expect(events[1]).toMatchObject({ type: 'denied', approver: 'dan', reason: 'too much' })
  expect(typeOf(await session.confirm(token, manager('dan')))).toBe('CONFIRMATION_EXPIRED')
  expect(runs).toEqual([])
})

test('who asks withdraws their call', async () => {
  const { session, call, runs } = await asking(two)
  expect([await session.deny(call.id, 'not needed'), await session.listPending(), runs]).toEqual([true, [], []])
})

test('the only approver can change the arguments, one of several can not, and none grants later calls', async () => {
  const one = await asking({ confirmation: { ...PAY.confirmation, grantable: 'tool' } }, {}).catch(error => error)
  // A tool that has both is refused by the build.
  expect(one).toBeInstanceOf(Error)
  const { session, token, runs } = await asking()
  const grant = { scope: 'tool', calls: 9, ttlMs: 60_000 }
  expect(typeOf(await session.confirm(token, { ...manager('cyd'), grant }))).toBe('VALIDATION')
  const changed = await session.confirm(token, { ...manager('cyd'), args: { to: 'eve' } })
  expect([changed.meta.edited, runs]).toEqual([[{ path: '/to', value: 'eve' }], ['eve']])
  const several = await asking(two)
  const refused = await several.session.confirm(several.token, { ...manager('cyd'), args: { to: 'eve' } })
  expect([typeOf(refused), several.runs, (await several.session.listPending())[0].confirmations]).toEqual([
    'VALIDATION',
    [],
    0,
  ])
})

test('a call that is asked about again is decided about anew', async () => {
  const { open, runs } = await paying({ ...two, confirmation: { ...two.confirmation, ttlMs: 30 } })
  const session = await open({ principal: 'ada' })
  const asks = async () => (await session.execute(pay('bob'))).error.confirmation_request
  const { token, expires } = await asks()
  const counted = await session.confirm(token, manager('cyd'))
  expect(['CONFIRMATION_REQUIRED', 'CONFIRMATION_EXPIRED']).toContain(typeOf(counted))
  await new Promise(resolve => setTimeout(resolve, expires - Date.now() + 5))
  expect(typeOf(await session.confirm(token, manager('dan')))).toBe('CONFIRMATION_EXPIRED')
  let pending
  // The next question is as short.
  const isAsked = async () => {
    await asks()
    ;[pending] = await session.listPending()
    return pending !== undefined
  }
  await eventually(isAsked, 'a question that is open')
  expect([pending.confirmations, runs]).toEqual([0, []])
})

describe('over two registries on a file', () => {
  async function twoProcesses(fields) {
    const store = { file: path.join(temporaryFolder(), 'sessions.sqlite') }
    const here = await asking(fields, { store })
    const there = await paying(fields, { store })
    const session = await there.open({ sessionId: 'conversation', principal: 'ada' })
    return { here, there, session }
  }

  test('two approvers at once both count, and the call runs once', async () => {
    const { here, there, session } = await twoProcesses(two)
    const answers = await Promise.all([
      here.session.confirm(here.token, manager('cyd')),
      session.confirm(here.token, manager('dan')),
    ])
    expect(answers.map(typeOf).sort()).toEqual(['CONFIRMATION_REQUIRED', 'ran'])
    expect([...here.runs, ...there.runs]).toEqual(['bob'])
  })

  test('one approver in both at once counts once', async () => {
    const { here, there, session } = await twoProcesses(two)
    const answers = await Promise.all(
      [here.session, session, here.session, session].map(each => each.confirm(here.token, manager('cyd'))),
    )
    expect(answers.map(typeOf)).toEqual(Array(4).fill('CONFIRMATION_REQUIRED'))
    expect([here.runs, there.runs, (await session.listPending())[0].confirmations]).toEqual([[], [], 1])
    expect(typeOf(await session.confirm(here.token, manager('dan')))).toBe('ran')
    expect(there.runs).toEqual(['bob'])
  })

  test('of many at once, as many as must are enough, and one run is all', async () => {
    const { here, there, session } = await twoProcesses(two)
    const people = Array.from({ length: 8 }, (_, n) => manager(`person-${n}`))
    const answers = await Promise.all(people.map((who, n) => (n % 2 ? session : here.session).confirm(here.token, who)))
    const count = type => answers.filter(answer => typeOf(answer) === type).length
    expect([count('ran'), count('CONFIRMATION_REQUIRED'), count('CONFIRMATION_EXPIRED')]).toEqual([1, 1, 6])
    expect([...here.runs, ...there.runs]).toEqual(['bob'])
  })
})
