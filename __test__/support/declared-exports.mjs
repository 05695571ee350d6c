// What index.d.ts declares, read with the TypeScript compiler: names of values, apart from names of types.
import { readFileSync } from 'node:fs'
import ts from 'typescript'

const DECLARATIONS = new URL('../../index.d.ts', import.meta.url)

const isExported = node => ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

/** @returns {string[]} names of exported classes, functions and constants, sorted */
export const declaredValues = () => [...valuesOf(DECLARATIONS)].sort()

function valuesOf(file) {
  const source = ts.createSourceFile(file.href, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const names = new Set()
  for (const statement of source.statements) {
    // `export * from './types/compile'`
    if (ts.isExportDeclaration(statement) && statement.moduleSpecifier && !statement.exportClause) {
      valuesOf(new URL(`${statement.moduleSpecifier.text}.d.ts`, file)).forEach(name => names.add(name))
    }
    if (!isExported(statement)) continue
    if (ts.isClassDeclaration(statement) || ts.isFunctionDeclaration(statement)) names.add(statement.name.text)
    if (ts.isVariableStatement(statement)) statement.declarationList.declarations.forEach(({ name }) => names.add(name.text))
  }
  return names
}
