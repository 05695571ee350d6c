// The compiler: builds the artifact of a registry from tool folders.

/** One finding. Positions are 1-based and count Unicode characters; the end is the first character after the span. */
export interface Diagnostic {
  /** Stable name of the rule, such as `bad-default`. */
  code: string
  /** With an error no tool set is written; a warning can be acknowledged in `lintAccepted`. */
  severity: 'error' | 'warning'
  /** Relative to the parent of the tools folder, with forward slashes: `tools/kb_search/schema.json`. */
  file: string
  line: number
  column: number
  endLine: number
  endColumn: number
  /** JSON Pointer (RFC 6901) of the value in the file, if the finding is about one. */
  pointer?: string
  /** The fault. */
  message: string
  /** The correction. */
  help: string
}

export interface BuildReport {
  /** True if there is no error. */
  ok: boolean
  /** The tool set's version; null if there are errors. */
  version: string | null
  /** Ids of the tools that were built, sorted; empty if there are errors. */
  tools: string[]
  /** Sorted by file and position. */
  diagnostics: Diagnostic[]
}

/**
 * Checks every `<toolsDir>/<tool>/`; writes the artifact and `handlers.mjs` if there are no errors. All faults of the
 * tools are in the report; only misuse rejects.
 *
 * The work is done on other threads. Modules `schema.js` run in one of them, each for at most ten seconds; handlers are
 * parsed, never run.
 */
export function buildTools(options?: {
  /**
   * By default the project's: the folder that `toolgate.tools` of package.json names, else the nearest `tools` from the
   * working directory upwards. Rejects if there is none, or if it lies in `node_modules`.
   */
  toolsDir?: string
  /** The output folder; by default `toolsDir`. */
  outDir?: string
  /** Modes of the host besides `text`, `voice` and `webcam`; none is named `total`, or in parentheses. */
  modes?: string[]
  /**
   * Providers that the host uses, as targets (`geminiNative`) or families of them (`gemini`); by default all. Each tool
   * is declared to every target in any case; warnings of losses and errors of impossible declarations are about these
   * only. `openaiStrict` and `geminiJson` are alternative forms of other targets, so they are included only if they are
   * named.
   */
  providers?: string[]
  /** The services that the host registers, for a warning about a tool that requires another; by default not known. */
  services?: string[]
}): Promise<BuildReport>

/**
 * Formats the report for a terminal: each finding with its source line, the span underlined, and the help; then the
 * command that explains findings, and the result of the build. By default plain text for 140 columns.
 */
export function formatReport(report: BuildReport, style?: { color?: boolean; width?: number }): string

/** One finding about a definition. It has no file: the pointer refers to the given definition. */
export interface ToolFinding {
  /** With an error the tool is not declared. */
  severity: 'error' | 'warning'
  /** JSON Pointer (RFC 6901); `""` is the whole. */
  pointer: string
  /** Stable name of the rule, as in {@link Diagnostic}. */
  code: string
  message: string
  help: string
}

/** A tool definition of another system. The first schema that is present is used; unknown fields are ignored. */
export interface ForeignTool {
  name?: string
  title?: string | null
  /** For the model. */
  description?: string | null
  /**
   * JSON Schema in the draft that it declares: 04, 06, 07, 2019-09, 2020-12 (the default). Absent, null, `{}`: no
   * parameters.
   */
  parameters?: unknown
  /** As `parameters`; MCP's name. */
  inputSchema?: unknown
  /** As `parameters`; Anthropic's name. */
  input_schema?: unknown
  /** As `parameters`; Gemini's name. */
  parametersJsonSchema?: unknown
  /** JSON Schema of a result. */
  resultSchema?: unknown
  outputSchema?: unknown
  /** Examples of arguments; invalid ones are left out. */
  examples?: unknown
  input_examples?: unknown
  category?: 'retrieval' | 'action' | 'utility' | null
  /** By default derived from `annotations.readOnlyHint`, else `writes`. */
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
  /** The name, or a suggested portable name (`^[a-z][a-z0-9_]{0,63}$`); null if there is none. */
  toolId: string | null
  /** The parameters in draft 2020-12, which validate calls; null if there are errors. */
  jsonSchema: Record<string, unknown> | null
  /** Declarations by provider; empty if there are errors. */
  providerSchemas: Record<string, any>
  /** The changes and losses of each declaration, with pointers into `jsonSchema`. */
  lowering: Record<string, { pointer: string; change: string; lost: boolean }[]>
  /** Errors first, then by pointer. */
  diagnostics: ToolFinding[]
}

/** Compiles one definition. Its faults are in `diagnostics`; throws a TypeError only if the value is not an object. */
export function compileTool(definition: ForeignTool): CompiledTool

/** As `compileTool`, on another thread: the event loop is not blocked. Rejects with a TypeError if the value is not an object. */
export function compileToolAsync(definition: ForeignTool): Promise<CompiledTool>
