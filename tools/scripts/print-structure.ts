/** Prints the measures of the structure of the source, with their targets: `pnpm structure [--verbose]`. */
import path from 'node:path'
import { glossaryViolations } from '../tooling/structure/glossary.ts'
import {
  exportedNames,
  relativeDocComments,
  repeatedTypes,
  sizes,
} from '../tooling/structure/declared-names.ts'
import { foldersInCycles, folderImports } from '../tooling/structure/folder-imports.ts'
import { readSourceFiles } from '../tooling/structure/source-files.ts'
import { folderOrderProblems, readFolderOrder } from '../tooling/structure/folder-order.ts'
import { proseViolations } from '../tooling/structure/prose.ts'
import { filesExecutedByTeamRun } from '../tooling/structure/team-run.ts'

const isVerbose = process.argv.includes('--verbose')
const root = path.join(import.meta.dirname, '../..')
const files = readSourceFiles(root)
const total = [...sizes(files).values()].reduce(
  (sum, each) => ({ files: sum.files + each.files, lines: sum.lines + each.lines }),
  { files: 0, lines: 0 },
)
const cycles = [...folderImports(files)].flatMap(([name, imports]) =>
  foldersInCycles(imports).map((folder) => `${name}/src/${folder}`),
)
const comments = relativeDocComments(files)
const types = repeatedTypes(files)
const schemaExports = files
  .filter((file) => file.path === 'packages/schema/src/index.ts')
  .flatMap(exportedNames)
const violations = glossaryViolations(files)
const prose = proseViolations(files)
const upward = folderOrderProblems(files, (name) => readFolderOrder(root, name))
const executed = filesExecutedByTeamRun(root)

const MEASURES: readonly (readonly [string, number, number, readonly string[]])[] = [
  ['source files', total.files, 900, []],
  ['source lines', total.lines, 80_000, []],
  ['files executed by the team run of the README', executed.length, 170, executed],
  ['imports upward between the folders of a package', upward.length, 0, upward],
  ['folders in a cycle of imports', cycles.length, 0, cycles],
  ['doc comments that begin with What, Of or Whether', comments.length, 0, [...new Set(comments)]],
  [
    'type names declared more than once',
    types.size,
    5,
    [...types].map(([name, paths]) => `${name}: ${paths.join(', ')}`),
  ],
  ['exports of @troupe/schema', schemaExports.length, 120, schemaExports],
  [
    'identifiers and file names outside the glossary',
    violations.length,
    0,
    violations.map(({ path: file, identifier, use }) => `${file}: ${identifier} (${use})`),
  ],
  [
    'words outside the glossary in comments and messages',
    prose.length,
    0,
    prose.map(({ path: file, line, found, use }) => `${file}:${line}: ${found} (${use})`),
  ],
]

for (const [name, value, target, places] of MEASURES) {
  console.log(`${name}: ${value} (target: at most ${target})`)
  if (isVerbose) for (const place of places) console.log(`  ${place}`)
}
