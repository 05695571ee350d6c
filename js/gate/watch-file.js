'use strict'

// Watches one file that builds replace.

const { watch } = require('node:fs')
const path = require('node:path')

/** Time for an editor or a build to finish writing before the file is read again. */
const SETTLE_MS = 50

/**
 * Calls `changed` after each change of the file.
 * @param {string} file an absolute path
 * @param {() => unknown} changed
 * @returns {() => void} stops watching
 */
function watchFile(file, changed) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  // The folder is watched: an atomic write puts a new file in the old one's place.
  const watcher = watch(path.dirname(file), { persistent: false }, (_event, name) => {
    if (name !== path.basename(file)) return
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLE_MS)
  })
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}

module.exports = { watchFile }
