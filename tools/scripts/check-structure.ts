/**
 * Checks the names and the order of folders in the source of all packages, and the comments and texts of source, tests, examples and tools.
 * Part of `pnpm lint`.
 */
import path from 'node:path'
import { relativeDocComments, repeatedTypes } from '../tooling/structure/declared-names.ts'
import { folderOrderProblems, readFolderOrder } from '../tooling/structure/folder-order.ts'
import { glossaryViolations } from '../tooling/structure/glossary.ts'
import { proseViolations } from '../tooling/structure/prose.ts'
import { readSourceFiles, readTestAndToolFiles } from '../tooling/structure/source-files.ts'

/** Type names that two packages declare on purpose, with the reason. */
const REPEATED: ReadonlyMap<string, string> = new Map()
const root = path.join(import.meta.dirname, '../..')
const files = readSourceFiles(root)
const tests = readTestAndToolFiles(root)
const problems = [
  ...glossaryViolations(files).map(
    ({ path: file, identifier, use }) => `${file}: \`${identifier}\` is outside the glossary; use ${use}`,
  ),
  ...relativeDocComments([...files, ...tests]).map(
    (file) => `${file}: a doc comment begins with What, Of or Whether; see CONTRIBUTING.md`,
  ),
  ...proseViolations([...files, ...tests]).map(
    ({ path: file, line, found, use }) =>
      `${file}:${line}: "${found}" is outside the style guide; use ${use}`,
  ),
  ...[...repeatedTypes(files)]
    .filter(([name]) => !REPEATED.has(name))
    .map(([name, paths]) => `the type ${name} is declared more than once: ${paths.join(', ')}`),
  ...folderOrderProblems(files, (name) => readFolderOrder(root, name)),
]
for (const problem of problems) console.error(problem)
if (problems.length === 0)
  console.log(
    `${files.length} source files and ${tests.length} tests and tools: names, comments, texts and folders are as they should be.`,
  )
else process.exitCode = 1
