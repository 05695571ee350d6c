// The chat page of docs/next.md in a real browser: `node use-approval-card.mjs <url> <button> <message>` prints what the card
// asks and what the assistant says after the button.
import { launchChromium } from '../../web/test/chromium.mjs'

const [url, button, message] = process.argv.slice(2)
const chromium = await launchChromium()
try {
  const page = await chromium.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(url)
  const field = page.getByLabel('Message')
  await page.waitForFunction(() =>
    Object.keys(document.querySelector('input') ?? {}).some(key => key.startsWith('__reactProps')),
  )
  await field.fill(message)
  await field.press('Enter')
  const card = page.getByRole('region', { name: /^Confirmation/ }).first()
  await card.waitFor()
  const asked = (await card.innerText()).replaceAll(/\s+/g, ' ')
  await card.getByRole('button', { name: button }).click()
  const said = page.locator('main > section > p').last()
  await page.waitForFunction(() =>
    [...document.querySelectorAll('main > section > p')].at(-1)?.textContent.endsWith('refunded.'),
  )
  console.log(JSON.stringify([asked, await said.innerText()]))
} finally {
  await chromium.close()
}
