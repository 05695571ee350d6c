// A file store whose bytes, pages, or documents in its rows were changed.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { changedBytes } from '../bytes.mjs'
import { WatchedChild, runWatched } from '../watched-child.mjs'

const MAX_CASE_MS = 5000
const MAX_CHANGES = 8

export const name = 'store-file'

export async function open() {
  const child = new WatchedChild('store-file', MAX_CASE_MS)
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-fuzz-'))
  try {
    const file = path.join(folder, 'sessions.sqlite')
    const { outcome } = await child.run({ bytes: null, file })
    if (outcome !== 'answered') throw new Error(`the seed could not be made: ${outcome}`)
    return { seed: readFileSync(file), child }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {Awaited<ReturnType<typeof open>>} context */
export async function close({ child }) {
  child.close()
}

/** @param {import('../random.cjs').Random} random @param {import('./index.mjs').Count} count @param {any} context */
export async function step(random, count, { seed, child }) {
  const change = random.pick([changedBytes, changedInPlace, changedDocuments, changedDocuments])
  const found = { bytes: change(random, seed).toString('base64') }
  return runWatched(child, found, count)
}

/** Single bytes, at the same length. @param {import('../random.cjs').Random} random @param {Buffer} seed */
function changedInPlace(random, seed) {
  const bytes = Buffer.from(seed)
  for (let changes = 1 + random.below(MAX_CHANGES); changes > 0; changes -= 1)
    bytes[random.below(bytes.length)] = random.below(256)
  return bytes
}

/**
 * Characters within the JSON texts of rows. SQLite keeps no checksum, and lengths stay, so the rows are read.
 * @param {import('../random.cjs').Random} random @param {Buffer} seed
 */
function changedDocuments(random, seed) {
  const bytes = Buffer.from(seed)
  const texts = [...seed.toString('latin1').matchAll(/\{"[ -~]+\}/g)]
  for (let changes = 1 + random.below(MAX_CHANGES); changes > 0; changes -= 1) {
    const { 0: text, index } = random.pick(texts)
    bytes[index + random.below(text.length)] = random.pick([...'0918{}[]",:-enu\\']).charCodeAt(0)
  }
  return bytes
}
