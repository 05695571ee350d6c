// Calls with the types of the project's tools.

import type { ToolCall, ToolResponse } from '../index'

/**
 * The types of a tool set, of the `tool_registry.d.ts` that `toolgate build` writes beside it:
 * `createRegistry<{ args: ToolArgs; data: ToolData }>()`. By default `any`, which accepts every call.
 */
export interface ToolTypes {
  /** Arguments by tool. */
  args: object
  /** `data` on success, by tool. */
  data: object
}

/** The ids of the tools. */
export type ToolIdOf<Tools extends ToolTypes> = keyof Tools['args'] & string

/** `data` of a tool; `any` if the types do not have it. */
export type ToolDataOf<Tools extends ToolTypes, Id> = Id extends keyof Tools['data'] ? Tools['data'][Id] : any

/** A call of a tool, with its arguments as an object. */
export interface TypedCall<Tools extends ToolTypes, Id extends ToolIdOf<Tools>> {
  id?: string | null
  name: Id
  args: Tools['args'][Id]
}

/** A call as a provider sent it: with arguments as text, and a name that need not be a tool's. */
export interface TextCall {
  id?: string | null
  name: string
  args?: string | Uint8Array | null
}

/** A call that `execute` accepts: any call if `Tools` is `any`. */
export type CallOf<Tools extends ToolTypes, Id extends string> = 0 extends 1 & Tools
  ? ToolCall
  : Id extends ToolIdOf<Tools>
    ? TypedCall<Tools, Id> | TextCall
    : TextCall

/** The answer to a call of a tool. */
export type ResponseOf<Tools extends ToolTypes, Id> = ToolResponse<ToolDataOf<Tools, Id>>
