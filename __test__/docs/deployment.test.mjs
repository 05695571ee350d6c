// The variables and routes of the page on deployment are those of the two servers, all of them.
import { readFile } from 'node:fs/promises'

const read = path => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
const rowsOf = page =>
  page
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .map(line => line.split('|').map(cell => cell.trim()))
/** The variables in the first column of a page's tables. */
const variablesIn = rows =>
  rows.flatMap(([, names]) => [...names.matchAll(/`([A-Z]+_[A-Z_]+|PORT|HOST|HOSTNAME)`/g)].map(([, name]) => name))

const page = rowsOf(await read('docs/deployment.md'))

test.each([
  ['voice server', 'voice-server/README.md'],
  ['web app', 'web/README.md'],
])('the variables of the %s', async (server, readme) => {
  const listed = variablesIn(page.filter(([, , reader]) => [server, 'both'].includes(reader)))
  const documented = variablesIn(rowsOf(await read(readme)))
  expect(documented.length).toBeGreaterThan(10)
  expect(listed.sort()).toEqual(documented.sort())
})

test('the routes of health', async () => {
  const routes = page.map(([, name]) => name.replaceAll('`', '')).filter(name => name.startsWith('/'))
  const [server, ...web] = await Promise.all([
    read('voice-server/server.js'),
    read('web/app/api/healthz/route.ts'),
    read('web/app/api/readyz/route.ts'),
  ])
  const voice = [...server.matchAll(/pathOf\(request\) [=!]== '(\/(?:health|ready)z)'/g)].map(([, route]) => route)
  expect(web.every(text => text.includes('GET'))).toBe(true)
  expect(routes.sort()).toEqual([...voice, '/api/healthz', '/api/readyz'].sort())
})
