'use strict'

// Opens an address in the user's browser, if there is one. Other users of the machine see the arguments of programs, so the browser
// gets a private file that leads to the address.

const { spawn } = require('node:child_process')
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs')
const { tmpdir } = require('node:os')
const path = require('node:path')
const { pathToFileURL } = require('node:url')

/** @type {Partial<Record<NodeJS.Platform, [command: string, ...words: string[]]>>} */
const OPENERS = { darwin: ['open'], win32: ['explorer.exe'] }
const USUAL = /** @type {[string]} */ (['xdg-open'])

/**
 * @param {string} address of this package's own making
 * @returns {() => void} removes the file
 */
function openInBrowser(address) {
  // Without a display there is no browser to open.
  const { platform, env } = process
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return () => {}
  try {
    const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-'))
    const remove = () => rmSync(folder, { recursive: true, force: true })
    const file = path.join(folder, 'confirmations.html')
    writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${address}">\n`, { mode: 0o600 })
    const [command, ...words] = OPENERS[platform] ?? USUAL
    const child = spawn(command, [...words, pathToFileURL(file).href], { stdio: 'ignore', detached: true })
    // The address is on standard error, too.
    child.on('error', () => {})
    child.unref()
    return remove
  } catch {
    return () => {}
  }
}

module.exports = { openInBrowser }
