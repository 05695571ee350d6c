// Citations in an answer's Markdown: `[record:id]` in its text becomes a link to the source below the answer.
import type { Citation } from 'toolgate-react/parts'

const CITED_ID = / ?\[([a-z]+:[\w.-]+)\]/g
const ANCHOR = 'source-'

/** A node of the Markdown syntax tree. */
interface Node {
  type: string
  value?: string
  url?: string
  title?: string
  children?: Node[]
}

/**
 * The id of a source on the page.
 *
 * @param scope the answer's key: any text; what no link may contain is encoded
 */
export function sourceAnchor(scope: string, number: number): string {
  const safe = scope.replaceAll(/[^A-Za-z0-9-]/gu, character => `_${character.codePointAt(0)?.toString(16)}_`)
  return `${ANCHOR}${safe}-${number}`
}

export const isSourceLink = (href: string | undefined): boolean => href?.startsWith(`#${ANCHOR}`) === true

/**
 * A plugin of remark. The number of a known source links to it, an unknown id is shown as code. Code and the texts of links
 * stay as they are.
 */
export function linkCitations({ sources, scope }: { sources: Citation[]; scope: string }) {
  const citation = (id: string): Node[] => {
    const index = sources.findIndex(source => source.id === id)
    if (index < 0) return [textNode(' '), { type: 'inlineCode', value: id }]
    const number = index + 1
    return [{ type: 'link', url: `#${sourceAnchor(scope, number)}`, title: id, children: [textNode(String(number))] }]
  }
  const divide = (node: Node): Node[] => {
    if (node.type === 'text') return withCitations(node.value ?? '', citation)
    if (node.children && !node.type.startsWith('link')) node.children = node.children.flatMap(divide)
    return [node]
  }
  return (tree: Node) => void divide(tree)
}

function withCitations(text: string, citation: (id: string) => Node[]): Node[] {
  const nodes: Node[] = []
  let end = 0
  for (const match of text.matchAll(CITED_ID)) {
    nodes.push(textNode(text.slice(end, match.index)), ...citation(match[1] ?? ''))
    end = match.index + match[0].length
  }
  return [...nodes, textNode(text.slice(end))].filter(node => node.value !== '')
}

const textNode = (value: string): Node => ({ type: 'text', value })
