// The spans of calls, sent where the environment says; within the spans of Next's own requests.
import { exportTraces } from 'toolgate/otel'
import { serverLog } from './log-failure'

let traces: ReturnType<typeof exportTraces> = null

/** Throws if the environment names an endpoint and the SDK is not installed. */
export function startTraces(): void {
  traces = exportTraces({ serviceName: 'toolgate-web', logger: serverLog() })
}

/** Sends what is left. */
export const endTraces = async () => traces?.shutdown()
