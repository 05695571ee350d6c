// The shipped services are plain JavaScript in the package's `tools/_services`, without types of their own.
declare module 'toolgate/tools/_services/knowledge-base.js' {
  export function createKnowledgeBase(options?: { records?: object[]; file?: string | URL }): Promise<object>
}
declare module 'toolgate/tools/_services/calendar.js' {
  export function createCalendar(options?: { folder?: string | URL; timeZone?: string }): Promise<object>
}
