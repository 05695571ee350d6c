// Names of the providers' forms of tool declarations.

/**
 * The forms that a tool is declared in.
 *
 * - `openai`: Chat Completions.
 * - `openaiStrict`: the same with `strict: true`. Optional arguments are required there and take `null`, which the gate
 *   turns back into absent. A tool without a strict form is listed as under `openai`, without `strict`.
 * - `openaiResponses`: the flat form; `strict` is true if the tool has a strict form.
 * - `openaiRealtime`: the flat form, which has no `strict`.
 * - `geminiNative`: Gemini's own `Schema`.
 * - `geminiJson`: Gemini's `parametersJsonSchema`.
 * - `anthropic`: `input_schema`, with the tool's examples. A tool with a required argument whose name Anthropic refuses
 *   is left out.
 * - `mcp`: `Tool` of the Model Context Protocol.
 *
 * A tool's `lowering` contains the changes and losses of each form, and the reason if a form is absent.
 */
export type ProviderName =
  'openai' | 'openaiStrict' | 'openaiResponses' | 'openaiRealtime' | 'geminiNative' | 'geminiJson' | 'anthropic' | 'mcp'

/**
 * Which of the tools that may be used are declared to a model. Declaring a tool grants nothing: calls of
 * undeclared tools go through the same checks.
 *
 * - `off` (default): all tools are declared.
 * - `gate`: the tools that require the built-in service `registry`, such as `reg_search` and `reg_describe`, the tools
 *   with `alwaysDeclared`, and, in a session, the tools that they have found (the newest 100), for the rest of the
 *   session. For every provider whose tools may change between requests.
 * - `provider`: all tools, with the provider's own tool search. `defer_loading` is set on all but those with
 *   `alwaysDeclared`. Only for `openaiResponses` (models from gpt-5.4) and `anthropic`.
 */
export type ToolSearch = 'off' | 'gate' | 'provider'

/** The values of the earlier option `toolsets`: `off`, `gate` and `provider` of {@link ToolSearch}. */
export type Toolsets = 'all' | 'search' | 'deferred'
