// Messages of each provider: recorded forms with changed values, bytes, order and repetition.
import { readFileSync } from 'node:fs'

import { changedBytes, changedJson } from '../bytes.mjs'
import { WatchedChild, runWatched } from '../watched-child.mjs'

export const name = 'messages'

export async function open() {
  const seeds = JSON.parse(readFileSync(new URL('../seeds/messages.json', import.meta.url), 'utf8'))
  return { seeds, child: new WatchedChild('messages') }
}

/** @param {Awaited<ReturnType<typeof open>>} context */
export async function close({ child }) {
  child.close()
}

/** @param {import('../random.cjs').Random} random @param {import('./index.mjs').Count} count @param {any} context */
export async function step(random, count, { seeds, child }) {
  const provider = random.pick(Object.keys(seeds))
  const frames = random.pick(seeds[provider]).flatMap((/** @type {any} */ frame) => changedFrames(random, frame))
  const found = { provider, frames: frames.map((/** @type {Buffer} */ frame) => frame.toString('base64')) }
  return runWatched(child, found, outcome => count(`${provider} ${outcome}`))
}

/** No frame, one or two, of which each may be changed. @param {import('../random.cjs').Random} random @param {any} frame */
function changedFrames(random, frame) {
  const copies = random.pick([0, 1, 1, 1, 1, 1, 2])
  return random.times(copies, copies, () => {
    const kind = random.below(4)
    if (kind === 0) return Buffer.from(JSON.stringify(changedJson(random, frame)))
    const bytes = Buffer.from(JSON.stringify(frame))
    return kind === 1 ? changedBytes(random, bytes) : bytes
  })
}
