// The documentation site: the pages of the repository, by task, with a search that runs in the browser.
import { readdirSync } from 'node:fs'

import { defineConfig } from 'vitepress'

const DECISIONS = new URL('../docs/decisions/', import.meta.url)

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

export default defineConfig({
  title: 'Toolgate',
  description: 'The gate that every tool call of an LLM agent passes through.',
  rewrites: { 'README.md': 'index.md', ':folder(.*)/README.md': ':folder/index.md' },
  cleanUrls: true,
  markdown: {
    html: false,
    // Braces of a page are no template of Vue.
    config: md => {
      // Indented code gets the frame of fenced code.
      md.renderer.rules.code_block = (tokens, index, ...rest) => {
        Object.assign(tokens[index], { type: 'fence', info: 'sh' })
        return md.renderer.rules.fence(tokens, index, ...rest)
      }
      for (const name of ['text', 'code_inline']) {
        const render = md.renderer.rules[name]
        md.renderer.rules[name] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;')
      }
    },
  },
  vite: { build: { chunkSizeWarningLimit: 4096 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Start', link: '/' },
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
      group('Stores', [['Stores', '/docs/stores']]),
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
        ['API', '/api/'],
        ['Architecture', '/ARCHITECTURE'],
      ]),
      { ...group('Decisions', [['All', '/docs/decisions/'], ...decisions]), collapsed: true },
    ],
  },
})
