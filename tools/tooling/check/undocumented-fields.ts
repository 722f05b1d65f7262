import ts from '@typescript/typescript6'

/**
 * Returns the fields without a doc comment of all interfaces and object types that an entry point exports, such as
 * `RunReport.runId`. `entry` is a declaration file.
 */
export function undocumentedFields(entry: string): readonly string[] {
  const program = ts.createProgram([entry], {
    noLib: true,
    noResolve: false,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(entry)
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${entry} has no exports.`)
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    return (symbol.declarations ?? [])
      .flatMap(membersOf)
      .filter((member) => ts.getJSDocCommentsAndTags(member).length === 0)
      .map((member) => `${exported.name}.${member.name?.getText() ?? '?'}`)
  })
}

/** Returns the fields that a declaration itself lists. */
function membersOf(declaration: ts.Declaration): readonly ts.TypeElement[] {
  if (ts.isInterfaceDeclaration(declaration)) return declaration.members.filter(isField)
  if (!ts.isTypeAliasDeclaration(declaration)) return []
  return partsOf(declaration.type).flatMap((part) =>
    ts.isTypeLiteralNode(part) ? part.members.filter(isField) : [],
  )
}

function partsOf(node: ts.TypeNode): readonly ts.TypeNode[] {
  if (ts.isParenthesizedTypeNode(node)) return partsOf(node.type)
  if (ts.isIntersectionTypeNode(node) || ts.isUnionTypeNode(node)) return node.types.flatMap(partsOf)
  return [node]
}

function isField(member: ts.TypeElement): boolean {
  return ts.isPropertySignature(member) || ts.isMethodSignature(member)
}
