/**
 * Standard error of a program with the shipped tools: at most the lines that say that the project has none, and which
 * need a service of the host.
 */
export const HIDDEN_TOOLS_LINE = /^(\{[^\n]*toolgate-tools[^\n]*\n)?(\{[^\n]*tools are hidden[^\n]*\n)?$/
