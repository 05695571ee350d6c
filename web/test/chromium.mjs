// Finds the browser for the page's tests on this machine; without it the tests are skipped with a message.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const CANDIDATES = [process.env.TOOLGATE_CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome']
const FLAGS = ['--disable-gpu', '--disable-background-networking', '--no-first-run']
const executablePath = CANDIDATES.find(path => path && existsSync(path))

/** Reason for skipping the tests; false if there is a browser. */
export const skip = executablePath ? false : 'no Chromium: set TOOLGATE_CHROMIUM to its path'

/** @param {string[]} [flags] beside the usual ones */
export const launchChromium = (flags = []) =>
  chromium.launch({ executablePath, chromiumSandbox: false, args: [...FLAGS, ...flags] })
