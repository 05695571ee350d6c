'use strict'

// `toolgate completion <shell>`: prints a script that completes commands and options.

const { UsageError } = require('../exit.js')
const { suggestion } = require('../../tool-sets/suggest.js')

/** @typedef {{ name: string, summary: string, options: string[] }} CompletedCommand `options`: long flags */

/** @param {CompletedCommand[]} commands */
const bash = commands => `_toolgate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(({ name }) => name).join(' ')} --help --version"
  else
    case "\${COMP_WORDS[1]}" in
${commands.map(({ name, options }) => `      ${name}) words="${options.join(' ')}" ;;`).join('\n')}
    esac
  fi
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); else COMPREPLY=($(compgen -f -- "$current")); fi ;;
  esac
}
complete -F _toolgate toolgate
`

/** @param {CompletedCommand[]} commands */
const zsh = commands => `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`

/** @param {CompletedCommand[]} commands */
const fish = commands =>
  commands
    .flatMap(({ name, summary, options }) => [
      `complete -c toolgate -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", "\\'")}'`,
      ...options.map(
        option => `complete -c toolgate -n '__fish_seen_subcommand_from ${name}' -l ${option.replace(/^--/, '')}`,
      ),
    ])
    .join('\n')
    .concat('\n')

/** @type {Record<string, (commands: CompletedCommand[]) => string>} */
const SHELLS = { bash, zsh, fish }

/** @param {string} shell */
async function run(shell) {
  if (!Object.hasOwn(SHELLS, shell)) {
    throw new UsageError(`there is no completion for \`${shell}\``, suggestion(shell, Object.keys(SHELLS)))
  }
  const commands = require('../program.js')
    .makeProgram()
    .commands.map((/** @type {import('commander').Command} */ command) => ({
      name: command.name(),
      summary: command.summary(),
      options: [...command.options.map(({ long }) => long ?? ''), '--help'].filter(Boolean),
    }))
  process.stdout.write(SHELLS[shell](commands))
}

module.exports = {
  name: 'completion',
  summary: 'print a completion script for a shell',
  description: 'Prints a script for bash, zsh or fish that completes the commands and their options.',
  examples: ['source <(toolgate completion bash)', 'toolgate completion fish | source'],
  /** @param {import('commander').Command} command */
  options: command => command.argument('<shell>', `which shell: ${Object.keys(SHELLS).join(', ')}`),
  run,
}
