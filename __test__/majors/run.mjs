// Runs every conversation with the packages of a folder, and prints a line for each: a process, because the next
// majors need a newer Node than the one that runs the tests. `node run.mjs <folder with load.mjs>`
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'

import { CONVERSATIONS } from './conversations.mjs'
import { openStage } from './stage.mjs'

const folder = resolve(process.argv[2])
const { load } = await import(pathToFileURL(resolve(folder, 'load.mjs')))
const aiMajor = Number.parseInt(createRequire(resolve(folder, 'load.mjs'))('ai/package.json').version, 10)

for (const [name, converse] of Object.entries(CONVERSATIONS)) {
  const stage = await openStage(load, aiMajor)
  const error = await converse(stage).then(
    () => null,
    problem => problem?.stack ?? String(problem),
  )
  await stage.close()
  console.log(JSON.stringify({ name, error }))
}
// A client's socket that is slow to close must not hold the tests.
process.exit()
