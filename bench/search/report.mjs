// The lines of the tool search in the terminal.

const COLUMNS = ['questions', 'first', 'first five']

/** @param {object} search of `measureSearch` */
export function searchLines({ missing, functions, tuned, heldOut, mcp, time }) {
  if (missing) return [`skipped: the tool search, because ${missing}`]
  const rows = [
    ['tuned half: Toolgate', tuned.toolgate],
    ['tuned half: plain BM25', tuned.plain],
    ['held-out half: Toolgate', heldOut.toolgate],
    ['held-out half: plain BM25', heldOut.plain],
    ['both halves: Toolgate', both(tuned.toolgate, heldOut.toolgate)],
    ['both halves: plain BM25', both(tuned.plain, heldOut.plain)],
    [`paraphrases of ${mcp.tools} MCP tools`, mcp.toolgate],
  ]
  const widest = Math.max(...rows.map(([title]) => title.length))
  const cells = values => values.map((value, n) => value.padStart(COLUMNS[n].length)).join('  ')
  const { tools, buildMs, medianMs, p99Ms, maxMs } = time
  return [
    `Tool search: users' questions over ${functions} functions, the share with the right tool (by name)`,
    `  ${''.padEnd(widest)}  ${cells(COLUMNS)}`,
    ...rows.map(([title, { questions, at1, at5 }]) => {
      return `  ${title.padEnd(widest)}  ${cells([String(questions), at1.toFixed(3), at5.toFixed(3)])}`
    }),
    '  The limit: many functions are near-duplicates under other names, such as five for the current weather, and some',
    '  questions share no word with their function.',
    `  One search over ${tools} tools: median ${milliseconds(medianMs)}, 99 of 100 within ${milliseconds(p99Ms)}, ` +
      `slowest ${milliseconds(maxMs)}; the index is built in ${buildMs.toFixed(0)} ms`,
  ]
}

function both(one, other) {
  const questions = one.questions + other.questions
  const share = key => (one[key] * one.questions + other[key] * other.questions) / questions
  return { questions, at1: share('at1'), at5: share('at5') }
}

const milliseconds = ms => `${ms.toFixed(3)} ms`
