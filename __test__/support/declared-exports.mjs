// What index.d.ts declares, read with the TypeScript compiler: names of values, apart from names of types.
import { readFileSync } from 'node:fs'
import ts from 'typescript'

const DECLARATIONS = new URL('../../index.d.ts', import.meta.url)

const isExported = node =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

/** @returns {string[]} names of exported classes, functions and constants, sorted */
export function declaredValues() {
  return [...new Set(valuesOf(DECLARATIONS))].sort()
}

function valuesOf(file) {
  const { statements } = ts.createSourceFile('index.d.ts', readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  return statements.flatMap(statement => {
    if (ts.isExportDeclaration(statement)) return reexported(statement, file)
    if (!isExported(statement)) return []
    if (ts.isClassDeclaration(statement) || ts.isFunctionDeclaration(statement)) return [statement.name.text]
    if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.text)
    return []
  })
}

/** The values of another file: `export * from './types/compile'` and `export { a } from './types/compile'`. */
function reexported({ exportClause, moduleSpecifier }, file) {
  if (moduleSpecifier === undefined) return []
  const values = valuesOf(new URL(`${moduleSpecifier.text.replace(/\.js$/, '')}.d.ts`, file))
  if (exportClause === undefined) return values
  const named = exportClause.elements.map(({ name }) => name.text)
  return values.filter(value => named.includes(value))
}
