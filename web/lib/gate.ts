// The process-wide gate: one registry with this app's services.
import { createRegistry, shippedTools, storeFromSetting, type ToolRegistry } from 'toolgate'
import { keepCalls, listenToCalls, toolServiceSettings } from 'toolgate/http'
import { type AuditOutput, openAuditOutput } from './audit-output'
import { type ImageService, imageUrl } from './images'
import { inspectorIsOn } from './features'
import { auditBroadcaster } from './inspector/audit-broadcaster'
import { runMemory } from './inspector/run-memory'
import { logFailure, serverLog } from './log-failure'

// On `globalThis`: development reloads this module after every edit, and routes are bundled separately.
const KEY = Symbol.for('toolgate.web.gate')
const shared = globalThis as { [KEY]?: Promise<Gate> }

interface Gate {
  registry: ToolRegistry
  audit: AuditOutput
  frames: FrameStore
  images: ImageService
}

/** The part of the service `vision` that takes frames from pages. */
export interface FrameStore {
  put(sessionId: string, kind: FrameKind, bytes: Uint8Array): { capturedAt: string; width: number; height: number }
  /** The user has turned the camera, or the sharing, off. */
  switchOff(sessionId: string, kind: FrameKind): void
}

export type FrameKind = 'screen' | 'webcam'

/** Returns the loaded registry. The next caller retries a failed load. */
export async function loadGate(): Promise<ToolRegistry> {
  shared[KEY] ??= openGate().catch((error: unknown) => {
    delete shared[KEY]
    throw error
  })
  return (await shared[KEY]).registry
}

/** Where pages put the frames of a camera or a screen: in this process's memory. */
export async function loadFrames(): Promise<FrameStore> {
  await loadGate()
  return ((await shared[KEY]) as Gate).frames
}

/** The images that were generated, in this process's memory. */
export async function loadImages(): Promise<ImageService> {
  await loadGate()
  return ((await shared[KEY]) as Gate).images
}

/** How long running calls may take after a signal: the default deadline of a tool. */
const DRAIN_MS = 25_000

/** Waits until running calls have ended and their audit lines are written. */
export async function closeGate(): Promise<void> {
  const gate = await shared[KEY]?.catch(() => null)
  await gate?.registry.close({ timeoutMs: DRAIN_MS })
  gate?.audit.close()
  // After the last line: an open stream would keep the server from ending.
  auditBroadcaster().close()
}

async function openGate(): Promise<Gate> {
  const { configuredServices, sourceFields } = await import('toolgate/tools/_services/configured.js')
  const settings = toolServiceSettings(process.env)
  const { services, sources } = await configuredServices(settings, { imageUrl, registry: () => registry })
  serverLog().info('services of the tools', sourceFields(sources))
  const audit = openAuditOutput()
  const registry: ToolRegistry = createRegistry({
    artifact: process.env.TOOLGATE_ARTIFACT || shippedTools,
    sources: process.env.TOOLGATE_SOURCES || undefined,
    services,
    audit: audit.sink,
    store: storeFromSetting(process.env.TOOLGATE_STORE || undefined),
    environment: process.env.NODE_ENV === 'production' ? 'production' : 'development',
    strayErrors: 'report',
  })
  try {
    await registry.load()
  } catch (error) {
    audit.close()
    throw error
  }
  if (inspectorIsOn()) keepInspectedCalls()
  return { registry, audit, images: services.image, frames: services.vision }
}

/** In the file that the servers share, or in memory. */
function keepInspectedCalls(): void {
  if (!process.env.TOOLGATE_INSPECTOR_CALLS) listenToCalls(line => runMemory().push(line))
  else keepCalls(process.env, error => logFailure('a call could not be kept for the inspector', error))
}
