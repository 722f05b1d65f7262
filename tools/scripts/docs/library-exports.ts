import path from 'node:path'
import ts from '@typescript/typescript6'

const START = '<!-- library:start -->'
const END = '<!-- library:end -->'

/** Returns the page with the exports of the package `troupe` between its two markers. */
export function withLibraryExports(page: string, root: string): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start === -1 || end < start) throw new Error(`The page has no ${START} … ${END}.`)
  return `${page.slice(0, start + START.length)}\n\n${exportsText(root)}\n\n${page.slice(end)}`
}

function exportsText(root: string): string {
  const entry = path.join(root, 'apps/cli/src/index.ts')
  const program = ts.createProgram([entry], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ['@troupe/source'],
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    strict: true,
    types: [],
  })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(entry)
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${entry} exports nothing.`)
  const sections = checker.getExportsOfModule(module).map((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return exportText(symbol.name, target, checker)
  })
  return sections.toSorted((a, b) => a.localeCompare(b, 'en')).join('\n\n')
}

function exportText(name: string, symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const declarations = symbol.declarations ?? []
  // the implementation of an overloaded function is not part of its signature
  const shown = declarations.filter(
    (each) => declarations.length === 1 || !ts.isFunctionDeclaration(each) || each.body === undefined,
  )
  const docs = ts.displayPartsToString(symbol.getDocumentationComment(checker))
  const text = docs.replaceAll(/\{@link (?<target>[^}]+)\}/gu, '`$<target>`')
  const code = shown.map(signature).join('\n')
  return [`## ${name}`, ...(text === '' ? [] : [text]), `\`\`\`ts\n${code}\n\`\`\``].join('\n\n')
}

/** Returns the text of a declaration without its docstring, its body, `export` and `async`. */
function signature(declaration: ts.Declaration): string {
  const source = declaration.getSourceFile()
  const start = declaration.getStart(source)
  const isFunction = ts.isFunctionDeclaration(declaration) && declaration.body !== undefined
  const end = isFunction ? (declaration.body?.getStart(source) ?? declaration.end) : declaration.end
  return source.text
    .slice(start, end)
    .trim()
    .replace(/^export (?:async )?/u, '')
}
