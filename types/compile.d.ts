// The compiler: from tool folders to the artifact that a registry loads.

/** One finding. Positions are 1-based and count Unicode characters; the end is the first character after the span. */
export interface Diagnostic {
  /** Stable name of the rule, such as `bad-default`; `docs/diagnostics.md` has a section for each. */
  code: string
  /** An error keeps the tool set from being written; a warning can be acknowledged in `lintAccepted`. */
  severity: 'error' | 'warning'
  /** Relative to the parent of the tools folder, with forward slashes: `tools/kb_search/schema.json`. */
  file: string
  line: number
  column: number
  endLine: number
  endColumn: number
  /** JSON Pointer (RFC 6901) of the value in the file, where the finding is about one. */
  pointer?: string
  /** What is wrong. */
  message: string
  /** What would be right. */
  help: string
}

export interface BuildReport {
  /** True where there is no error. */
  ok: boolean
  /** The tool set's version; null where errors kept it from being built. */
  version: string | null
  /** Ids of the tools that were built, sorted; empty where there are errors. */
  tools: string[]
  /** Sorted by file and position. */
  diagnostics: Diagnostic[]
}

/**
 * Reads `<toolsDir>/<tool>/`, checks everything, writes the artifact and `handlers.mjs` when there are no errors. Whatever is
 * wrong with the tools is in the report; only misuse rejects.
 *
 * The work is done on other threads. Modules `schema.js` run in one of them, each for at most ten seconds; handlers are
 * parsed, never run.
 */
export function buildTools(options?: {
  /** By default the shipped tools. */
  toolsDir?: string
  /** Where the files go; by default `toolsDir`. */
  outDir?: string
  /** Modes of the host besides `text`, `voice` and `webcam`. */
  modes?: string[]
}): Promise<BuildReport>

/**
 * The report as text for a terminal: each finding with its source line, the span underlined, and what to do. Plain text for
 * 140 columns where nothing else is asked for.
 */
export function formatReport(report: BuildReport, style?: { color?: boolean; width?: number }): string
