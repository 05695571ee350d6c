// Prompts: the parts of a system prompt about the tools.

import type { ToolRegistry } from '../index'

/** The guide of a tool of the process-wide registry; null for an unknown tool. Needs no `load()` before it, as the prompts don't. */
export function getToolDocumentation(toolId: string): string | null

/**
 * Which tools a prompt describes: those of `registry`, which must be loaded, by default those of the process-wide one. Before its
 * load that one describes the tool set that it will load, so that a module can make its prompt while it is imported.
 */
export interface PromptOptions {
  registry?: ToolRegistry
  services?: string[]
  /** The roles of the session: tools that need others are not described. Default: none. */
  roles?: string[]
  /**
   * The folder of the prompt files. By default `prompts` beside the tools folder of the registry; a file that it does not
   * have is the package's.
   */
  promptsDir?: string
}
/** `prompts/core.md` and `prompts/voice-behavior.md`, then the tools' summaries and the retrieval loop. */
export function loadVoicePrompt(options?: PromptOptions): string
/**
 * `prompts/core.md`, then the tools' summaries and the retrieval loop. `docs: 'full'` adds the tools' guides, for at most
 * 6 tools (RangeError).
 */
export function loadTextPrompt(options?: PromptOptions & { docs?: 'summaries' | 'full' }): string
/**
 * A section for the end of a system prompt: the present moment on the user's clock, so that a model can read "tomorrow at
 * three". `timeZone` is the IANA name that `createSession` takes too; without a known one the section says so, in UTC.
 */
export function userClock(options?: { timeZone?: string; now?: Date }): string
