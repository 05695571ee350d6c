// Recall and time of the tool search, measured in the core without Node by `evaluation.rs`, over the corpus of public
// tool definitions and users' questions (its README names the sources). `TOOLGATE_CORPUS` is its folder.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * @returns {Promise<{ missing: string } | object>} `missing`: what this machine lacks; otherwise the report of
 *   `evaluation.rs`
 */
export async function measureSearch() {
  const corpus = path.resolve(root, process.env.TOOLGATE_CORPUS ?? '../shared/corpus')
  if (!existsSync(path.join(corpus, 'search'))) return { missing: `there is no corpus in ${corpus}` }
  const program = await build()
  if (program === null) return { missing: 'there is no cargo here to build what is measured' }
  const { stdout } = await run(program, [corpus], { cwd: root })
  return JSON.parse(stdout)
}

/** @returns {Promise<string | null>} the path of the program; null without cargo */
async function build() {
  const args = ['build', '--release', '-p', 'toolgate-tool-search', '--example', 'search_evaluation']
  try {
    const { stdout } = await run('cargo', [...args, '--message-format', 'json'], { cwd: root, maxBuffer: 2 ** 28 })
    const messages = stdout.split('\n').filter(line => line.includes('"executable":"'))
    return messages.map(line => JSON.parse(line)).find(({ target }) => target.name === 'search_evaluation').executable
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
}
