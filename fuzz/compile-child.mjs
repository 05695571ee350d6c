// Compiles each definition that a line of standard input holds, and writes a line about it.
import { createInterface } from 'node:readline'

import { compileTool } from '../index.js'

const megabytes = () => process.memoryUsage.rss() / 2 ** 20

createInterface({ input: process.stdin }).on('line', line => {
  const before = megabytes()
  console.log(JSON.stringify(result(JSON.parse(line), before)))
})

/** @param {any} parameters @param {number} before */
function result(parameters, before) {
  try {
    compileTool({ name: 'fuzz', description: 'A random schema.', parameters })
    return { growthMb: Math.round(megabytes() - before) }
  } catch (error) {
    return { error: `${/** @type {Error} */ (error).name}: ${/** @type {Error} */ (error).message}` }
  }
}
