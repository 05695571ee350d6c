// One process of an experiment: `node program.mjs <framework> <step>`. What it hears goes to standard output, its state into STATE.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { refund } from './payments.mjs'

const [framework, step] = process.argv.slice(2)
const { STATE, CALL, KEYED } = process.env
const file = name => path.join(STATE, name)

const host = {
  file,
  /** What the scripted model calls next: `{ id, args }`. After that it says what it has. */
  call: CALL && JSON.parse(CALL),
  save: (name, value) => writeFileSync(file(name), JSON.stringify(value)),
  load: name => (existsSync(file(name)) ? JSON.parse(readFileSync(file(name), 'utf8')) : undefined),
  /** The tool's code; KEYED: with the framework's call id as idempotency key. */
  refund: (args, callId) => refund(args, KEYED ? callId : undefined),
}
const steps = await import(`./frameworks/${framework}.mjs`)
let heard
try {
  heard = await steps[step](host)
} catch (error) {
  heard = `${error.name}: ${error.message}`.split('\n')[0]
}
console.log(JSON.stringify(heard ?? null))
process.exit()
