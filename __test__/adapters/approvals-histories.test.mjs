// Random histories over all adapters and two gates on one store: edits, duplicates, tools of two definitions, denials and doubled
// answers. Nothing runs but what the answered question showed. TOOLGATE_APPROVALS says how many histories; TOOLGATE_SEED plays those
// of a run again, whose seed is printed.
import { jest } from '@jest/globals'
import { ApprovalHistory } from './approval-history.mjs'
import { openStage } from './approval-stage.mjs'
import { surfacesOf } from './approval-surfaces.mjs'

const HISTORIES = Number(process.env.TOOLGATE_APPROVALS ?? 100)
const SEED = Number(process.env.TOOLGATE_SEED ?? Date.now() % 1_000_000)
const AT_ONCE = 16
const STEPS = 24
/** Histories in which each act and each surface comes up. */
const ENOUGH = 80

// What the adapters need of frameworks that are not installed here; the frameworks themselves are in __test__/packed.
const standIn = (name, module) => jest.mock(name, () => module, { virtual: true })
standIn('@mastra/core/tools', { createTool: given => given })
standIn('genkit', { tool: ({ name }, run) => ({ name, run, __action: {} }) })
class BaseTool {
  constructor(fields) {
    Object.assign(this, fields)
  }
}
standIn('@google/adk', { BaseTool })

async function play(histories, processes) {
  const [mastra, genkit, adk] = await Promise.all(
    ['mastra', 'genkit', 'adk'].map(async name => (await import(`../../js/adapters/${name}.js`)).default),
  )
  const surfaces = surfacesOf({ mastra, genkit, adk })
  const stage = await openStage(processes)
  const counts = {}
  try {
    for (let first = 0; first < histories; first += AT_ONCE) {
      const lot = Array.from({ length: Math.min(AT_ONCE, histories - first) }, (_, place) => first + place)
      const played = await Promise.allSettled(
        lot.map(number => new ApprovalHistory(stage, surfaces, counts, { seed: SEED, number }).play(STEPS)),
      )
      for (const { reason } of played) if (reason !== undefined) throw reason
    }
  } finally {
    await stage.close()
  }
  return { counts, surfaces: Object.keys(surfaces) }
}

test.each([
  ['one process', 1, HISTORIES],
  ['two processes', 2, Math.ceil(HISTORIES / 4)],
])(
  'in %s nothing runs but what an answered question showed',
  async (_, processes, number) => {
    process.stdout.write(`${number} histories of approvals: to play them again, set TOOLGATE_SEED=${SEED}\n`)
    const { counts, surfaces } = await play(number, processes)
    if (process.env.TOOLGATE_APPROVALS !== undefined) process.stdout.write(`${JSON.stringify(counts)}\n`)
    if (number < ENOUGH) return
    const played = [
      'calls',
      'asked',
      'askedAgain',
      'confirms',
      'edits',
      'denials',
      'atOnce',
      'looks',
      'forged',
      'ranAgain',
    ]
    for (const what of [...played, ...surfaces.map(surface => `ran by ${surface}`)])
      expect([what, counts[what] ?? 0]).not.toEqual([what, 0])
  },
  3_600_000,
)
