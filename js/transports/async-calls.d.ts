/**
 * Declarations for OpenAI Responses with `async: true` for background tools, if the model has it (GPT-6 Astra and later): it goes on
 * after such a call. `OpenAITransport` then sends no answer that says that the call runs: the call's one `function_call_output` is
 * its result, in any later request.
 */
export function withAsync<Declaration extends object>(
  declarations: Declaration[],
  options: { model: string; isBackground: (name: string) => boolean },
): (Declaration & { async?: true })[]
