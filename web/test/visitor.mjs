// A new visitor of the page, in a real browser: watched for errors, for what the policy forbids, and for requests to
// elsewhere.

const PHONE = { width: 390, height: 780 }

/**
 * @param {{ after(fn: Function): void }} t
 * @param {import('playwright-core').Browser} chromium
 * @param {string} url of the app; a hash is the link of a call
 * @param {object} [settings] of the browser's context; a phone's width by default
 */
export async function visit(t, chromium, url, settings = {}) {
  const context = await chromium.newContext({ viewport: PHONE, ...settings })
  t.after(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(240_000)
  const faults = []
  page.on('pageerror', error => faults.push(error.message))
  page.on('console', message => message.type() === 'error' && isFault(message.text()) && faults.push(message.text()))
  page.on('request', request => request.url().startsWith(new URL(url).origin) || faults.push(request.url()))
  await page.goto(url)
  await isAwake(page)
  return { context, page, faults, ...actionsOn(page) }
}

/** Answers that refuse are part of the tests; what the browser refuses is not. */
function isFault(text) {
  return !/Failed to load resource|WebSocket connection/.test(text)
}

/** React has taken the page over. */
export async function isAwake(page) {
  await page.waitForFunction(() =>
    Object.keys(document.querySelector('#message') ?? {}).some(key => key.startsWith('__reactProps')),
  )
}

function actionsOn(page) {
  const card = page.getByRole('region', { name: /^Confirmation/ })
  return {
    card,
    answers: page.getByRole('article', { name: 'Assistant' }),
    said: page.getByRole('article', { name: 'You' }),
    dock: page.getByRole('region', { name: 'Voice call' }),
    /** Once an answer that still comes is there. */
    ask: async text => {
      await page.getByRole('button', { name: 'Send' }).waitFor()
      await page.fill('#message', text)
      await page.press('#message', 'Enter')
    },
    press: (name, place = page) => place.getByRole('button', { name, exact: true }).click(),
    /** Waits until the text is there. */
    sees: (text, place = page.getByRole('log')) => place.getByText(text).last().waitFor(),
    overflows: () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
  }
}
