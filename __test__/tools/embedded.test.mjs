// The embedded services in one call: those that hosts give to a registry.
import { embeddedServices } from '../../tools/_services/embedded.js'
import { temporaryFolder } from '../support/tool-set.mjs'
import { png } from './support/images.mjs'
import { schemaOf, toolIds } from './support/tool-files.mjs'

test('each service that a tool requires has a default, except `image`', async () => {
  const services = await embeddedServices({ calendarFolder: temporaryFolder(), registry: () => ({}) })
  // The registry is its own service.
  const required = new Set(toolIds.flatMap(id => schemaOf(id).requires ?? []).filter(name => name !== 'registry'))
  expect([...Object.keys(services), 'image'].toSorted()).toEqual([...required].toSorted())
})

test('without a registry there is no dashboard', async () => {
  const services = await embeddedServices({ calendarFolder: temporaryFolder() })
  expect(Object.keys(services).toSorted()).toEqual(['calendar', 'kb', 'llm', 'search', 'vision'])
})

test('frames are analysed by what the host gives', async () => {
  const analyzeFrame = async ({ kind, mediaType }) => `${kind} ${mediaType}`
  const { vision } = await embeddedServices({ calendarFolder: temporaryFolder(), analyzeFrame })
  vision.put('s', 'webcam', png())
  expect((await vision.latest('s', 'webcam')).analysis).toBe('webcam image/png')
})

test('options of the parts are passed on', async () => {
  const calendarFolder = temporaryFolder()
  await expect(embeddedServices({ calendarFolder, timeZone: 'Mars/Olympus' })).rejects.toThrow('Mars/Olympus')
  await expect(embeddedServices({ calendarFolder, knowledgeFile: '/no/such/file' })).rejects.toThrow('ENOENT')
})
