'use strict'

// What a registry says of the tools that it loaded: those that no session shows, because services that they require are
// missing, and the shipped set in the place of a project's.

const HIDDEN_TOOLS = 'tools are hidden: services that they require are missing'

/**
 * @param {Iterable<{ toolId: string, requires?: string[] }>} tools
 * @param {string[]} services the names of the services that the registry has
 * @returns {{ toolId: string, missingServices: string[] }[]}
 */
function hiddenTools(tools, services) {
  return [...tools]
    .map(({ toolId, requires = [] }) => ({
      toolId,
      missingServices: requires.filter(name => !services.includes(name)),
    }))
    .filter(({ missingServices }) => missingServices.length > 0)
}

/**
 * The log line about hidden tools; null if there are none.
 * @param {ReturnType<typeof hiddenTools>} hidden
 * @returns {import('../../index.js').CoreWarning | null}
 */
function hiddenToolsLine(hidden) {
  if (hidden.length === 0) return null
  const tools = hidden.map(({ toolId, missingServices }) => `${toolId} (${missingServices.join(', ')})`).join('; ')
  return { at: new Date().toISOString(), level: 'warn', message: HIDDEN_TOOLS, tools }
}

/**
 * The log line about the shipped set, loaded because the project has none.
 * @param {string[]} searched
 * @returns {import('../../index.js').CoreWarning}
 */
const shippedSetLine = searched => ({
  at: new Date().toISOString(),
  level: 'warn',
  message: 'the tools of `toolgate-tools` are loaded: no tool set of the project was found, run `npx toolgate build`',
  searched: searched.join('; '),
})

/** What this process has printed: a host that loads the tools again need not hear it again. */
const printed = new Set()

/** Prints the line on standard error, as the core prints its warnings. @param {import('../../index.js').CoreWarning} line */
function printOnce(line) {
  const { at: _, ...said } = line
  const text = JSON.stringify(said)
  if (printed.has(text)) return
  printed.add(text)
  process.stderr.write(`${JSON.stringify(line)}\n`)
}

module.exports = { HIDDEN_TOOLS, hiddenTools, hiddenToolsLine, printOnce, shippedSetLine }
