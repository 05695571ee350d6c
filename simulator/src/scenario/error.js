// The error for an invalid scenario, addressed to its author.

/**
 * @typedef {object} FindingPosition in a file; absent for scenario objects
 * @property {number} [line] 1-based
 * @property {number} [column] 1-based
 *
 * @typedef {object} FindingMessage
 * @property {string} pointer JSON Pointer into the scenario (`""` is the whole document)
 * @property {string} message
 *
 * @typedef {FindingMessage & FindingPosition} Finding
 */

/** All findings of one scenario, reported together. */
export class ScenarioError extends Error {
  /**
   * @param {string} source file name, or a name for the scenario object
   * @param {Finding[]} findings
   */
  constructor(source, findings) {
    const lines = findings.map(({ pointer, message, line, column }) => {
      const place = line === undefined ? source : `${source}:${line}:${column}`
      return `  ${place} ${pointer === '' ? '(top level)' : pointer}: ${message}`
    })
    super(`scenario \`${source}\` cannot be used\n${lines.join('\n')}`)
    this.name = 'ScenarioError'
    this.source = source
    this.findings = findings
  }
}
