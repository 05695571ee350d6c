'use strict'

// The command line: registers the commands, formats help and usage errors. Each command is implemented in its own file.

const { Command, CommanderError } = require('commander')

const { version } = require('../../package.json')
const { EXIT } = require('./exit.js')
const { lookOf, wantsColor } = require('./terminal.js')

const COMMANDS = [
  'init',
  'build',
  'check',
  'watch',
  'new',
  'call',
  'list',
  'describe',
  'explain',
  'mcp',
  'store',
  'sessions',
  'audit',
  'doctor',
  'completion',
]

/**
 * What a command needs to run and not to be described is loaded when it runs: the help is printed at once.
 *
 * @param {string} [named] the command that runs: the files of the others are not loaded. By default all are.
 * @returns {Command}
 */
function makeProgram(named = '') {
  const program = new Command('toolgate')
    .description('The tool compiler of Toolgate: checks tool folders and builds the tool set that a registry loads.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', "print a command's help")
    .configureOutput({
      getOutHasColors: () => wantsColor(process.stdout),
      getErrHasColors: () => wantsColor(process.stderr),
      outputError: (text, write) => write(usageLine(text)),
    })
    .configureHelp({
      styleTitle: title => lookOf(process.stdout).paint.bold(title),
      showGlobalOptions: false,
      helpWidth: Math.min(process.stdout.columns ?? 80, 80),
      subcommandTerm: command => command.name(),
    })
    .showHelpAfterError('see `toolgate --help`')
    .exitOverride()
  for (const name of COMMANDS.includes(named) ? [named] : COMMANDS) register(program, require(`./commands/${name}.js`))
  program.addHelpText(
    'after',
    `
Exit codes:
  0  done, without errors
  1  findings that fail the command, or something that it needs is missing
  2  wrong usage

Settings can stand in package.json:
  "toolgate": { "tools": "tools", "modes": ["kiosk"], "providers": ["gemini"] }`,
  )
  return program
}

/**
 * @typedef {{ name: string, summary: string, description: string, examples: string[], options(command: Command): void,
 *   run(...input: unknown[]): Promise<number | void> }} CommandFile `run` resolves with the exit code; `undefined`
 *   means 0
 * @param {Command} program @param {CommandFile} file
 */
function register(program, { name, summary, description, examples, options, run }) {
  const command = program.command(name).summary(summary).description(description.replaceAll('\n', ' '))
  options(command)
  command
    .option('--color', 'colour the output, also if it is not a terminal')
    .option('--no-color', 'never colour the output (NO_COLOR and FORCE_COLOR are honoured as well)')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', `\nExamples:\n${examples.map(line => `  $ ${line}`).join('\n')}`)
    .showHelpAfterError(`see \`toolgate ${name} --help\``)
    .action(async (...input) => {
      process.exitCode = (await run(...input)) ?? EXIT.ok
    })
}

/** `error: unknown option '--outt'\n(Did you mean --out?)` as one line in our format. @param {string} text */
function usageLine(text) {
  const [first, ...rest] = text.trim().split('\n')
  const hint = rest.join(' ').replace(/^\(Did you mean (.*)\?\)$/, (_, name) => `; did you mean \`${name}\`?`)
  const sentence = first
    .replace(/^error: /, '')
    .replace(/\.$/, '')
    .replace(/\. ([A-Z])/, (_, letter) => `: ${letter.toLowerCase()}`)
  return `toolgate: ${sentence.replaceAll("'", '`')}${hint}\n`
}

/**
 * The exit code of Commander's own errors: help and version are successes, all others are wrong usage.
 * @param {unknown} error
 */
const exitCodeOf = error => (error instanceof CommanderError && error.exitCode === 0 ? EXIT.ok : EXIT.usage)

module.exports = { COMMANDS, exitCodeOf, makeProgram }
