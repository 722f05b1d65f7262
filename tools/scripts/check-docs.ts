/**
 * Checks the documentation without running anything in it: links and paths exist, the table of error codes is current, every card key and
 * event is documented, the index has the titles of the pages, and the prose keeps to the glossary and to short table cells.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { AGENT_KEYS } from '../../packages/schema/src/agents/agent-keys.ts'
import { LIMIT_KEYS } from '../../packages/schema/src/agents/key-schemas.ts'
import { EVENT_TYPES } from '../../packages/schema/src/events/event.ts'
import { withErrorTable } from './docs/error-table.ts'
import { withKeyTables } from './docs/key-tables.ts'
import { withLibraryExports } from './docs/library-exports.ts'
import { withProviderTables } from './docs/provider-table.ts'
import { layerProblems } from './docs/layers.ts'
import { brokenLinks } from '../tooling/docs/links.ts'
import { missingPaths } from './docs/paths.ts'
import { glossaryWords, longCells, wrongTitles } from '../tooling/docs/prose.ts'

const CONTRIBUTING = 'CONTRIBUTING.md'

const root = path.join(import.meta.dirname, '../..')
const pages = globSync(
  [
    '*.md',
    'docs/**/*.md',
    'packages/*/README.md',
    'apps/*/README.md',
    'deploy/README.md',
    'examples/README.md',
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

const cards = readPage('docs/cards.md')
if (withKeyTables(cards) !== cards)
  problems.push('docs/cards.md is out of date: run `node tools/scripts/write-key-tables.ts`')

const models = readPage('docs/models.md')
if (withProviderTables(models) !== models)
  problems.push('docs/models.md is out of date: run `node tools/scripts/write-provider-table.ts`')

const library = readPage('docs/reference/library.md')
if (withLibraryExports(library, root) !== library)
  problems.push('docs/reference/library.md is out of date: run `node tools/scripts/write-library-page.ts`')

// in a process of its own, because it runs the guards from their sources
const rates = spawnSync(process.execPath, [
  '--conditions=@troupe/source',
  path.join(import.meta.dirname, 'guard-rates.ts'),
  '--check',
])
if (rates.status !== 0)
  problems.push(
    'docs/guards.md is out of date: run `node --conditions=@troupe/source tools/scripts/guard-rates.ts --write`',
  )

const mentioned = [
  ['docs/cards.md', LIMIT_KEYS],
  ['docs/events.md', EVENT_TYPES],
  ['docs/interface.md', [...AGENT_KEYS, ...LIMIT_KEYS, ...EVENT_TYPES]],
] as const
for (const [page, words] of mentioned) {
  const text = readPage(page)
  for (const word of words)
    if (!text.includes(`\`${word}\``)) problems.push(`${page} does not mention \`${word}\``)
}

for (const page of pages) {
  const text = readPage(page)
  for (const { line, words } of longCells(text))
    problems.push(
      `${page}:${line}: a table cell has ${words} words; more than 20 belong in a paragraph or a list`,
    )
  for (const { line, found, use } of glossaryWords(page, text))
    problems.push(`${page}:${line}: "${found}" is outside the glossary; use ${use}`)
}
for (const { target, title, heading } of wrongTitles(path.join(root, 'docs/README.md')))
  problems.push(`docs/README.md: ${target} is titled "${heading}", not "${title}"`)

for (const problem of problems) console.error(problem)
if (problems.length === 0)
  console.log(`${pages.length} pages: every link leads somewhere, nothing is missing.`)
else process.exitCode = 1

function readPage(page: string): string {
  return readFileSync(path.join(root, page), 'utf8')
}
