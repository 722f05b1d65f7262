/**
 * Checks the documentation without running anything in it: relative links lead somewhere, the table of error codes is current, and every key
 * of a card and every event has its place.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { AGENT_KEYS, LIMIT_KEYS } from '../packages/schema/src/agent-fields.ts'
import { EVENT_TYPES } from '../packages/schema/src/event.ts'
import { withErrorTable } from './docs/error-table.ts'
import { brokenLinks } from './docs/links.ts'

const root = path.join(import.meta.dirname, '..')
const pages = globSync(
  [
    '*.md',
    'docs/**/*.md',
    'design/**/*.md',
    'packages/*/README.md',
    'apps/*/README.md',
    'examples/*/README.md',
    'bench/README.md',
    'browser-tests/README.md',
    'requirements/README.md',
  ],
  { cwd: root },
)
const problems = pages
  .flatMap((page) => brokenLinks(path.join(root, page)))
  .map(
    ({ file, line, target }) => `${path.relative(root, file)}:${line}: the link to ${target} leads nowhere`,
  )

const errors = readPage('docs/errors.md')
if (withErrorTable(errors) !== errors)
  problems.push('docs/errors.md is out of date: run `node scripts/write-error-table.ts`')

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
