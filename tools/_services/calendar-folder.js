// A folder of `<calendar>.ics` files: each read returns the current content, each write replaces a file atomically.
import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import path from 'node:path'

import { emptyCalendar, parseCalendars, toText } from './ics-document.js'

/**
 * @typedef {import('./ics-document.js').Component} Component
 * @typedef {Map<string, { version: string, calendars: Component[] }>} CalendarCache by file
 */

/** The calendars that tools name. */
export const CALENDARS = Object.freeze(['primary', 'team', 'personal'])

/**
 * @param {string} folder the folder of the files, created on the first write
 * @param {string} [sample] a read-only folder, read if `folder` lacks a file
 */
export function createCalendarFolder(folder, sample) {
  /** @type {CalendarCache} */
  const cache = new Map()
  const folders = sample ? [folder, sample] : [folder]
  /** @param {string} id */
  const candidates = id => folders.map(place => path.join(place, `${id}.ics`))

  return {
    /** The VCALENDAR components of a calendar, read-only; `null` if there is no such file. @param {string} id */
    async read(id) {
      for (const file of candidates(id)) {
        const calendars = await readCached(cache, file)
        if (calendars) return calendars
      }
      return null
    },

    /** A copy of them to be changed, or of a new calendar. @param {string} id */
    async readForUpdate(id) {
      for (const file of candidates(id)) {
        const text = await textOf(file)
        if (text !== null) return parseFile(file, text)
      }
      return [emptyCalendar()]
    },

    /**
     * Resolves when the file is on the disk: a power failure leaves either the old or the new file.
     * @param {string} id
     * @param {Component[]} calendars
     */
    async write(id, calendars) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await replaceFile(folder, `${id}.ics`, toText(calendars))
    },
  }
}

/** Parsed once per version of the file. @param {CalendarCache} cache @param {string} file */
async function readCached(cache, file) {
  const found = await stat(file, { bigint: true }).catch(nullIfMissing)
  if (!found) return null
  const version = `${found.ino}:${found.size}:${found.mtimeNs}`
  const cached = cache.get(file)
  if (cached?.version === version) return cached.calendars
  const text = await textOf(file)
  if (text === null) return null
  const calendars = parseFile(file, text)
  cache.set(file, { version, calendars })
  return calendars
}

/** @param {string} file */
function textOf(file) {
  return readFile(file, 'utf8').catch(nullIfMissing)
}

/** @param {string} file @param {string} text */
function parseFile(file, text) {
  try {
    return parseCalendars(text)
  } catch (error) {
    throw new Error(`${path.basename(file)} is no iCalendar file that can be read`, { cause: error })
  }
}

/** @param {string} folder @param {string} name @param {string} text */
async function replaceFile(folder, name, text) {
  const draft = path.join(folder, `.${name}.${randomUUID()}`)
  try {
    await writeDurably(draft, text)
    await rename(draft, path.join(folder, name))
  } catch (error) {
    await unlink(draft).catch(nullIfMissing)
    throw error
  }
  await syncFolder(folder)
}

/** @param {string} file @param {string} text */
async function writeDurably(file, text) {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Flushes the folder, if the platform supports it, so that the new name is on the disk too.
 * @param {string} folder
 */
async function syncFolder(folder) {
  const handle = await open(folder, 'r').catch(() => null)
  try {
    await handle?.sync()
  } catch {
    // The file system does not support it.
  } finally {
    await handle?.close()
  }
}

/** @param {NodeJS.ErrnoException} error @returns {null} */
function nullIfMissing(error) {
  if (error.code === 'ENOENT') return null
  throw error
}
