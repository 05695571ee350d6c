// The services that ship with the tools, for a host that provides none.

/**
 * @param {{ calendarFolder?: string, registry?: () => import('toolgate').ToolRegistry }} [options] `calendarFolder`: folder
 *   of the calendars; default: those of a fictional studio. `registry`: for `get_dashboard_stats`, hidden without it
 * @returns {Promise<Record<string, object>>} by the service name that tools use
 */
export async function embeddedServices(options = {}) {
  const shipped = await import('toolgate/tools/_services/embedded.js')
  return shipped.embeddedServices(options)
}
