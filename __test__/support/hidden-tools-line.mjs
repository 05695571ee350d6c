/** Standard error of a program with the shipped tools: at most the line that names those that need a service of the host. */
export const HIDDEN_TOOLS_LINE = /^$|^\{[^\n]*tools are hidden[^\n]*\n$/
