// The services that a server has where its host brings none: those that ship with the tools.

/**
 * @param {{ calendarFolder?: string }} [options] where the calendars are; an invented studio's without it
 * @returns {Promise<Record<string, object>>} by the name that tools know
 */
export async function embeddedServices({ calendarFolder } = {}) {
  const { createKnowledgeBase } = await import('toolgate/tools/_services/knowledge-base.js')
  const { createCalendar } = await import('toolgate/tools/_services/calendar.js')
  return { kb: await createKnowledgeBase(), calendar: await createCalendar({ folder: calendarFolder }) }
}
