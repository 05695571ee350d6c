'use strict'

// `toolgate watch`: builds after every change, and prints the differences.

const path = require('node:path')

const { compile, formatFindings } = require('../compiler.js')
const { counted, tally, talliedText } = require('../counted.js')
const { CommandFailure, EXIT } = require('../exit.js')
const { requireSources, settingsOf, takesOutput } = require('../command-settings.js')
const { lookOf } = require('../terminal.js')

const OUTPUTS = ['tool_registry.json', 'tool_registry.d.ts', 'handlers.mjs']

/** @param {string | undefined} folder @param {import('../command-settings.js').SourceFlags} flags */
async function run(folder, flags) {
  const { watchTools } = require('../watch/watcher.js')
  const settings = settingsOf(folder, flags)
  requireSources(settings)
  const { promise: ended, resolve: end, reject: fail } = settled()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end)
  const session = new WatchSession(settings)
  const rebuild = oneAtATime(async () => watcher.alsoWatch(await session.build()), fail)
  const watcher = await watchTools({
    toolsDir: settings.toolsDir,
    outputs: OUTPUTS.map(name => path.join(settings.outDir, name)),
    onError: error => fail(cantWatch(/** @type {NodeJS.ErrnoException} */ (error))),
  })
  watcher.start(rebuild)
  rebuild()
  try {
    await ended
  } finally {
    await watcher.close()
  }
  // A signal is the regular end: no failure.
  return EXIT.ok
}

/** Builds the tool set and prints its differences to the last build. */
class WatchSession {
  #settings
  /** @type {import('../watch/changes.js').BuildOutput} */
  #last = { artifact: null, handlers: {} }
  /** @type {string | null} */
  #lastText = null

  /** @param {import('../command-settings.js').Settings} settings */
  constructor(settings) {
    this.#settings = settings
  }

  /** @returns {Promise<string[]>} the files that schema modules are made of */
  async build() {
    const { changeLine } = require('../watch/changes.js')
    const started = performance.now()
    const built = await compile(this.#settings, 'files')
    const took = Math.round(performance.now() - started)
    const look = lookOf(process.stdout)
    const findings = formatFindings(built.report, look)
    const isFirst = this.#lastText === null
    const changes = built.report.ok ? this.#replace(built) : []
    if (isFirst || changes.length > 0 || findings !== this.#lastText) {
      process.stdout.write(
        findings +
          headline(built.report, took, look) +
          (isFirst
            ? `watching ${shown(this.#settings.toolsDir)}; Ctrl-C ends it\n`
            : changes.map(change => changeLine(change, look.paint)).join('')),
      )
    }
    this.#lastText = findings
    return built.moduleFiles()
  }

  /** @param {import('../../tool-sets/compile.js').CompiledToolSet} built */
  #replace(built) {
    const { changesBetween } = require('../watch/changes.js')
    const made = { artifact: built.artifact(), handlers: built.handlers() }
    const changes = changesBetween(this.#last, made)
    this.#last = made
    return changes
  }
}

/** @param {import('toolgate').BuildReport} report @param {number} took @param {import('../terminal.js').Look} look */
function headline(report, took, { paint }) {
  const time = paint.dim(new Date().toLocaleTimeString('en-GB'))
  if (!report.ok) return `${time} ${paint.red(talliedText(report))}; the last good tool set is untouched\n`
  const { warnings } = tally(report)
  return `${time} ${paint.green('built')} ${counted(report.tools.length, 'tool')} in ${took} ms, version ${report.version}${warnings > 0 ? `, ${counted(warnings, 'warning')}` : ''}\n`
}

/** @param {string} folder */
const shown = folder => path.relative('', folder) || '.'

/**
 * Runs `work` on request; requests during a run cause one more run after it.
 * @param {() => Promise<void>} work
 * @param {(error: unknown) => void} onFailure
 */
function oneAtATime(work, onFailure) {
  let running = false
  let again = false
  return async function start() {
    again = running
    if (running) return
    running = true
    await work().catch(onFailure)
    running = false
    if (again) start()
  }
}

/** @returns {{ promise: Promise<void>, resolve(): void, reject(error: unknown): void }} */
function settled() {
  const ends = /** @type {ReturnType<typeof settled>} */ ({})
  ends.promise = new Promise((resolve, reject) => Object.assign(ends, { resolve, reject }))
  return ends
}

/** @param {NodeJS.ErrnoException} error */
function cantWatch(error) {
  const hint =
    error.code === 'ENOSPC' || error.code === 'EMFILE'
      ? 'the system watches too many files already; raise its limit (on Linux fs.inotify.max_user_watches), or set CHOKIDAR_USEPOLLING=1'
      : undefined
  return new CommandFailure(`the tools can't be watched: ${error.message}`, hint)
}

module.exports = {
  name: 'watch',
  summary: 'build after every change',
  description: `Builds the tool set, then again whenever a file of the tools changes: guides, schemas, handlers and what they share. Each build
says which tools are new, gone or different, and in what. A schema.js is loaded anew each time, with all that it imports by
relative paths. Ctrl-C ends it, with exit code 0.`,
  examples: ['toolgate watch', 'toolgate watch src/tools --out dist'],
  options: takesOutput,
  run,
}
