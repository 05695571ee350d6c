// The arguments of the question are sent back with its token: they have the defaults that the call left out.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toolRegistry } from 'toolgate/tools/_core/registry.js'
import { embeddedServices } from 'toolgate/tools/_services/embedded.js'
const services = await embeddedServices({ calendarFolder: mkdtempSync(join(tmpdir(), 'calendars-')) })
await toolRegistry.load({ services })
const args = {
  title: 'Review',
  start_time: '2099-11-23T10:00:00Z',
  end_time: '2099-11-23T10:30:00Z',
  attendees: ['ada@example.com'],
}
const asked = await toolRegistry.executeTool('calendar_create_event', { args })
const { token: confirmationToken, args: shown } = asked.error.confirmation_request
const run = sent => toolRegistry.executeTool('calendar_create_event', { args: sent, confirmationToken })
const changed = await run({ ...shown, include_zoom_link: false })
const other = await toolRegistry.executeTool('kb_search', { args: shown, confirmationToken })
const given = await run(Object.fromEntries(Object.entries(shown).reverse()))
console.log(JSON.stringify([Object.keys(shown).length > 4, changed.error.type, other.ok, given.ok, given.data?.title]))
await toolRegistry.close()
