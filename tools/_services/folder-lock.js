// A lock in a folder for the processes of one machine. A process that dies does not keep it.
//
// The folder contains one small file for each acquisition, with increasing numbers: `lock.7` contains its owner, or is
// marked as released. A process acquires the lock by creating the next number. Only one process can (`link` fails if
// the name exists), so two processes that find a dead owner at the same moment can't both succeed it. Numbers never
// decrease while a process reads them.
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
/** The number of older files that are kept, for processes that read slowly. */
const KEPT = 16

const FREE = 'free'
const SELF = identity(process.pid)

/**
 * Runs `work` while no other process holds the lock of this folder, in this process or another.
 *
 * @template T
 * @param {string} folder created if missing; must contain nothing else
 * @param {() => Promise<T>} work
 * @param {{ signal?: AbortSignal, waitMs?: number }} [options]
 * @returns {Promise<T>}
 * @throws {ServiceError} TIMEOUT, `unsent`, if the lock was not available in time; `work` did not run
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

/** @param {string} folder @param {number} until epoch milliseconds @param {AbortSignal | undefined} signal */
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

/**
 * Creates a number. Only one process succeeds, and only if it is still the newest: a deleted old number must not count.
 * @param {string} folder
 * @param {number} number
 */
async function takeNumber(folder, number) {
  const file = fileOf(folder, number)
  // Written in advance: the release must not fail on a full disk.
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

/**
 * Creates the file with its full content, or not at all; false if it already exists.
 * @param {string} folder
 * @param {string} file
 */
async function linkDraft(folder, file) {
  const made = await draft(folder, JSON.stringify(SELF))
  try {
    await link(made, file)
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    throw error
  } finally {
    await unlink(made)
  }
}

/** @param {string} folder @param {string} text */
async function draft(folder, text) {
  const file = path.join(folder, `draft.${randomUUID()}`)
  await writeFile(file, text, { mode: 0o600 })
  return file
}

/** @param {string} folder @param {number} number */
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
    // Deleted: another process is ahead, and the next read finds the newer number.
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return false
    throw error
  }
}

/**
 * Identifies a process by id and start time (if the platform reports it), because process ids are reused.
 * @param {number} pid
 */
function identity(pid) {
  return { host: hostname(), boot: readLine('/proc/sys/kernel/random/boot_id'), pid, started: startOf(pid) }
}

/** @param {number} pid */
function startOf(pid) {
  // The program name, in parentheses, may contain any character: fields are counted after it.
  return readLine(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ')[19] ?? null
}

/** @param {string} file */
function readLine(file) {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return null
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}

/** @param {string} folder */
async function numbersIn(folder) {
  const names = await readdir(folder)
  return names.flatMap(name => (/^lock\.\d+$/.test(name) ? [Number(name.slice('lock.'.length))] : []))
}

/** @param {string} folder @param {number} number */
function fileOf(folder, number) {
  return path.join(folder, `lock.${number}`)
}

/** @param {NodeJS.ErrnoException} error */
function ignoreMissing(error) {
  if (error.code !== 'ENOENT') throw error
}
