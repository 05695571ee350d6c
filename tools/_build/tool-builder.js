// The tool compiler under the import path that build scripts use; run as a program, it builds the project's tools.
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { buildTools, formatReport } from '../../index.js'

export { buildTools } from '../../index.js'
export { toGeminiNative } from './provider-adapters/gemini-native.js'
export { toOpenAI } from './provider-adapters/openai.js'

if (isProgram()) {
  process.exitCode = await build()
}

/** @returns {Promise<number>} the exit code: 1 if the tools have errors, 2 if there are no tools to build */
async function build() {
  try {
    const report = await buildTools()
    process.stdout.write(formatReport(report, { color: process.stdout.isTTY === true }))
    return report.ok ? 0 : 1
  } catch (error) {
    process.stderr.write(`${/** @type {Error} */ (error).message}\n`)
    return 2
  }
}

function isProgram() {
  const program = process.argv[1]
  if (program === undefined) return false
  try {
    return realpathSync(program) === realpathSync(fileURLToPath(import.meta.url))
  } catch {
    // `node -e` and a bundle have no program file.
    return false
  }
}
