// `npm run bench:plot`: draws docs/performance/*.svg and renews the figures of docs/performance.md from the results kept there.
import { readFileSync, writeFileSync } from 'node:fs'

import { chartsOf } from './plot/charts.mjs'
import { renewPage } from './plot/page.mjs'
import { readResults } from './results.mjs'

const docs = new URL('../docs/', import.meta.url)
const results = readResults()
if (results === null) {
  console.error('nothing is measured yet: `npm run bench -- --save` keeps results')
  process.exitCode = 1
} else {
  const charts = chartsOf(results)
  for (const [name, svg] of Object.entries(charts)) writeFileSync(new URL(`performance/${name}`, docs), svg)
  const page = new URL('performance.md', docs)
  writeFileSync(page, renewPage(readFileSync(page, 'utf8'), results, Object.keys(charts)))
  console.log(
    `docs/performance.md and ${Object.keys(charts).length} plots are made of the results of ${results.machine.measuredOn}`,
  )
}
