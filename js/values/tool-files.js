'use strict'

/** The files of a tool folder that its author writes, in any language. Its tests are not among them. */
const TOOL_FILE = /^(?:schema|tool|handler|guide|doc|doc_summary)\.(?:json|md|[cm]?[jt]s)$/

/** Whether a file of this name in a folder makes it a tool. @param {string} name */
const isToolFile = name => TOOL_FILE.test(name)

module.exports = { isToolFile }
