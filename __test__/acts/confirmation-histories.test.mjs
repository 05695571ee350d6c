// Random histories of confirmations over two registries on a file, in one process and in two, against a sequential model.
// TOOLGATE_HISTORIES says how many; TOOLGATE_SEED plays those of a run again, whose seed is printed.
import { HistoryModel } from './support/history-model.mjs'
import { runHistories } from './support/histories.mjs'

const HISTORIES = Number(process.env.TOOLGATE_HISTORIES ?? 100)
/** Histories in which each act comes up. */
const ENOUGH = 500
const SEED = Number(process.env.TOOLGATE_SEED ?? Date.now() % 1_000_000)

test.each([
  ['one process', 1, HISTORIES],
  ['two processes, one of which is killed again and again', 2, Math.ceil(HISTORIES / 2)],
])(
  'what runs in %s was shown or granted',
  async (_, processes, number) => {
    process.stdout.write(`${number} histories of confirmations: to play them again, set TOOLGATE_SEED=${SEED}\n`)
    const { histories, unshown, ...counts } = await runHistories({ seed: SEED, histories: number, processes })
    expect([histories, unshown]).toEqual([number, 0])
    const played = [
      'asked',
      'answeredTwice',
      'approved',
      'byGrant',
      'calls',
      'confirmed',
      'counted',
      'denied',
      'edited',
    ]
    const all = [...played, 'expired', 'forged', 'granted', 'reloads', 'revoked'].sort()
    // In few histories the rarest acts may not come up.
    if (number < ENOUGH) expect(all).toEqual(expect.arrayContaining([...Object.keys(counts), 'asked', 'confirmed']))
    else expect(Object.keys(counts).sort()).toEqual(all)
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0)
  },
  3_600_000,
)

test('the model: a grant is used up, and two denials of a turn are the last', () => {
  const model = new HistoryModel({})
  const act = { tool: 'pay', to: 'bob', amount: 1 }
  expect(model.call(act)).toBe('asked')
  expect(model.confirm(act, { grant: { scope: 'args', calls: 1, expires: 9e15 } })).toBe('ran')
  expect(model.call(act)).toBe('replay')
  model.turn += 2
  expect([model.call(act), model.call(act)]).toEqual(['ran', 'asked'])
  model.deny(act)
  expect(model.call(act)).toBe('asked')
  model.deny(act)
  expect(model.call(act)).toBe('denied')
})
