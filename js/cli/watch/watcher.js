'use strict'

// The files that a tool set is made of, watched: one call for all changes that come together.

const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

/** An editor writes several files at once; a checkout many. */
const QUIET_MS = 50
/** Where changes never end, a build is due all the same. */
const LONGEST_MS = 500

/**
 * @param {{ toolsDir: string, outputs: string[], onError(error: Error): void }} options `outputs`: files that the build itself
 *   writes
 * @returns {Promise<{ start(onChange: () => void): void, alsoWatch(files: string[]): void, close(): Promise<void> }>} once every
 *   file is watched; `alsoWatch` sets which files outside the tools folder are
 */
async function watchTools({ toolsDir, outputs, onError }) {
  const { watch } = await import('chokidar')
  const parent = path.dirname(toolsDir)
  let others = new Set()
  let onChange = () => {}
  const changed = gathered(() => onChange())
  // From above, so that a tools folder that goes away is seen when it comes back.
  const watcher = watch(parent, {
    ignoreInitial: true,
    ignored: file => isIgnored(path.resolve(file), { toolsDir, parent, outputs: new Set(outputs), others }),
  })
  watcher.on('all', (event, file) => {
    if (!isAside(path.resolve(file), { toolsDir, parent, others })) changed.note()
  })
  watcher.on('error', onError)
  await new Promise(resolve => watcher.once('ready', resolve))
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
      // What changed after the build and before they were watched is not to be missed.
      watched(watcher, added).then(changed.note)
    },
    close: () => {
      changed.stop()
      return watcher.close()
    },
  }
}

/** Resolves when the files are watched; one that is gone again never is. */
async function watched(watcher, files) {
  for (let round = 0; round < 50; round += 1) {
    const known = watcher.getWatched()
    if (files.every(file => known[path.dirname(file)]?.includes(path.basename(file)))) return
    await sleep(20)
  }
}

const isWithin = (folder, file) => file === folder || file.startsWith(folder + path.sep)

/** Seen only because it stands beside what is watched. */
const isAside = (file, { toolsDir, others }) => !isWithin(toolsDir, file) && !others.has(file)

function isIgnored(file, { toolsDir, parent, outputs, others }) {
  if (others.has(file) || file === parent) return false
  if (!isWithin(toolsDir, file)) return true
  const names = path.relative(toolsDir, file).split(path.sep)
  // Hidden files are editors' and the build's own; packages change with their lock file.
  return (
    outputs.has(file) ||
    names.some(name => (name.startsWith('.') && name !== '') || name === 'node_modules' || name.endsWith('~'))
  )
}

/** Calls once after a burst of notes. */
function gathered(call) {
  let timer
  let since
  const fire = () => {
    since = undefined
    call()
  }
  return {
    note() {
      since ??= Date.now()
      clearTimeout(timer)
      timer = setTimeout(fire, Math.min(QUIET_MS, Math.max(0, since + LONGEST_MS - Date.now())))
    },
    stop() {
      clearTimeout(timer)
    },
  }
}

module.exports = { watchTools }
