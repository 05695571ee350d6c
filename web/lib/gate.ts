// The process-wide gate: one registry with the services of this app. Sessions are made elsewhere.
import { createRegistry, type StoreChoice, type ToolRegistry } from 'toolgate'
import { type AuditOutlet, openAuditOutlet } from './audit-sink'
import { auditHub } from './inspector/audit-hub'

// On `globalThis`: development reloads this module with every edit, and routes are bundled apart from each other.
const KEY = Symbol.for('toolgate.web.gate')
const shared = globalThis as { [KEY]?: Promise<Gate> }

interface Gate {
  registry: ToolRegistry
  audit: AuditOutlet
}

/** The loaded registry. A failed load is tried again by the next caller. */
export async function loadGate(): Promise<ToolRegistry> {
  shared[KEY] ??= openGate().catch((error: unknown) => {
    delete shared[KEY]
    throw error
  })
  return (await shared[KEY]).registry
}

/** Waits until what runs has ended and what was audited is written. */
export async function closeGate(): Promise<void> {
  const gate = await shared[KEY]?.catch(() => null)
  await gate?.registry.close()
  gate?.audit.close()
  // After the last line; an open stream would keep the server from ending.
  auditHub().close()
}

async function openGate(): Promise<Gate> {
  const { createKnowledgeBase } = await import('toolgate/tools/_services/knowledge-base.js')
  const { createCalendar } = await import('toolgate/tools/_services/calendar.js')
  const audit = openAuditOutlet()
  const registry = createRegistry({
    artifact: process.env.TOOLGATE_ARTIFACT || undefined,
    services: {
      kb: await createKnowledgeBase({ file: process.env.TOOLGATE_KNOWLEDGE_FILE || undefined }),
      calendar: await createCalendar({ folder: process.env.TOOLGATE_CALENDAR_FOLDER || undefined }),
    },
    audit: audit.sink,
    store: storeChoice(process.env.TOOLGATE_STORE),
    environment: process.env.NODE_ENV === 'production' ? 'production' : 'development',
  })
  try {
    await registry.load()
  } catch (error) {
    audit.close()
    throw error
  }
  return { registry, audit }
}

/** `memory`, a redis URL, or the path of a file; `memory` by default. */
function storeChoice(setting = 'memory'): StoreChoice {
  if (setting === 'memory') return setting
  return /^rediss?:\/\//.test(setting) ? { redis: setting } : { file: setting }
}
