// The compiler: from tool folders to the artifact that a registry loads.

/** One finding. Positions are 1-based and count Unicode characters; the end is the first character after the span. */
export interface Diagnostic {
  /** Stable name of the rule, such as `bad-default`. */
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
  /** True if there is no error. */
  ok: boolean
  /** The tool set's version; null where errors kept it from being built. */
  version: string | null
  /** Ids of the tools that were built, sorted; empty if there are errors. */
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
  /**
   * Providers that the host uses, as targets (`geminiNative`) or families of them (`gemini`); by default all. Each tool is
   * declared to every target in any case: warnings of what is lost, and errors of what is impossible, are about these.
   * `openaiStrict` and `geminiJson` are further forms of what other targets declare, so they count only if they are named.
   */
  providers?: string[]
}): Promise<BuildReport>

/**
 * The report as text for a terminal: each finding with its source line, the span underlined, and what to do; then the
 * command that explains them, and what became of the build. Plain text for 140 columns if nothing else is asked for.
 */
export function formatReport(report: BuildReport, style?: { color?: boolean; width?: number }): string

/** One finding about a definition. It has no file: the pointer leads into the definition as it was given. */
export interface ToolFinding {
  /** An error keeps the tool from being declared. */
  severity: 'error' | 'warning'
  /** JSON Pointer (RFC 6901); `""` is the whole. */
  pointer: string
  /** Stable name of the rule, as in {@link Diagnostic}. */
  code: string
  message: string
  help: string
}

/** A tool's definition as others publish it. The first schema that is there counts; fields that are not named here are passed over. */
export interface ForeignTool {
  name?: string
  title?: string | null
  /** For the model. */
  description?: string | null
  /** JSON Schema in the draft that it declares: 04, 06, 07, 2019-09, 2020-12 (where it declares none). Absent, null, `{}`: no parameters. */
  parameters?: unknown
  /** As `parameters`, in MCP's words. */
  inputSchema?: unknown
  /** As `parameters`, in Anthropic's words. */
  input_schema?: unknown
  /** As `parameters`, in Gemini's words. */
  parametersJsonSchema?: unknown
  /** JSON Schema of a result. */
  resultSchema?: unknown
  outputSchema?: unknown
  /** Arguments; those that the schema rejects are left out. */
  examples?: unknown
  input_examples?: unknown
  category?: 'retrieval' | 'action' | 'utility' | null
  /** By default what `annotations.readOnlyHint` says, else `writes`. */
  sideEffects?: 'none' | 'read_only' | 'writes' | null
  idempotent?: boolean | null
  /** MCP's hints: `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`. */
  annotations?: unknown
  /** OpenAI's wrapper of the fields above. */
  function?: ForeignTool
  [field: string]: unknown
}

export interface CompiledTool {
  /** True if there is no error. */
  ok: boolean
  /** The name, or the portable one that is suggested for it (`^[a-z][a-z0-9_]{0,63}$`); null if there is none. */
  toolId: string | null
  /** The parameters in draft 2020-12, what validates calls; null if there are errors. */
  jsonSchema: Record<string, unknown> | null
  /** Declarations by provider; empty if there are errors. */
  providerSchemas: Record<string, any>
  /** What each declaration lost or changed, with pointers into `jsonSchema`. */
  lowering: Record<string, { pointer: string; change: string; lost: boolean }[]>
  /** Errors first, then by place. */
  diagnostics: ToolFinding[]
}

/** Compiles one definition. Never throws for what is wrong with it; a value that is no object throws a TypeError. */
export function compileTool(definition: ForeignTool): CompiledTool
