// The server's own program, as a process.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url))

/** The program with its settings, once it listens, and the lines of its log. */
export async function startProgram(t, env) {
  const child = spawn(process.execPath, [MAIN], { env: { PATH: process.env.PATH, PORT: '0', ...env }, stdio: 'pipe' })
  t.after(() => child.kill('SIGKILL'))
  const log = []
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', line => {
      log.push(line)
      if (line.includes('"listening"')) resolve(JSON.parse(line).url)
    })
    child.once('exit', code => reject(new Error(`ended with ${code} before it listened`)))
  })
  return { child, url, log }
}
