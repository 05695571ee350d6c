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
