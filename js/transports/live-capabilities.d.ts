export type Behavior = 'BLOCKING' | 'NON_BLOCKING'

/** What a live voice model takes. */
export interface LiveCapabilities {
  /** Whether an answer must name its call. */
  id: 'required' | 'optional'
  /** Whether a declaration may set `behavior: 'NON_BLOCKING'`. */
  nonBlocking: boolean
  /** Whether a declaration may set `behavior: 'BLOCKING'`. */
  blocking: boolean
  /** Whether the model waits for the answer to a call whose declaration says nothing. */
  defaultBehavior: Behavior
  /** Whether an answer may set its `scheduling`. */
  scheduling: boolean
  /** Whether an answer may announce more answers. */
  willContinue: boolean
  /** How typed text reaches the model after the first turn. */
  text: 'clientContent' | 'realtimeInput' | 'item' | 'append'
}

export interface GeminiModel {
  /** `developer` (default) is the Gemini Developer API. */
  surface?: 'developer' | 'vertex'
  /** An unknown model takes nothing optional. */
  model?: string
}

/** The whole table, with sources; of Gemini the first matching row applies. */
export const ROWS: (LiveCapabilities & {
  surface: 'developer' | 'vertex' | 'realtime' | 'live'
  model: RegExp
  name: string
  source: string
  checked: string
  assumed?: Partial<Record<keyof LiveCapabilities, string>>
})[]

export function geminiCapabilities(options?: GeminiModel): LiveCapabilities

/** The `behavior` of a declaration; `undefined` if it sets none. */
export function declaredBehavior(
  tool: { isBackground: boolean },
  capabilities: Pick<LiveCapabilities, 'nonBlocking' | 'blocking' | 'defaultBehavior' | 'willContinue'>,
): Behavior | undefined

/**
 * Declarations for Gemini Live with `behavior` where the model needs it: `NON_BLOCKING` for background tools, `BLOCKING` for all
 * others of a model that would otherwise not wait for their answers.
 */
export function withBehavior<Declaration extends { name: string }>(
  declarations: Declaration[],
  options: GeminiModel & { isBackground: (name: string) => boolean },
): (Declaration & { behavior?: Behavior })[]
