import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createStateController } from 'toolgate/tools/_core/state-controller.js'
import { toolRegistry } from 'toolgate/tools/_core/registry.js'
import { embeddedServices } from 'toolgate/tools/_services/embedded.js'
const calendarFolder = mkdtempSync(path.join(tmpdir(), 'calendars-'))
await toolRegistry.load({ services: await embeddedServices({ calendarFolder }) })
const args = {
  title: 'Review',
  start_time: '2099-11-23T10:00:00+01:00',
  end_time: '2099-11-23T10:30:00+01:00',
  attendees: ['ada@example.com'],
}
const session = { isActive: true, state: createStateController() }
const asked = await toolRegistry.executeTool('calendar_create_event', { args, session })
const { token } = asked.error.confirmation_request
const answer = await toolRegistry.executeTool('calendar_create_event', { args, session, confirmationToken: token })
const again = await toolRegistry.executeTool('calendar_create_event', { args, session, confirmationToken: token })
console.log(JSON.stringify([answer.ok, answer.data.title, again.error.type]))
await toolRegistry.close()
