// Horizontal bars as SVG, readable on a light page and on a dark one: a page shows the file as a picture, which asks the
// reader's system which of the two it is. No library: those that draw charts weigh tens of megabytes, and these are bars.

const WIDTH = 760
const LABEL = 300
const VALUE = 90
const BAR = 13
const GAP = 3
const ROW_GAP = 9
const TOP = 62
const FONT = 12

const COLOURS = {
  toolgate: ['#1a7f64', '#3fb68b'],
  js: ['#8a6d1f', '#d3ac4a'],
  naive: ['#a4543a', '#e08a6d'],
  other: ['#5b6b7f', '#93a4b8'],
}

const STYLE = `
  text { font: ${FONT}px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 15px; font-weight: 600 }
  .quiet { fill: #59636e }
  .line { stroke: #d1d9e0 }
${Object.entries(COLOURS)
  .map(([name, [light]]) => `  .${name} { fill: ${light} }`)
  .join('\n')}
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .line { stroke: #3d444d }
${Object.entries(COLOURS)
  .map(([name, [, dark]]) => `    .${name} { fill: ${dark} }`)
  .join('\n')}
  }
`

/**
 * @typedef {{ kind: keyof typeof COLOURS, value: number | null, text: string }} Bar null: no bar, only its text
 * @param {object} chart
 * @param {string} chart.title
 * @param {string} chart.subtitle
 * @param {[keyof typeof COLOURS, string][]} chart.legend
 * @param {{ label: string, bars: Bar[] }[]} chart.rows
 * @param {'linear' | 'log'} [chart.scale] log where the longest would leave nothing to see of the others
 * @returns {string} an SVG document
 */
export function barChart({ title, subtitle, legend, rows, scale = 'linear' }) {
  const length = scaleOf(
    rows.flatMap(({ bars }) => bars.map(({ value }) => value)),
    scale,
  )
  const parts = []
  let y = TOP
  for (const { label, bars } of rows) {
    const height = bars.length * (BAR + GAP) - GAP
    parts.push(textAt(LABEL - 10, y + height / 2 + FONT / 3, label, 'text-anchor="end"'))
    for (const { kind, value, text } of bars) {
      const width = value === null ? 0 : length(value)
      parts.push(`<rect class="${kind}" x="${LABEL}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="2"/>`)
      parts.push(textAt(LABEL + width + 5, y + BAR - 3, text, 'class="quiet"'))
      y += BAR + GAP
    }
    y += ROW_GAP - GAP
  }
  const height = y + 6
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="t">`,
    `<title id="t">${escape(`${title}: ${subtitle}`)}</title>`,
    `<style>${STYLE}</style>`,
    textAt(0, 16, title, 'class="title"'),
    textAt(0, 34, subtitle, 'class="quiet"'),
    ...legendAt(50, legend),
    `<line class="line" x1="${LABEL - 0.5}" x2="${LABEL - 0.5}" y1="${TOP - 4}" y2="${height - 8}"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

/** @returns {(value: number) => number} a bar's length */
function scaleOf(values, scale) {
  const known = values.filter(value => value !== null && value > 0)
  const [least, most] = [Math.min(...known), Math.max(...known)]
  const room = WIDTH - LABEL - VALUE
  if (scale === 'linear') return value => (Math.max(0, value) / most) * room
  // A decade below the least, so that its bar is seen.
  const from = Math.log10(least) - 1
  return value => (value <= 0 ? 0 : ((Math.log10(value) - from) / (Math.log10(most) - from)) * room)
}

function legendAt(y, legend) {
  let x = LABEL
  return legend.flatMap(([kind, name]) => {
    const at = x
    x += 22 + name.length * 7
    return [`<rect class="${kind}" x="${at}" y="${y - 9}" width="10" height="10" rx="2"/>`, textAt(at + 14, y, name)]
  })
}

function textAt(x, y, text, attributes = '') {
  return `<text x="${Number(x.toFixed(1))}" y="${Number(y.toFixed(1))}" ${attributes}>${escape(text)}</text>`
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
