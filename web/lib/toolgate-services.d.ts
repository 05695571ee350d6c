// Types of the shipped services in the package's `tools/_services`, which are plain JavaScript.
declare module 'toolgate/tools/_services/embedded.js' {
  import type { ToolRegistry } from 'toolgate'

  export function embeddedServices(options?: {
    knowledgeFile?: string | URL
    calendarFolder?: string | URL
    timeZone?: string
    registry?: () => ToolRegistry
  }): Promise<Record<string, object>>
}
