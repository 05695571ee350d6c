// A lock that processes of one machine take by way of a folder, and that a process which died does not keep.
//
// The folder holds one small file per time the lock was taken, numbered upwards: `lock.7` says who holds it, or that it is
// free again. Taking the lock means making the next number, which only one can (`link` fails where the name exists), so two
// that find a dead owner at the same moment can't both follow it. Numbers never go down while a process looks.
import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, readdir, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { ServiceError } from './service-errors.js'

const WAIT_MS = 10_000
const LONGEST_PAUSE_MS = 40
/** An owner whose state is unknown (another machine's) has lost the lock after this time. */
const FORGOTTEN_MS = 60_000
/** Numbers that stay behind the newest, for processes that are slow to look. */
const KEPT = 16

const FREE = 'free'
const SELF = identity(process.pid)

/**
 * Runs `work` while no other process holds the lock of this folder, in this process or another.
 *
 * @template T
 * @param {string} folder made if it is missing; nothing else may be kept in it
 * @param {() => Promise<T>} work
 * @param {{ signal?: AbortSignal, waitMs?: number }} [options]
 * @returns {Promise<T>}
 * @throws {ServiceError} TIMEOUT, `unsent`, where the lock was not to be had in time; `work` did not run
 */
export async function withLock(folder, work, { signal, waitMs = WAIT_MS } = {}) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const held = await take(folder, Date.now() + waitMs, signal)
  try {
    return await work()
  } finally {
    await rename(held.release, held.file)
  }
}

async function take(folder, until, signal) {
  for (;;) {
    signal?.throwIfAborted()
    const newest = Math.max(0, ...(await numbersIn(folder)))
    if (newest === 0 || (await isUpForGrabs(folder, newest))) {
      const held = await takeNumber(folder, newest + 1)
      if (held) return held
    }
    if (Date.now() > until)
      throw new ServiceError('TIMEOUT', 'the folder is locked by another process', { unsent: true })
    await sleep(1 + Math.random() * LONGEST_PAUSE_MS)
  }
}

/** One of all who try gets the number; and only if it is still the newest, or an old number would count again. */
async function takeNumber(folder, number) {
  const file = fileOf(folder, number)
  // Written beforehand: giving the lock back must not fail for want of space.
  const release = await draft(folder, FREE)
  const numbers = (await linkDraft(folder, file)) ? await numbersIn(folder) : []
  if (Math.max(...numbers) === number) {
    const past = numbers.filter(old => old <= number - KEPT)
    await Promise.all(past.map(old => unlink(fileOf(folder, old)).catch(ignoreMissing)))
    return { file, release }
  }
  await unlink(release)
  if (numbers.length > 0) await unlink(file).catch(ignoreMissing)
  return null
}

/** Makes the file with all that it says, or not at all; false if it is there already. */
async function linkDraft(folder, file) {
  const made = await draft(folder, JSON.stringify(SELF))
  try {
    await link(made, file)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  } finally {
    await unlink(made)
  }
}

async function draft(folder, text) {
  const file = path.join(folder, `draft.${randomUUID()}`)
  await writeFile(file, text, { mode: 0o600 })
  return file
}

async function isUpForGrabs(folder, number) {
  try {
    const text = await readFile(fileOf(folder, number), 'utf8')
    if (text === FREE) return true
    const owner = JSON.parse(text)
    if (owner.host === SELF.host && owner.boot !== SELF.boot) return true
    const current = owner.host === SELF.host ? identity(owner.pid) : null
    if (current?.started) return current.started !== owner.started
    if (current && !isRunning(owner.pid)) return true
    return Date.now() - (await stat(fileOf(folder, number))).mtimeMs > FORGOTTEN_MS
  } catch (error) {
    // Gone: another process is ahead, and the next look finds the newer number.
    if (error.code === 'ENOENT') return false
    throw error
  }
}

/** Names a process so that another one with the same id, later, is not taken for it, if the platform reports start times. */
function identity(pid) {
  return { host: hostname(), boot: readLine('/proc/sys/kernel/random/boot_id'), pid, started: startOf(pid) }
}

function startOf(pid) {
  // The name of the program, in brackets, may hold anything: fields are counted behind it.
  return readLine(`/proc/${pid}/stat`)?.split(') ').at(-1).split(' ')[19] ?? null
}

function readLine(file) {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return null
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

async function numbersIn(folder) {
  const names = await readdir(folder)
  return names.flatMap(name => (/^lock\.\d+$/.test(name) ? [Number(name.slice('lock.'.length))] : []))
}

function fileOf(folder, number) {
  return path.join(folder, `lock.${number}`)
}

function ignoreMissing(error) {
  if (error.code !== 'ENOENT') throw error
}
