// The jobs of the load of background calls: how they run in the server's process, and what the simulated model makes of them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const TOOLS = fileURLToPath(new URL('load-tools/', import.meta.url))

/** The model says the mark of each result that reaches it, by an answer or by a note. */
export const JOB_RULES = [
  { when: { user: { contains: 'done-' } }, steps: [{ emit: [{ say: '{{user}}' }] }] },
  {
    when: { user: { regex: '^job (?<job>\\w+) (?<ms>\\d+)$' } },
    steps: [
      { emit: [{ call: { name: 'job_run', args: { job: '{{match.job}}', ms: '{{#match.ms}}' } } }] },
      { emit: [{ say: 'begun-{{match.job}}' }] },
    ],
  },
  {
    when: { user: { regex: '^job (?<job>\\w+)$' } },
    steps: [
      { emit: [{ call: { name: 'job_run', args: { job: '{{match.job}}' } } }] },
      { emit: [{ say: 'begun-{{match.job}}' }] },
    ],
  },
  { when: { results: true }, steps: [{ emit: [{ say: '{{results}}' }] }] },
]

/** Starts what the jobs need. @returns the options of their registry, and how often they ran */
export async function prepareJobs() {
  const { buildTools, formatReport } = await import('toolgate')
  const outDir = mkdtempSync(join(tmpdir(), 'toolgate-load-'))
  process.once('exit', () => rmSync(outDir, { recursive: true }))
  const report = await buildTools({ toolsDir: TOOLS, outDir })
  if (!report.ok) throw new Error(formatReport(report))
  /** @type {Map<string, number>} */
  const runs = new Map()
  /** @type {(() => void)[]} */
  const held = []
  let ended = 0
  /** A job that begins after the release does not wait. */
  let isReleased = false
  /** @param {{ args: { job: string, ms?: number } }} call */
  const job_run = async ({ args: { job, ms } }) => {
    runs.set(job, (runs.get(job) ?? 0) + 1)
    if (ms === undefined && !isReleased) await /** @type {Promise<void>} */ (new Promise(resolve => held.push(resolve)))
    else await sleep(ms ?? 0)
    ended += 1
    return { ok: true, data: { mark: `done-${job}` } }
  }
  return {
    options: { artifact: join(outDir, 'tool_registry.json'), handlers: { job_run } },
    release: () => {
      isReleased = true
      for (const end of held.splice(0)) end()
    },
    counted: () => ({
      ended,
      held: held.length,
      ranTwice: [...runs].filter(([, times]) => times > 1).map(([job]) => job),
    }),
  }
}
