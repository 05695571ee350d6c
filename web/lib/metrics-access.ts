// Who may read `/metrics`.
import { createMetricsAccess } from 'toolgate/http'

/**
 * By `TOOLGATE_METRICS_TOKEN`; without it only direct requests of this machine.
 *
 * @throws TypeError if the token is too short
 */
export const metricsAccess = () => createMetricsAccess(process.env.TOOLGATE_METRICS_TOKEN || undefined)
