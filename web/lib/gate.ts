// The process-wide gate: one registry with the services of this app. Sessions are made elsewhere.
import { createRegistry, type AuditSink, type StoreChoice, type ToolRegistry } from 'toolgate'

// On `globalThis`: development reloads this module with every edit, and routes are bundled apart from each other.
const KEY = Symbol.for('toolgate.web.gate')
const shared = globalThis as { [KEY]?: Promise<ToolRegistry> }

/** The loaded registry. A failed load is tried again by the next caller. */
export function loadGate(): Promise<ToolRegistry> {
  shared[KEY] ??= openGate().catch((error: unknown) => {
    delete shared[KEY]
    throw error
  })
  return shared[KEY]
}

async function openGate(): Promise<ToolRegistry> {
  const { createKnowledgeBase } = await import('toolgate/tools/_services/knowledge-base.js')
  const { createCalendar } = await import('toolgate/tools/_services/calendar.js')
  const registry = createRegistry({
    artifact: process.env.TOOLGATE_ARTIFACT || undefined,
    services: {
      kb: await createKnowledgeBase({ file: process.env.TOOLGATE_KNOWLEDGE_FILE || undefined }),
      calendar: await createCalendar({ folder: process.env.TOOLGATE_CALENDAR_FOLDER || undefined }),
    },
    audit: auditSink(process.env.TOOLGATE_AUDIT),
    store: storeChoice(process.env.TOOLGATE_STORE),
    environment: process.env.NODE_ENV === 'production' ? 'production' : 'development',
  })
  await registry.load()
  return registry
}

/** `memory`, a redis URL, or the path of a file; `memory` by default. */
function storeChoice(setting = 'memory'): StoreChoice {
  if (setting === 'memory') return setting
  return /^rediss?:\/\//.test(setting) ? { redis: setting } : { file: setting }
}

/** `none`, `stdout`, or the path of a file; one line a call on stdout by default. */
function auditSink(setting = 'stdout'): AuditSink {
  return setting === 'none' || setting === 'stdout' ? setting : { file: setting }
}
