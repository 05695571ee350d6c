// The services that come with the shipped tools, which a host may do without.

/**
 * @param {{ calendarFolder?: string, registry?: () => import('toolgate').ToolRegistry }} [options] `calendarFolder`: folder
 *   of the calendars; default: those of a fictional studio. `registry`: for `get_dashboard_stats`, hidden without it
 * @returns {Promise<Record<string, object>>} by the service name that tools use; empty if `toolgate-tools` is not installed
 */
export async function embeddedServices(options = {}) {
  const shipped = await import('toolgate/tools/_services/embedded.js').catch(withoutPackage)
  return shipped === null ? {} : shipped.embeddedServices(options)
}

/**
 * The services that a program's settings choose, and what its start reports of them.
 * @param {import('toolgate/http').ToolServiceSettings} settings
 * @returns {Promise<{ services?: Record<string, object>, fields?: Record<string, unknown> }>} empty if `toolgate-tools` is not installed
 */
export async function configuredServices(settings) {
  const shipped = await import('toolgate/tools/_services/configured.js').catch(withoutPackage)
  if (shipped === null) return {}
  const { services, sources } = await shipped.configuredServices(settings)
  return { services, fields: shipped.sourceFields(sources) }
}

/** @param {NodeJS.ErrnoException} error @returns {null} */
function withoutPackage(error) {
  if (error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes("'toolgate-tools'")) return null
  throw error
}
