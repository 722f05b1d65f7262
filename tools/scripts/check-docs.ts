/**
 * Checks the documentation without running anything in it: relative links lead somewhere, the table of error codes is current, and every key
 * of a card and every event has its place. What the pages for contributors name of the repository is there.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { AGENT_KEYS, LIMIT_KEYS } from '../../packages/schema/src/agent-fields.ts'
import { EVENT_TYPES } from '../../packages/schema/src/event.ts'
import { withErrorTable } from './docs/error-table.ts'
import { layerProblems } from './docs/layers.ts'
import { brokenLinks } from './docs/links.ts'
import { missingPaths } from './docs/paths.ts'

const CONTRIBUTING = 'CONTRIBUTING.md'

const root = path.join(import.meta.dirname, '../..')
const pages = globSync(
  [
    '*.md',
    'docs/**/*.md',
    'packages/*/README.md',
    'apps/*/README.md',
    'examples/*/README.md',
    'tools/bench/README.md',
    'tools/browser-tests/README.md',
    'tools/requirements/README.md',
  ],
  { cwd: root },
)
const problems = pages
  .flatMap((page) => brokenLinks(path.join(root, page)))
  .map(
    ({ file, line, target }) => `${path.relative(root, file)}:${line}: the link to ${target} leads nowhere`,
  )

for (const page of pages.filter((each) => each === CONTRIBUTING || each.startsWith('docs/design/')))
  for (const { line, named } of missingPaths(path.join(root, page), root))
    problems.push(`${page}:${line}: there is no ${named}`)
problems.push(...layerProblems(readPage(CONTRIBUTING), root).map((problem) => `${CONTRIBUTING}: ${problem}`))

const errors = readPage('docs/errors.md')
if (withErrorTable(errors) !== errors)
  problems.push('docs/errors.md is out of date: run `node tools/scripts/write-error-table.ts`')

const mentioned = [
  ['docs/cards.md', [...AGENT_KEYS, ...LIMIT_KEYS]],
  ['docs/events.md', EVENT_TYPES],
  ['docs/interface.md', [...AGENT_KEYS, ...LIMIT_KEYS, ...EVENT_TYPES]],
] as const
for (const [page, words] of mentioned) {
  const text = readPage(page)
  for (const word of words)
    if (!text.includes(`\`${word}\``)) problems.push(`${page} does not mention \`${word}\``)
}

for (const problem of problems) console.error(problem)
if (problems.length === 0)
  console.log(`${pages.length} pages: every link leads somewhere, nothing is missing.`)
else process.exitCode = 1

function readPage(page: string): string {
  return readFileSync(path.join(root, page), 'utf8')
}
