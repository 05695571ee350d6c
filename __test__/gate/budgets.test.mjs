// Budgets of a turn, loops, modes and roles.
import { open, types } from '../support/counted-tools.mjs'

describe('budgets and loops', () => {
  test('voice: the third retrieval and the fourth call are refused, the next turn starts fresh', async () => {
    const { session, runs, registry } = await open()
    const s = await session({ mode: 'voice' })
    await s.beginTurn()
    const turn = async () =>
      types([
        await s.execute({ name: 'look', args: { n: 1 } }),
        await s.execute({ name: 'look', args: { n: 2 } }),
        await s.execute({ name: 'look', args: { n: 3 } }),
        await s.execute({ name: 'plain', args: { n: 4 } }),
        await s.execute({ name: 'plain', args: { n: 5 } }),
      ])
    expect(await turn()).toEqual(['ok', 'ok', 'BUDGET_EXCEEDED', 'ok', 'BUDGET_EXCEEDED'])
    await s.beginTurn()
    expect(await turn()).toEqual(['ok', 'ok', 'BUDGET_EXCEEDED', 'ok', 'BUDGET_EXCEEDED'])
    expect(runs).toHaveLength(6)
    expect(registry.getMetrics().look.voice.errors).toEqual({ BUDGET_EXCEEDED: 2 })
  })

  test('a refusal is not stored: the same id runs in the next turn', async () => {
    const { session } = await open()
    const s = await session({ policy: { totalCalls: 1 } })
    await s.beginTurn()
    const call = { id: 'call_refused_1', name: 'plain', args: {} }
    await s.execute({ name: 'plain', args: { n: 0 } })
    const first = await s.execute(call)
    await s.beginTurn()
    expect(types([first, await s.execute(call)])).toEqual(['BUDGET_EXCEEDED', 'ok'])
    expect(first.error.suggestion).toMatch(/next turn/)
  })

  test('the same call with the same outcome: a warning at three, refused at five', async () => {
    const { session, runs } = await open()
    const s = await session()
    const answers = []
    for (let n = 1; n <= 5; n += 1)
      answers.push(await s.execute({ id: `call_looping_${n}`, name: 'plain', args: { n: 0 } }))
    expect(types(answers)).toEqual(['ok', 'ok', 'ok', 'ok', 'LOOP_DETECTED'])
    expect(answers.map(({ meta }) => meta.warnings?.length ?? 0)).toEqual([0, 0, 1, 0, 0])
    expect(runs).toHaveLength(4)
  })

  test('a user who repeats a question in five turns is no loop', async () => {
    const { session } = await open()
    const s = await session()
    for (let n = 0; n < 6; n += 1) {
      await s.beginTurn()
      expect((await s.execute({ name: 'look', args: { n: 0 } })).ok).toBe(true)
    }
  })

  test('tools of another mode are restricted, and the suggestion says where they are', async () => {
    const { session } = await open()
    const voice = await (await session({ mode: 'voice' })).execute({ name: 'starts_voice' })
    const text = await (await session()).execute({ name: 'ends_voice' })
    expect(types([voice, text])).toEqual(['MODE_RESTRICTED', 'MODE_RESTRICTED'])
    expect([voice.error.suggestion, text.error.suggestion].map(said => /text|voice/.exec(said)[0])).toEqual([
      'text',
      'voice',
    ])
  })

  test('roles', async () => {
    const { session } = await open()
    const run = async roles => (await session({ roles })).execute({ name: 'admin' })
    expect(types([await run([]), await run(['user']), await run(['user', 'admin'])])).toEqual(['AUTH', 'AUTH', 'ok'])
  })
})
