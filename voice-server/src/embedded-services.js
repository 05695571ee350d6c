// The services that ship with the tools, for a host that provides none.

/**
 * @param {{ calendarFolder?: string }} [options] folder of the calendars; default: those of a fictional studio
 * @returns {Promise<Record<string, object>>} by the service name that tools use
 */
export async function embeddedServices({ calendarFolder } = {}) {
  const { createKnowledgeBase } = await import('toolgate/tools/_services/knowledge-base.js')
  const { createCalendar } = await import('toolgate/tools/_services/calendar.js')
  return { kb: await createKnowledgeBase(), calendar: await createCalendar({ folder: calendarFolder }) }
}
