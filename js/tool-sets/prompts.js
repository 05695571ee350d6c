'use strict'
// System prompts: behaviour from `prompts/*.md`, the tools' summaries, the retrieval rules. A prompt contains
// the tools' full documentation only if the host asks for it. For one tool set a prompt is always the same text, so that providers can cache it.
const fs = require('node:fs')
const { basename, dirname, join } = require('node:path')

const { builtInModes } = require('../answers/errors.js')
const { modesOf } = require('./registry-modes.js')
const { shippedPrompt, shippedTools } = require('./shipped-tools.js')

const PROMPTS_DIR = join(__dirname, '..', '..', 'prompts')

const RETRIEVAL_RULES = [
  'Search for context that you lack before you answer; do not guess what can be looked up.',
  'A search gives you candidates: fetch the record you need by its id.',
  'Answer with citations: name the source of each fact that you looked up. If nothing was found, say so.',
  'Retrieve before you act: an action needs facts, not assumptions.',
  'Commit an action only when the user has confirmed it. When a tool asks for a confirmation, say what will happen and wait.',
]
/** A prompt with more guides than these would cost more tokens than it saves calls. */
const MOST_DOCUMENTED = 6
/** How a mode's budget is used, after the number. */
const USE = {
  text: 'Do not repeat a search with other words more than once; then answer from what you have.',
  voice: 'Search once, then load one record by its id. Do not search a second time; answer from what you have.',
}

/**
 * The system prompt of a voice session: `prompts/core.md`, `prompts/voice-behavior.md`, the tools of voice mode, the
 * retrieval rules with voice's limits.
 *
 * @param {PromptParts} options
 * @returns {string}
 * @throws {Error} if a prompt file cannot be read
 */
function loadVoicePrompt(options) {
  if (options?.docs === 'full') throw new TypeError('a voice prompt has no full documentation; use `loadTextPrompt`')
  return loadPrompt(options, {
    mode: 'voice',
    files: ['core.md', 'voice-behavior.md'],
  })
}

/**
 * The system prompt of a text session: `prompts/core.md`, the tools of text mode, the retrieval rules.
 *
 * @param {PromptParts} options
 * @returns {string}
 * @throws {Error} if a prompt file cannot be read
 */
function loadTextPrompt(options) {
  const docs = options?.docs ?? 'summaries'
  if (docs !== 'summaries' && docs !== 'full') throw new TypeError('`docs` must be `summaries` or `full`')
  return loadPrompt(options, { mode: 'text', files: ['core.md'] })
}

/**
 * @typedef {object} PromptParts
 * @property {Pick<import('../../index.js').ToolRegistry, 'getVersion' | 'getSummaries' | 'getProviderSchemas' | 'getDocumentation'> & { artifactFile?: string }}
 *   registry loaded
 * @property {string[]} [services] names of the host's services; tools that need others are left out
 * @property {string[]} [roles] of the session; tools that need others are left out
 * @property {'summaries' | 'full'} [docs] `full` adds the tools' documentation to a text prompt, for at most 6 tools
 * @property {string} [promptsDir] folder of the prompt files; by default `prompts` beside the tools folder; a file that is not there is the package's
 */

/** @param {PromptParts | undefined} options @param {{ mode: 'text' | 'voice', files: string[] }} parts */
function loadPrompt(
  { registry, services, roles, docs, promptsDir } = /** @type {PromptParts} */ ({}),
  { mode, files },
) {
  if (typeof registry?.getSummaries !== 'function') throw new TypeError('`registry` must be a loaded ToolRegistry')
  const isShipped = registry.artifactFile === shippedTools
  const places = files.map(file => promptPath(file, isShipped ? undefined : registry.artifactFile, promptsDir))
  const behaviour = [...(isShipped ? [shippedPrompt] : []), ...places].map(readPrompt)
  const tools = `# Available Tools (v${registry.getVersion()})\n\n${registry.getSummaries({ mode, services, roles })}`
  const guides = docs === 'full' ? fullDocumentation(registry, { mode, services, roles }) : []
  const rules = [...RETRIEVAL_RULES, budgetOf(registry, mode)]
  const retrieval = `# Retrieval First\n\n${rules.map((rule, index) => `${index + 1}. ${rule}`).join('\n')}`
  return `${[...behaviour, tools, ...guides, retrieval].map(section => section.trim()).join('\n\n')}\n`
}

/**
 * The budget of a mode, so that the model plans with it.
 * @param {object} registry whose host may have set its own
 * @param {'text' | 'voice'} mode
 */
function budgetOf(registry, mode) {
  const calls = modesOf(registry)[mode]?.retrievalCalls ?? builtInModes[mode].retrievalCalls
  const most = calls === 1 ? 'one retrieval' : `${calls} retrievals`
  return calls === 0 ? 'You have no retrievals.' : `You have at most ${most} per turn. ${USE[mode]}`
}

/**
 * @param {string} name
 * @param {string} [artifact] path of the registry's artifact
 * @param {string} [promptsDir]
 */
function promptPath(name, artifact, promptsDir) {
  if (promptsDir !== undefined) return join(promptsDir, name)
  const own = artifact && join(dirname(dirname(artifact)), 'prompts', name)
  return own && fs.existsSync(own) ? own : join(PROMPTS_DIR, name)
}

/**
 * @param {PromptParts['registry']} registry
 * @param {{ mode: string, services?: string[], roles?: string[] }} visibility
 * @returns {string[]} one section
 */
function fullDocumentation(registry, visibility) {
  const names = registry.getProviderSchemas('openai', visibility).map(({ function: { name } }) => name)
  if (names.length > MOST_DOCUMENTED)
    throw new RangeError(
      `\`docs: 'full'\` takes at most ${MOST_DOCUMENTED} tools, these are ${names.length}; use the summaries`,
    )
  const guides = names.map(name => `## ${name}\n\n${(registry.getDocumentation(name) ?? '').trim()}`)
  return [['# Tool Documentation', ...guides].join('\n\n')]
}

/** @param {string} path */
function readPrompt(path) {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch (cause) {
    throw new Error(
      `the prompt \`${basename(path)}\` cannot be read (${/** @type {NodeJS.ErrnoException} */ (cause).code}), it must stand in the folder \`${dirname(path)}\``,
      {
        cause,
      },
    )
  }
}

module.exports = { loadVoicePrompt, loadTextPrompt }
