/** @param {string[]} head @param {(string | number)[][]} rows @returns {string} a table whose first column is text */
export function table(head, rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}
