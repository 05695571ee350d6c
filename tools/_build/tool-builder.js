// The tool compiler under the import path that build scripts use; run as a program, it builds the tools of its folder.
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { buildTools, formatReport } from '../../index.js'

export { buildTools } from '../../index.js'

if (isProgram()) {
  const report = await buildTools()
  process.stdout.write(formatReport(report, { color: process.stdout.isTTY === true }))
  process.exitCode = report.ok ? 0 : 1
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
