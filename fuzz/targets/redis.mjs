// Answers of a Redis server on loopback: well-formed ones of the wrong kind, garbage, cut and late ones.
import { readFileSync } from 'node:fs'

import { changedBytes } from '../bytes.mjs'
import { WatchedChild, runWatched } from '../watched-child.mjs'

const LATE_MS = [20, 80, 150]
/** A case is several operations, of which each has its own limit in the child. */
const MAX_CASE_MS = 5000

export const name = 'redis'

export async function open() {
  const seeds = JSON.parse(readFileSync(new URL('../seeds/redis.json', import.meta.url), 'utf8'))
  return { seeds, child: new WatchedChild('redis', MAX_CASE_MS) }
}

/** @param {Awaited<ReturnType<typeof open>>} context */
export async function close({ child }) {
  child.close()
}

/** @param {import('../random.cjs').Random} random @param {import('./index.mjs').Count} count @param {any} context */
export async function step(random, count, { seeds, child }) {
  const replies = random.chance(0.8)
    ? changedConversation(random, seeds)
    : random.times(1, 12, () => randomReply(random, seeds.replies))
  const found = { replies }
  return runWatched(child, found, count)
}

/**
 * The answers that a server gave when the same calls were made, of which one to three are changed, late or exchanged.
 * @param {import('../random.cjs').Random} random @param {{ conversation: string[], replies: string[] }} seeds
 */
function changedConversation(random, { conversation, replies }) {
  const answers = conversation.map(text => ({ bytes: Buffer.from(text).toString('base64'), afterMs: 0, end: false }))
  for (let changes = 1 + random.below(3); changes > 0; changes -= 1) {
    const at = random.below(answers.length)
    const kind = random.below(5)
    if (kind === 0) answers[at] = randomReply(random, replies)
    else if (kind === 1) answers[at].afterMs = random.pick(LATE_MS)
    else if (kind === 2) answers[at].end = true
    else answers[at].bytes = changedBytes(random, Buffer.from(answers[at].bytes, 'base64')).toString('base64')
  }
  return answers
}

/** @param {import('../random.cjs').Random} random @param {string[]} seeds */
function randomReply(random, seeds) {
  const replies = random.times(1, 6, () => Buffer.from(random.pick(seeds)))
  const bytes = Buffer.concat(random.chance(0.4) ? replies.map(reply => changedBytes(random, reply)) : replies)
  return {
    bytes: bytes.toString('base64'),
    afterMs: random.chance(0.2) ? random.pick(LATE_MS) : 0,
    end: random.chance(0.1),
  }
}
