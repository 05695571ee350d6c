// The documentation site: the pages of the repository, by task, with a search that runs in the browser.
import { readdirSync } from 'node:fs'

import { defineConfig } from 'vitepress'

const DECISIONS = new URL('../docs/decisions/', import.meta.url)
const API = new URL('../api/', import.meta.url)
/** HTML that pages use; other tags are words of the page, such as `<name>`. */
const HTML = /^<\/?(?:a|br|details|summary|sub|sup|kbd)(?:\s[^>]*)?\/?>$/

/** @param {string} text @param {[text: string, link: string][]} pages */
const group = (text, pages) => ({ text, items: pages.map(([title, link]) => ({ text: title, link })) })

const decisions = readdirSync(DECISIONS)
  .filter(name => /^\d/.test(name))
  .sort()
  .map(
    name =>
      /** @type {[string, string]} */ ([
        name.replace(/^(\d+)-(.*)\.md$/, '$1 $2').replaceAll('-', ' '),
        `/docs/decisions/${name.replace('.md', '')}`,
      ]),
  )

/** @type {[string, string][]} */
const importPaths = readdirSync(API, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.md') && name !== 'index.md')
  .map(name => name.replaceAll('\\', '/').replace(/\.md$/, ''))
  .sort()
  .map(name => [name, `/api/${name}`])

/**
 * The text of a page for the search. The members of the API are found under their type or function.
 * @param {string} source @param {import('vitepress').MarkdownEnv} env @param {import('markdown-it')} md
 */
function searchText(source, env, md) {
  const html = md.render(source, env)
  if (env.relativePath === 'CHANGELOG.md') return ''
  return env.relativePath.startsWith('api/') ? html.replaceAll(/<\/?h[4-6][^>]*>/g, ' ') : html
}

/**
 * Guides come first, and of a guide its title. It runs in the browser, and so uses nothing of this file.
 * @param {string} id @param {string} _term @param {{ titles?: string[] }} [stored]
 */
function weightOfPage(id, _term, stored) {
  const whole = stored?.titles?.length === 0 ? 4 : 1
  if (/^\/docs\/(?:decisions|performance|mutation)/.test(id)) return 0.2
  if (/^\/(?:api|bench|examples)\//.test(id) || /^\/tools\/\w+\/guide/.test(id)) return 0.3 * whole
  if (/^\/(?:docs\/diagnostics|CONTRIBUTING|ARCHITECTURE)/.test(id)) return 0.4
  return /^\/(?:docs|tools)\//.test(id) ? 2 * whole : whole
}

export default defineConfig({
  title: 'Toolgate',
  description: 'The gate that every tool call of an LLM agent passes through.',
  rewrites: { 'README.md': 'index.md', ':folder(.*)/README.md': ':folder/index.md' },
  cleanUrls: true,
  markdown: {
    // Braces of a page are no template of Vue.
    config: md => {
      // Indented code gets the frame of fenced code.
      md.renderer.rules.code_block = (tokens, index, ...rest) => {
        Object.assign(tokens[index], { type: 'fence', info: 'sh' })
        return md.renderer.rules.fence(tokens, index, ...rest)
      }
      // Comments are for writers. A tag that the pages do not use is text.
      const escape = md.utils.escapeHtml
      const shown = (/** @type {string} */ html) =>
        html
          .replaceAll(/<!--[\s\S]*?-->/g, '')
          .replaceAll(/<[^>]*>?/g, tag => (HTML.test(tag) ? tag : escape(tag)))
          .replaceAll('{{', '&#123;&#123;')
      md.renderer.rules.html_block = (tokens, index) => shown(tokens[index].content)
      md.renderer.rules.html_inline = (tokens, index) => shown(tokens[index].content)
      for (const name of ['text', 'code_inline']) {
        const render = md.renderer.rules[name]
        md.renderer.rules[name] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;')
      }
    },
  },
  vite: { build: { chunkSizeWarningLimit: 4096 } },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        _render: searchText,
        miniSearch: {
          searchOptions: { boost: { title: 8, titles: 3, text: 1 }, boostDocument: weightOfPage },
        },
      },
    },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Guides', link: '/docs/install' },
      { text: 'Reference', link: '/docs/reference' },
      { text: 'API', link: '/api/' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: [
      group('Begin', [['Install', '/docs/install']]),
      group('Add a tool', [
        ['Tools', '/tools/'],
        ['Schema libraries', '/docs/schema-libraries'],
        ['Findings', '/docs/diagnostics'],
        ['Patterns', '/docs/patterns'],
        ['Many tools', '/docs/many-tools'],
        ['Repair', '/docs/repair'],
      ]),
      group('Frameworks', [
        ['Next.js', '/docs/next'],
        ['An existing app', '/docs/existing-app'],
        ['AI SDK', '/docs/frameworks/ai-sdk'],
        ['OpenAI', '/docs/frameworks/openai'],
        ['OpenAI Agents SDK', '/docs/frameworks/openai-agents'],
        ['Anthropic', '/docs/frameworks/anthropic'],
        ['Gemini', '/docs/frameworks/gemini'],
        ['LangChain', '/docs/frameworks/langchain'],
        ['Mastra', '/docs/frameworks/mastra'],
        ['Genkit', '/docs/frameworks/genkit'],
        ['Google ADK', '/docs/frameworks/adk'],
        ['LiveKit', '/docs/frameworks/livekit'],
      ]),
      group('Voice', [
        ['Voice', '/docs/voice'],
        ['Voice server', '/voice-server/'],
        ['Transports', '/docs/transports'],
      ]),
      group('Confirmations', [
        ['Confirmations', '/docs/confirmations'],
        ['Acts', '/docs/acts'],
        ['Background', '/docs/background'],
      ]),
      group('Stores', [
        ['Stores', '/docs/stores'],
        ['Conversations over days', '/docs/days'],
      ]),
      group('Production', [
        ['Deployment', '/docs/deployment'],
        ['Operations', '/docs/operations'],
        ['Limits', '/docs/limits'],
        ['Configuration', '/docs/configuration'],
        ['Performance', '/docs/performance'],
        ['Security', '/SECURITY'],
      ]),
      group('MCP', [['MCP', '/docs/mcp']]),
      group('Migrate', [
        ['Migration', '/docs/migration'],
        ['Changes', '/CHANGELOG'],
      ]),
      group('Reference', [
        ['Reference', '/docs/reference'],
        ['Commands', '/docs/cli'],
        ['Architecture', '/ARCHITECTURE'],
      ]),
      { ...group('API', [['All', '/api/'], ...importPaths]), collapsed: true },
      { ...group('Decisions', [['All', '/docs/decisions/'], ...decisions]), collapsed: true },
    ],
  },
})
