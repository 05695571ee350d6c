// Files of another version or of another program: refused as the registry loads, and not changed.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { checkStore } from '../../index.js'
import { openGate } from '../support/gate.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'

/** Offsets in the header of an SQLite file (sqlite.org/fileformat.html, 1.3). */
const USER_VERSION = 60
const APPLICATION_ID = 68

const TOOLS = { look: { execute: () => ({ ok: true }) } }

/** A closed store with a session, changed at an offset of its header. */
async function changedStore(offset, number) {
  const file = path.join(temporaryFolder(), 'sessions.sqlite')
  const gate = await openGate(TOOLS, { store: { file } })
  await gate.session({ sessionId: 's' })
  await gate.registry.close()
  const bytes = readFileSync(file)
  bytes.writeInt32BE(number, offset)
  writeFileSync(file, bytes)
  return { file, bytes }
}

test.each([
  [
    'a newer version',
    USER_VERSION,
    2,
    'was written by a newer toolgate (its layout is 2, this one knows 1); use that one',
  ],
  ['another program', APPLICATION_ID, 7, 'belongs to another program; name a file of its own'],
])('a file of %s is refused as the registry loads', async (_, offset, number, reason) => {
  const { file, bytes } = await changedStore(offset, number)
  await expect(openGate(TOOLS, { store: { file } })).rejects.toMatchObject({
    name: 'RegistryLoadError',
    code: 'STORE_REFUSED',
    message: expect.stringContaining(`\`${file}\` ${reason}`),
  })
  await expect(checkStore({ file })).rejects.toMatchObject({
    name: 'StoreError',
    code: 'STORE_FAILED',
    message: `\`${file}\` ${reason}`,
  })
  expect(readFileSync(file).equals(bytes)).toBe(true)
})
