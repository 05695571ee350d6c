// What the site takes of the repository's pages.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Folders whose Markdown is for tests, models or the registry of npm, not for readers. */
const NOT_PAGES = /(?:^|\/)(?:tests?|__test__|fuzz|prompts|_prompts|npm|load-tools)\//
const PICTURE =
  /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img alt="([^"]*)" src="([^"]+)"[^>]*>\s*<\/picture>/g

/** @param {string} name of a file of the repository */
export const isPage = name => /\.(?:md|png|svg|json)$/.test(name) && !NOT_PAGES.test(name)

/** @param {string} text @param {(line: string) => string} change for each line outside of fenced code */
function outsideCode(text, change) {
  let fenced = false
  const lines = text.split('\n').map(line => {
    if (/^\s*```/.test(line)) fenced = !fenced
    return fenced ? line : change(line)
  })
  return lines.join('\n')
}

/**
 * A page as the site shows it. A link to a file of the repository that the site does not have keeps its words only. A link to what does
 * not exist stays, and fails the build. A picture with a dark form becomes two images, because the site has a switch for its theme.
 * @param {string} root of the repository @param {string} name of the page @param {string[]} pages
 */
export function sitePage(root, name, pages) {
  const text = readFileSync(path.join(root, name), 'utf8')
  const linked = outsideCode(text, line =>
    line.replace(/(?<!!)\[([^\]]+)\]\(([^)\s#:]+)(#[^)\s]*)?\)/g, (link, words, target) => {
      const meant = path.posix.join(path.posix.dirname(name), target).replace(/\/$/, '')
      if (pages.includes(`${meant}/README.md`)) return `[${words}](${target.replace(/\/?$/, '/README.md')})`
      return pages.includes(meant) || !existsSync(path.join(root, meant)) ? link : words
    }),
  )
  return linked.replace(PICTURE, '![$2]($3){.light-only}\n![$2]($1){.dark-only}')
}

/**
 * The first page: `home.md`, and the README from its installation on, without what the head of the page says.
 * @param {string} head @param {string} readme
 */
export function homePage(head, readme) {
  const [, install, ...sections] = readme.split(/^(?=## )/m)
  const kept = sections.filter(section => !/^## (?:What it guarantees|Licence)/.test(section))
  return [head, install.replace('## Install', '## Quick start'), ...kept].join('\n')
}
