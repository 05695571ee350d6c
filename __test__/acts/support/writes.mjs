// The writes that two public benchmarks expect of an agent, by task.
//
// AgentDojo 0.1.35 (suites v1.2.2): its sixty user tasks whose ground truth writes. `agentdojo-tasks.json` has the tools, in
// their order, and the arguments; each body, content and description is the word `text` there. τ²: read at TOOLGATE_CORPUS, which
// has the calls by tool and not by task; sixty tasks are made of the writes in the order of the file, each of two or three.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TASKS_OF_TAU2 = 60
const READS = /^(?:get|list|search|check|calculate|request)(?:_|$)/u
const AGENTDOJO = new URL('agentdojo-tasks.json', import.meta.url)

/**
 * @typedef {{ name: string, args: object }} Write
 * @param {string} corpus
 * @returns {{ tools: { name: string, description?: string, parameters: object }[], tasks: Write[][] }}
 */
export function readWrites(corpus) {
  const [one, other] = [agentdojo(), tau2(corpus)]
  // Tasks of the two alternate: AgentDojo's neighbours ask for the same write, and a write that was confirmed is not asked for
  // again in the next turn.
  return {
    tools: [...one.tools, ...other.tools],
    tasks: one.tasks.flatMap((task, place) => [task, other.tasks[place]]),
  }
}

function agentdojo() {
  const tasks = JSON.parse(readFileSync(AGENTDOJO, 'utf8')).map(({ writes }) =>
    writes.map(([name, args]) => ({ name, args })),
  )
  const properties = {}
  for (const { name, args } of tasks.flat()) {
    const known = (properties[name] ??= {})
    for (const [key, value] of Object.entries(args))
      known[key] ??= { ...typeOf(value), description: `The ${key.replaceAll('_', ' ')}.` }
  }
  const tools = Object.entries(properties).map(([name, known]) => ({
    name,
    parameters: { type: 'object', properties: known },
  }))
  return { tools, tasks }
}

function typeOf(value) {
  if (Array.isArray(value)) return { type: 'array', items: typeOf(value[0]) }
  return { type: typeof value }
}

function tau2(corpus) {
  const lines = readFileSync(join(corpus, 'tools', 'tau2.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
  const seen = new Set()
  const tools = lines
    .map(line => JSON.parse(line))
    .filter(({ name, args }) => args?.length > 0 && !READS.test(name) && seen.size < seen.add(name).size)
  const calls = tools.flatMap(({ name, parameters, args }) =>
    args.map(given => ({ name, args: { ...defaultsOf(parameters), ...given } })),
  )
  const place = task => Math.round((task * calls.length) / TASKS_OF_TAU2)
  const tasks = Array.from({ length: TASKS_OF_TAU2 }, (_, task) => calls.slice(place(task), place(task + 1)))
  return { tools, tasks }
}

/** The gate adds them to a call. */
function defaultsOf({ properties }) {
  const declared = Object.entries(properties).filter(([, schema]) => 'default' in schema && schema.default !== null)
  return Object.fromEntries(declared.map(([name, schema]) => [name, schema.default]))
}
