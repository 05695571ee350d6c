// A store file with any content: it is used, or refused with a typed error.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { payWith } from '../payment.mjs'

const TIMEOUT_MS = 200

/** @param {{ bytes: string | null, file?: string }} input the file's content in base64; null to use `file` as it is */
export async function runCase({ bytes, file }) {
  if (bytes === null) return payWith({ file, timeoutMs: TIMEOUT_MS })
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-fuzz-'))
  try {
    const changed = path.join(folder, 'sessions.sqlite')
    writeFileSync(changed, Buffer.from(bytes, 'base64'), { mode: 0o600 })
    return await payWith({ file: changed, timeoutMs: TIMEOUT_MS })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
