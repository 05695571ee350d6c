// Types of the shipped services in the package's `tools/_services`, which are plain JavaScript.
declare module 'toolgate/tools/_services/knowledge-base.js' {
  export function createKnowledgeBase(options?: { records?: object[]; file?: string | URL }): Promise<object>
}
declare module 'toolgate/tools/_services/calendar.js' {
  export function createCalendar(options?: { folder?: string | URL; timeZone?: string }): Promise<object>
}
