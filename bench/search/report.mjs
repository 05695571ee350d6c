// The lines of the tool search and of the knowledge base's search in the terminal.

const COLUMNS = ['questions', 'first', 'first five']

/** @param {object} search `knowledge` of `measureKnowledge`, `tokens` of `measureTokens`, the rest of `measureSearch` */
export function searchLines({ knowledge, tokens, missing, ...tools }) {
  const toolLines = missing ? [`skipped: the tool search, because ${missing}`] : toolSearchLines(tools)
  return [...toolLines, ...(tokens ? tokenLines(tokens) : []), ...knowledgeLines(knowledge)]
}

/** Two lines for each size: the first request, and all requests of the conversation. */
function tokenLines(tokens) {
  const row = (title, all, search) =>
    `  ${title.padEnd(34)}  ${thousands(all)}  ${thousands(search)}  ${`1/${(all / search).toFixed(0)}`.padStart(6)}`
  return [
    "Tokens that a model is sent (bytes / 4), with all tools declared and with `toolSearch: 'gate'`",
    `  ${''.padEnd(34)}  ${'all'.padStart(9)}  ${'search'.padStart(9)}  ${'part'.padStart(6)}`,
    ...tokens.flatMap(({ tools, all, search }) => [
      row(`${tools} tools, declarations`, all.declared, search.declared),
      row(`${tools} tools, three needed`, all.conversation, search.conversation),
    ]),
    `  The conversation has ${tokens[0].all.requests} requests with all tools and ${tokens[0].search.requests} with the search.`,
  ]
}

const thousands = count => count.toLocaleString('en').padStart(9)

function knowledgeLines({ tuned, heldOut, withoutSynonyms, unanswered }) {
  const rows = [
    ['tuned half', tuned],
    ['held-out half', heldOut],
    ['both halves, without synonyms', withoutSynonyms],
  ]
  const share = ({ questions, found }) => `${found.toFixed(3)} of ${questions}`
  return [
    'Knowledge base: everyday questions, the share with a record that answers',
    ...table(rows),
    '  Questions that no record answers, the share for which one is found: ' +
      `tuned half ${share(unanswered.tuned)}, held-out half ${share(unanswered.heldOut)}`,
  ]
}

function toolSearchLines({ functions, tuned, heldOut, mcp, time }) {
  const rows = [
    ['tuned half: Toolgate', tuned.toolgate],
    ['tuned half: plain BM25', tuned.plain],
    ['held-out half: Toolgate', heldOut.toolgate],
    ['held-out half: plain BM25', heldOut.plain],
    ['both halves: Toolgate', both(tuned.toolgate, heldOut.toolgate)],
    ['both halves: plain BM25', both(tuned.plain, heldOut.plain)],
    [`paraphrases of ${mcp.tools} MCP tools`, mcp.toolgate],
  ]
  const { tools, buildMs, medianMs, p99Ms, maxMs } = time
  return [
    `Tool search: users' questions over ${functions} functions, the share with the right tool (by name)`,
    ...table(rows),
    '  The limit: many functions are near-duplicates under other names, such as five for the current weather, and some',
    '  questions share no word with their function.',
    `  One search over ${tools} tools: median ${milliseconds(medianMs)}, 99 of 100 within ${milliseconds(p99Ms)}, ` +
      `slowest ${milliseconds(maxMs)}; the index is built in ${buildMs.toFixed(0)} ms`,
  ]
}

function table(rows) {
  const widest = Math.max(...rows.map(([title]) => title.length))
  const cells = values => values.map((value, n) => value.padStart(COLUMNS[n].length)).join('  ')
  return [
    `  ${''.padEnd(widest)}  ${cells(COLUMNS)}`,
    ...rows.map(([title, { questions, at1, at5 }]) => {
      return `  ${title.padEnd(widest)}  ${cells([String(questions), at1.toFixed(3), at5.toFixed(3)])}`
    }),
  ]
}

function both(one, other) {
  const questions = one.questions + other.questions
  const share = key => (one[key] * one.questions + other[key] * other.questions) / questions
  return { questions, at1: share('at1'), at5: share('at5') }
}

const milliseconds = ms => `${ms.toFixed(3)} ms`
