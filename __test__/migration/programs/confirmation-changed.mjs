import { toolRegistry } from 'toolgate/tools/_core/registry.js'
await toolRegistry.load()
const args = {
  title: 'Review',
  start_time: '2099-11-23T10:00:00+01:00',
  end_time: '2099-11-23T10:30:00+01:00',
  attendees: ['ada@example.com'],
}
const { error } = await toolRegistry.executeTool('calendar_create_event', { args })
const { token } = error.confirmation_request
const other = { ...args, title: 'Another' }
const answer = await toolRegistry.executeTool('calendar_create_event', { args: other, confirmationToken: token })
console.log(JSON.stringify(answer.error.type))
await toolRegistry.close()
