// What axe finds on a page.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const AXE = readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Findings of any level. Evaluated through the debugger: the page's policy allows only the app's scripts. */
export async function findings(page) {
  await page.evaluate(await AXE)
  const { violations } = await page.evaluate(() => globalThis.axe.run())
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  )
}
