// The answers to an orchestrator's probes, and the acceptance of a store that has lost its data.

import type { ServerLogger } from './index.js'

/** The answer to a probe. */
export interface ProbeAnswer<Body> {
  /** The HTTP status. */
  status: number
  /** To be sent as JSON. */
  body: Body
}

/** `/healthz`: the process serves. Always 200; an orchestrator restarts a process that does not answer. */
export interface Liveness {
  ok: true
  /** The version of this package. */
  version: string
  /** The version of the tool set; null if it could not be loaded. */
  toolsVersion: string | null
  /** What the server reports of itself. Strangers can read it. */
  details: Record<string, unknown>
}

/** `/readyz`: which part of the server works. */
export interface Readiness {
  /** Calls are taken, records and audit lines are kept: the status is 200, else 503. */
  ok: boolean
  /** The server is about to end and takes no new work. */
  draining: boolean
  /** The tool set is loaded. */
  registry: boolean
  /** The session store has no lasting failure. */
  store: boolean
  /** The last audit line could be written. */
  audit: boolean
  /** The number of audit lines so far that could not be written. */
  auditLinesLost: number
}

/**
 * From now on the signal SIGUSR2 lets this process use a store that has lost its data, by `registry.acceptStore()`; the
 * logger says how it went. Not on Windows.
 *
 * @returns the function that stops it
 */
export function acceptStoreOnSignal(
  acceptStore: () => Promise<void>,
  logger: Pick<ServerLogger, 'warn' | 'error'>,
): () => void

/** See {@link createHealthProbes}. */
export interface HealthProbeOptions {
  /** The registry, loaded. A rejection means that it can't be loaded. */
  registry(): import('../../index').ToolRegistry | Promise<import('../../index').ToolRegistry>
  /** Whether the server is about to end. A registry that is closing always is. */
  isDraining?(): boolean
  /** Further facts for `/healthz`. Strangers can read them. */
  details?(): Record<string, unknown>
}

/** The answers to the probes of an orchestrator. None is ever rejected. */
export interface HealthProbes {
  alive(): Promise<ProbeAnswer<Liveness>>
  ready(): Promise<ProbeAnswer<Readiness>>
  /** Answers a request for `/healthz` or `/readyz`. False, without an answer, for any other path. */
  answer(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse): boolean
}

/** `/healthz` and `/readyz` in the shape that every server of this package has. */
export function createHealthProbes(options: HealthProbeOptions): HealthProbes
