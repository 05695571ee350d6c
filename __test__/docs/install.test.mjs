// A page that installs a package of ours says how that works until it is published, in the same words: by a link to one page.
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

const pages = ['README.md', 'react/README.md', 'tools/README.md', 'voice-server/README.md', 'simulator/README.md']
const docs = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.md'))
const all = [...pages, ...docs.map(file => path.join('docs', file))].filter(file => file !== 'docs/install.md')
const installing = all.filter(file => /^ {4}npm install .*toolgate/m.test(readFileSync(file, 'utf8')))

test('pages install the packages', () => {
  expect(installing.length).toBeGreaterThan(4)
})

test.each(installing)('%s leads to the page about installing', file => {
  const [, target] = readFileSync(file, 'utf8').match(/\[[^\]]+\]\(([^)]*install\.md)\)/) ?? []
  expect(path.join(path.dirname(file), target ?? '')).toBe('docs/install.md')
})

test('every package that is packed is in its table', () => {
  const text = readFileSync('docs/install.md', 'utf8')
  for (const folder of ['.', 'tools', 'react', 'voice-server', 'simulator'])
    expect(text).toContain(`| \`${JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).name}\``)
})
