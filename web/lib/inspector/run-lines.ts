// Where the inspector finds what happened: the audit lines and the kept calls of this server and of others, from memory and from
// the ends of files. A file may be huge, rotated, half-written, or have foreign lines.
import { constants } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { auditSinkOf } from 'toolgate/http'
import { environmentList } from '../environment-list'
import { MAX_LINE, runMemory } from './run-memory'

/** An audit line, or a kept call (`event: 'call'`). */
export interface RunLine {
  event: string
  /** Epoch milliseconds. */
  time: number
  sessionId: string
  [field: string]: unknown
}

export interface RunLines {
  /** The oldest first. */
  lines: RunLine[]
  /** What a reader should know of the files. */
  notes: string[]
}

/** What is read of one file. */
const MAX_BYTES = 8 * 1024 * 1024

export async function readRunLines(): Promise<RunLines> {
  const parts = await Promise.all(filesToRead().map(readFileEnd))
  const kept = runMemory().lines.flatMap(text => lineOf(text) ?? [])
  const lines = [...parts.flatMap(part => part.lines), ...kept].sort((one, other) => one.time - other.time)
  return { lines, notes: parts.flatMap(part => part.notes) }
}

interface FileToRead {
  path: string
  /** Of kept calls: not written yet is no fault, and older ones are meant to go. */
  isOptional: boolean
}

function filesToRead(): FileToRead[] {
  const audit = auditSinkOf(process.env)
  const calls = process.env.TOOLGATE_INSPECTOR_CALLS
  const files = [
    ...(typeof audit === 'string' ? [] : [{ path: resolve(audit.file), isOptional: false }]),
    ...environmentList('TOOLGATE_INSPECTOR_AUDIT').map(path => ({ path: resolve(path), isOptional: false })),
    ...(calls ? [`${calls}.old`, calls].map(path => ({ path: resolve(path), isOptional: true })) : []),
  ]
  return [...new Map(files.map(file => [file.path, file])).values()]
}

/** The whole lines at the end of a file. */
export async function readFileEnd({ path, isOptional }: FileToRead): Promise<RunLines> {
  let file: FileHandle | null = null
  try {
    // Opening a pipe would wait for its writer.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = await file.stat()
    if (!stat.isFile()) return { lines: [], notes: [`“${basename(path)}” is no file, and was not read.`] }
    const start = Math.max(0, stat.size - MAX_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(stat.size - start), 0, stat.size - start, start)
    const texts = buffer.toString('utf8', 0, bytesRead).split('\n')
    // The first one may have begun before; the last one may still be written.
    if (start > 0) texts.shift()
    if (texts.at(-1) !== '' && lineOf(texts.at(-1) ?? '') === null) texts.pop()
    const written = texts.filter(text => text !== '')
    const lines = written.flatMap(text => lineOf(text) ?? [])
    if (isOptional) return { lines, notes: [] }
    return {
      lines,
      notes: await notesOn(path, start > 0, written.length > 0 && !written.some(text => text.startsWith('{'))),
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (isOptional && code === 'ENOENT') return { lines: [], notes: [] }
    return { lines: [], notes: [`“${basename(path)}” can’t be read (${code ?? 'unknown reason'}).`] }
  } finally {
    await file?.close()
  }
}

async function notesOn(path: string, isCut: boolean, isForeign: boolean): Promise<string[]> {
  const name = basename(path)
  const beside = await readdir(dirname(path)).catch(() => [])
  const rotated = beside.filter(
    entry => entry.startsWith(`${name}.`) && /^\.\d+(\.gz)?$/.test(entry.slice(name.length)),
  )
  return [
    isForeign ? `“${name}” has no audit lines.` : '',
    isCut || rotated.length > 0
      ? `Only the last ${MAX_BYTES / 1024 / 1024} MiB of “${name}” are shown${rotated.length > 0 ? ', and none of its rotated files' : ''}; “toolgate audit show” finds older lines.`
      : '',
  ].filter(Boolean)
}

/** Null for what is no line of a session: anything may be in a file. */
export function lineOf(text: string): RunLine | null {
  if (text.length > MAX_LINE || !text.startsWith('{')) return null
  try {
    const line: unknown = JSON.parse(text)
    const { at, event, sessionId } = line as Record<string, unknown>
    const time = typeof at === 'string' ? Date.parse(at) : NaN
    if (typeof event !== 'string' || typeof sessionId !== 'string' || sessionId === '' || Number.isNaN(time))
      return null
    return { ...(line as object), event, sessionId, time }
  } catch {
    return null
  }
}
