// A folder of `<calendar>.ics` files: read with what they say now, replaced as a whole. Knows nothing of events.
import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import path from 'node:path'

import { emptyCalendar, parseCalendars, toText } from './ics-document.js'

/** The calendars that tools name. */
export const CALENDARS = Object.freeze(['primary', 'team', 'personal'])

/**
 * @param {string} folder where files are written
 * @param {string} [sample] a folder that is read where `folder` lacks a file, and never written
 */
export function createCalendarFolder(folder, sample) {
  const cache = new Map()
  const candidates = id => [folder, sample].filter(Boolean).map(place => path.join(place, `${id}.ics`))

  return {
    /** The VCALENDAR components of a calendar, not to be changed; `null` if there is no such file. */
    async read(id) {
      for (const file of candidates(id)) {
        const calendars = await readCached(cache, file)
        if (calendars) return calendars
      }
      return null
    },

    /** The same to be changed, or a new one. */
    async readForUpdate(id) {
      for (const file of candidates(id)) {
        const text = await textOf(file)
        if (text !== null) return parseFile(file, text)
      }
      return [emptyCalendar()]
    },

    /** Resolves once the file is on the disk: after a power failure there is the new one, before it the old one. */
    async write(id, calendars) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await replaceFile(folder, `${id}.ics`, toText(calendars))
    },
  }
}

/** Parsed once per version of the file. */
async function readCached(cache, file) {
  const found = await stat(file, { bigint: true }).catch(nullIfMissing)
  if (!found) return null
  const version = `${found.ino}:${found.size}:${found.mtimeNs}`
  if (cache.get(file)?.version !== version) {
    const text = await textOf(file)
    if (text === null) return null
    cache.set(file, { version, calendars: parseFile(file, text) })
  }
  return cache.get(file).calendars
}

function textOf(file) {
  return readFile(file, 'utf8').catch(nullIfMissing)
}

function parseFile(file, text) {
  try {
    return parseCalendars(text)
  } catch (error) {
    throw new Error(`${path.basename(file)} is no iCalendar file that can be read`, { cause: error })
  }
}

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

async function writeDurably(file, text) {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Where the platform has it: the new name is on the disk too. */
async function syncFolder(folder) {
  const handle = await open(folder, 'r').catch(() => null)
  try {
    await handle?.sync()
  } catch {
    // A file system without it keeps its own promises.
  } finally {
    await handle?.close()
  }
}

function nullIfMissing(error) {
  if (error.code === 'ENOENT') return null
  throw error
}
