// The shapes of frames that the packages' own clients were recorded with (TOOLGATE_CORPUS, folder `wire`).
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = path.join(process.env.TOOLGATE_CORPUS ?? path.join(root, '..', 'shared', 'corpus'), 'wire')
const files = existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.jsonl')) : []
const lines = files.flatMap(name =>
  readFileSync(path.join(folder, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line)),
)

/** Whether there is a corpus to compare with. */
export const isRecorded = lines.length > 0

const bodies = url => lines.filter(line => line.url === url && line.body).map(({ body }) => body)
const frames = lines
  .filter(({ dir, what }) => dir === 'client->server' || what === 'realtime-wss client->server')
  .map(({ json }) => json)

/** What was sent, by its kind: each list holds the recorded examples. */
const KINDS = {
  'an assistant message with calls': () =>
    bodies('/v1/chat/completions').flatMap(({ messages }) => messages.filter(({ tool_calls }) => tool_calls)),
  'a tool message': () =>
    bodies('/v1/chat/completions').flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool')),
  'a function_call_output': () =>
    bodies('/v1/responses').flatMap(({ input }) =>
      (Array.isArray(input) ? input : []).filter(({ type }) => type === 'function_call_output'),
    ),
  'a Realtime answer': () => frames.filter(frame => frame?.item?.type === 'function_call_output'),
  'a Realtime request to go on': () => frames.filter(({ type }) => type === 'response.create'),
  'a Live answer': () =>
    frames
      .filter(({ toolResponse }) => toolResponse)
      .map(({ toolResponse }) => ({ toolResponse: { functionResponses: toolResponse.functionResponses.slice(0, 1) } })),
}

/** Members that hold what the tool said, or what the host chose: their own shape is not compared. */
const OPEN = new Set(['response'])

/** Predicates of the recorded examples of a kind; none without the corpus. */
export function shapesIn(kind) {
  const examples = KINDS[kind]()
  if (isRecorded && examples.length === 0) throw new Error(`the corpus has no example of ${kind}`)
  return examples.map(example => frame => isAlike(frame, example))
}

function isAlike(value, example, name) {
  const kind = kindOf(value)
  if (kind !== kindOf(example)) return false
  if (OPEN.has(name)) return true
  if (kind === 'list') return value.every(one => example.some(other => isAlike(one, other)))
  if (kind !== 'object') return true
  const [names, others] = [value, example].map(object => Object.keys(object).sort().join())
  return names === others && Object.keys(value).every(key => isAlike(value[key], example[key], key))
}

const kindOf = value => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value)
