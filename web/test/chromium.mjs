// The browser for the page's tests: found on this machine, or its tests are skipped with a line.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const CANDIDATES = [process.env.TOOLGATE_CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome']
const FLAGS = ['--disable-gpu', '--disable-background-networking', '--no-first-run']
const executablePath = CANDIDATES.find(path => path && existsSync(path))

/** Why there is no browser; false where there is one. */
export const skip = executablePath ? false : 'no Chromium: set TOOLGATE_CHROMIUM to its path'

/** @param {string[]} [flags] beside the usual ones */
export const launchChromium = (flags = []) =>
  chromium.launch({ executablePath, chromiumSandbox: false, args: [...FLAGS, ...flags] })
