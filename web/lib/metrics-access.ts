// Who may read `/metrics`.
import { createMetricsAccess, metricsRefusal, metricsTokenOf } from 'toolgate/http'

/**
 * By `TOOLGATE_METRICS_TOKEN`; without it only direct requests of this machine.
 *
 * @throws TypeError if the token is too short
 */
export function metricsAccess() {
  const token = metricsTokenOf(process.env)
  return { mayRead: createMetricsAccess(token), refusal: metricsRefusal(token) }
}
