/** Prints the measures of the structure of the source, with their targets: `pnpm structure [--verbose]`. */
import path from 'node:path'
import { glossaryViolations } from '../tooling/structure/glossary.ts'
import { relativeDocComments, repeatedTypes, sizes } from '../tooling/structure/declared-names.ts'
import { foldersInCycles, folderImports } from '../tooling/structure/folder-imports.ts'
import { readSourceFiles } from '../tooling/structure/source-files.ts'

const isVerbose = process.argv.includes('--verbose')
const files = readSourceFiles(path.join(import.meta.dirname, '../..'))
const total = [...sizes(files).values()].reduce(
  (sum, each) => ({ files: sum.files + each.files, lines: sum.lines + each.lines }),
  { files: 0, lines: 0 },
)
const cycles = [...folderImports(files)].flatMap(([name, imports]) =>
  foldersInCycles(imports).map((folder) => `${name}/src/${folder}`),
)
const comments = relativeDocComments(files)
const types = repeatedTypes(files)
const violations = glossaryViolations(files)

const MEASURES: readonly (readonly [string, number, number, readonly string[]])[] = [
  ['source files', total.files, 900, []],
  ['source lines', total.lines, 80_000, []],
  ['folders in a cycle of imports', cycles.length, 0, cycles],
  ['doc comments that begin with What, Of or Whether', comments.length, 0, [...new Set(comments)]],
  [
    'type names declared more than once',
    types.size,
    5,
    [...types].map(([name, paths]) => `${name}: ${paths.join(', ')}`),
  ],
  [
    'identifiers and file names outside the glossary',
    violations.length,
    0,
    violations.map(({ path: file, identifier, use }) => `${file}: ${identifier} (${use})`),
  ],
]

for (const [name, value, target, places] of MEASURES) {
  console.log(`${name}: ${value} (target: at most ${target})`)
  if (isVerbose) for (const place of places) console.log(`  ${place}`)
}
