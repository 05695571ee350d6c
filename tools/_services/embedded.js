// Creates all embedded host services. None of them needs a network or a key.
import { createCalendar } from './calendar.js'
import { createDashboard } from './dashboard.js'
import { createKnowledgeBase } from './knowledge-base.js'
import { createKnowledgeSearch } from './knowledge-search.js'
import { createLlmSimulator } from './llm-simulator.js'
import { createFrameStore } from './vision-frames.js'

/**
 * `image` has no default: without a service `image_generate` is hidden. For a demonstration give
 * `createImageService(createPlaceholderImages())`.
 *
 * @param {object} [options]
 * @param {string | URL} [options.knowledgeFile] the records; the sample studio's without it
 * @param {import('./record-vectors.js').Embed} [options.embed] makes vectors of texts for `kb`, which then also finds by meaning
 * @param {string | URL} [options.calendarFolder] the calendars; the sample studio's without it
 * @param {string} [options.timeZone] of the calendars
 * @param {() => { getMetrics(): object }} [options.registry] returns the registry after its creation; without it there is no `dashboard`
 * @param {{ counts(): object }} [options.audit] such as `createAuditCounter` makes, for `dashboard`
 * @param {import('./vision-frames.js').FrameAnalyzer} [options.analyzeFrame] describes a frame for `vision`; without it frames have no analysis
 * @returns {Promise<Record<string, object>>} by the name that tools require: kb, calendar, search, llm, vision,
 *   dashboard
 */
export async function embeddedServices(options = {}) {
  const { knowledgeFile, embed, calendarFolder, timeZone, registry, audit, analyzeFrame } = options
  const [kb, calendar] = await Promise.all([
    createKnowledgeBase({ file: knowledgeFile, embed }),
    createCalendar({ folder: calendarFolder, timeZone }),
  ])
  return {
    kb,
    calendar,
    search: createKnowledgeSearch(kb),
    llm: createLlmSimulator(),
    vision: createFrameStore({ analyze: analyzeFrame }),
    ...(registry === undefined ? {} : { dashboard: createDashboard({ registry, audit }) }),
  }
}
