// The process-wide gate: one registry with this app's services.
import { createRegistry, type StoreChoice, type ToolRegistry } from 'toolgate'
import { type AuditOutput, openAuditOutput } from './audit-output'
import { auditBroadcaster } from './inspector/audit-broadcaster'

// On `globalThis`: development reloads this module after every edit, and routes are bundled separately.
const KEY = Symbol.for('toolgate.web.gate')
const shared = globalThis as { [KEY]?: Promise<Gate> }

interface Gate {
  registry: ToolRegistry
  audit: AuditOutput
}

/** Returns the loaded registry. The next caller retries a failed load. */
export async function loadGate(): Promise<ToolRegistry> {
  shared[KEY] ??= openGate().catch((error: unknown) => {
    delete shared[KEY]
    throw error
  })
  return (await shared[KEY]).registry
}

/** Waits until running calls have ended and their audit lines are written. */
export async function closeGate(): Promise<void> {
  const gate = await shared[KEY]?.catch(() => null)
  await gate?.registry.close()
  gate?.audit.close()
  // After the last line: an open stream would keep the server from ending.
  auditBroadcaster().close()
}

async function openGate(): Promise<Gate> {
  const { createKnowledgeBase } = await import('toolgate/tools/_services/knowledge-base.js')
  const { createCalendar } = await import('toolgate/tools/_services/calendar.js')
  const audit = openAuditOutput()
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

/** `memory` (default), a redis URL, or the path of a file. */
function storeChoice(setting = 'memory'): StoreChoice {
  if (setting === 'memory') return setting
  return /^rediss?:\/\//.test(setting) ? { redis: setting } : { file: setting }
}
