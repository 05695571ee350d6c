// Generated from JSDoc by scripts/write-path-types.mjs.
export function draftWith<Read>({ services, signal }: Pick<import('toolgate').HandlerContext, "services" | "signal">, { task, instruction, form, input, maxOutputTokens, read, respond }: {
    task: string;
    instruction: string;
    form: string;
    input: object;
    maxOutputTokens: number;
    read: (answer: JsonObject) => Read | null;
    respond: (read: Read, by: {
        model: string;
        simulated: boolean;
    }) => HandlerResult;
}): Promise<HandlerResult>;
/**
 * Figures and addresses of a draft that its sources do not contain. Names and meanings are not checked.
 *
 */
export function unsupportedIn(text: string, sources: string[]): string[];
export function sentencesIn(text: string): string[];
/**
 * For each sentence of a text, the sentence of the source with the most words in common.
 */
export function quotesFor(text: string, source: string, most: number): string[];
export function mayNotClaim(own: string[], unsupported?: string[]): string[];
export type HandlerResult = import('toolgate').HandlerResult;
export type JsonObject = import("./service-types.js").JsonObject;
