'use strict'

// Watches the source files of a tool set; debounces changes.

const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

/** Debounce time: an editor writes several files at once, a checkout many. */
const DEBOUNCE_MS = 50
/** The longest delay of a build while changes continue. */
const MAX_DELAY_MS = 500

/**
 * @typedef {{ toolsDir: string, parent: string, outputs: Set<string>, others: Set<string> }} WatchScope `others`: the
 *   watched files outside the tools folder
 * @param {{ toolsDir: string, outputs: string[], onError(error: unknown): void }} options `outputs`: files that the
 *   build itself writes
 * @returns {Promise<{ start(onChange: () => void): void, alsoWatch(files: string[]): void, close(): Promise<void> }>}
 *   once every file is watched; `alsoWatch` sets which files outside the tools folder are
 */
async function watchTools({ toolsDir, outputs, onError }) {
  const { watch } = await import('chokidar')
  const parent = path.dirname(toolsDir)
  /** @type {Set<string>} */
  let others = new Set()
  let onChange = () => {}
  const changed = debounced(() => onChange())
  // Watches the parent folder, so that a deleted and recreated tools folder is noticed.
  const watcher = watch(parent, {
    ignoreInitial: true,
    ignored: file => isIgnored(path.resolve(file), { toolsDir, parent, outputs: new Set(outputs), others }),
  })
  watcher.on('all', (event, file) => {
    if (!isUnrelated(path.resolve(file), { toolsDir, others })) changed.notify()
  })
  watcher.on('error', onError)
  await /** @type {Promise<void>} */ (new Promise(resolve => watcher.once('ready', resolve)))
  return {
    start(call) {
      onChange = call
    },
    alsoWatch(files) {
      const wanted = new Set(files.filter(file => !isWithin(toolsDir, file)))
      const added = [...wanted].filter(file => !others.has(file))
      const gone = [...others].filter(file => !wanted.has(file))
      others = wanted
      watcher.unwatch(gone)
      if (added.length === 0) return
      watcher.add(added)
      // Covers changes between the build and the start of watching.
      watched(watcher, added).then(changed.notify)
    },
    close: () => {
      changed.stop()
      return watcher.close()
    },
  }
}

/**
 * Resolves when the files are watched, or after about a second: a deleted file never is.
 * @param {import('chokidar').FSWatcher} watcher
 * @param {string[]} files
 */
async function watched(watcher, files) {
  for (let round = 0; round < 50; round += 1) {
    const known = watcher.getWatched()
    if (files.every(file => known[path.dirname(file)]?.includes(path.basename(file)))) return
    await sleep(20)
  }
}

/** @param {string} folder @param {string} file */
const isWithin = (folder, file) => file === folder || file.startsWith(folder + path.sep)

/**
 * Whether the event is only a side effect of watching the parent folder.
 * @param {string} file
 * @param {Pick<WatchScope, 'toolsDir' | 'others'>} scope
 */
const isUnrelated = (file, { toolsDir, others }) => !isWithin(toolsDir, file) && !others.has(file)

/** @param {string} file @param {WatchScope} scope */
function isIgnored(file, { toolsDir, parent, outputs, others }) {
  if (others.has(file) || file === parent) return false
  if (!isWithin(toolsDir, file)) return true
  const names = path.relative(toolsDir, file).split(path.sep)
  // Hidden files are temporary files of editors and of the build; packages change with their lock file.
  return (
    outputs.has(file) ||
    names.some(name => (name.startsWith('.') && name !== '') || name === 'node_modules' || name.endsWith('~'))
  )
}

/** Calls once after a burst of notifications. @param {() => void} call */
function debounced(call) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  /** @type {number | undefined} */
  let since
  const fire = () => {
    since = undefined
    call()
  }
  return {
    notify() {
      since ??= Date.now()
      clearTimeout(timer)
      timer = setTimeout(fire, Math.min(DEBOUNCE_MS, Math.max(0, since + MAX_DELAY_MS - Date.now())))
    },
    stop() {
      clearTimeout(timer)
    },
  }
}

module.exports = { watchTools }
