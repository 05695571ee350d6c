// The documentation site, as `npm run docs:build` builds it.
import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'

import { browser } from '../../scripts/system-programs.mjs'
import { importPaths } from '../../site/api.mjs'
import { launchChromium } from '../../web/test/chromium.mjs'

const DIST = path.resolve('.toolgate/site/dist')
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
let pages = []
let server
let chromium

const textOf = page => readFileSync(path.join(DIST, `${page}.html`), 'utf8')
const fileOf = url => path.join(DIST, url.endsWith('/') ? `${url}index.html` : path.extname(url) ? url : `${url}.html`)

async function serve(request, response) {
  const file = fileOf(new URL(request.url, 'http://site.test').pathname)
  try {
    response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' })
    response.end(readFileSync(file))
  } catch {
    response.end()
  }
}

beforeAll(async () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['site/build.mjs'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
  pages = readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.html'))
    .map(name => name.replaceAll('\\', '/').replace('.html', ''))
  server = createServer(serve).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  if (browser() || process.env.CI) chromium = await launchChromium()
})

afterAll(async () => {
  await chromium?.close()
  server?.close()
})

// Without a browser they are skipped on a developer's machine. In CI there is one.
const inBrowser = browser() || process.env.CI ? (title, run) => test(title, run, 240_000) : test.skip
const addressOf = page => `http://127.0.0.1:${server.address().port}/${page.replace(/(^|\/)index$/, '$1')}`

test('no page shows a comment or a tag of its source as text', () => {
  expect(pages.length).toBeGreaterThan(100)
  const prose = page => textOf(page).replaceAll(/<(pre|code)\b[\s\S]*?<\/\1>/g, '')
  expect(pages.filter(page => /&lt;(?:!--|\/?(?:picture|source|img|p|br)\b)/.test(prose(page)))).toEqual([])
})

test('pages are for readers: none of tests, of models or of the packages of platforms', () => {
  expect(pages.filter(page => /(?:^|\/)(?:tests?|__test__|npm|_prompts|load-tools)\//.test(page))).toEqual([])
})

test('the first page has a quick start, and its picture in both themes', () => {
  const home = textOf('index')
  const parts = ['id="quick-start"', 'class="light-only"', 'class="dark-only"', 'class="VPHome"']
  expect(parts.filter(part => !home.includes(part))).toEqual([])
  expect(home.replaceAll(/<[^>]*>/g, '')).toContain('npm install toolgate')
})

test('each public import path has a page, with what it exports', () => {
  const names = importPaths(process.cwd()).map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['toolgate', 'toolgate/web', 'toolgate/mcp', 'toolgate/http']))
  expect(names.filter(name => !pages.includes(`api/${name}`))).toEqual([])
  const index = textOf('api/index')
  expect(names.filter(name => !index.includes(`href="/api/${name}"`))).toEqual([])
  expect(textOf('api/toolgate/web')).toMatch(/maxBodyBytes\?[\s\S]*?default 1 MiB/)
})

inBrowser('no page is wider than a screen of 320 pixels', async () => {
  const page = await chromium.newPage({ viewport: { width: 320, height: 800 } })
  const wide = []
  for (const name of pages) {
    await page.goto(addressOf(name), { waitUntil: 'load' })
    const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    if (over > 0) wide.push([name, over])
  }
  expect(wide).toEqual([])
})

inBrowser('the search finds guides first, and neither tests nor the changelog', async () => {
  const page = await chromium.newPage()
  await page.goto(addressOf('docs/install'))
  await page.locator('.DocSearch-Button').click()
  const found = async words => {
    await page.locator('.search-input').fill(words)
    await page.waitForFunction(
      one => document.querySelector('.result mark')?.textContent.toLowerCase().startsWith(one),
      words.slice(0, 4).toLowerCase(),
    )
    await page.waitForTimeout(500)
    return page.locator('.result').evaluateAll(links => links.map(link => link.getAttribute('href')))
  }
  for (const [words, guide] of [
    ['confirmation', '/docs/confirmations'],
    ['store', '/docs/stores'],
    ['limits', '/docs/limits'],
    ['install', '/docs/install'],
    ['voice', '/docs/voice'],
  ]) {
    const hrefs = await found(words)
    expect([words, hrefs[0].split('#')[0]]).toEqual([words, guide])
    expect(hrefs.filter(href => /CHANGELOG|\/test\//.test(href))).toEqual([])
  }
})
