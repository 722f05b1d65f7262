import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { verifies } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'

const page = (name: string): Promise<string> =>
  readFile(path.join(import.meta.dirname, '../../../docs', name), 'utf8')

/** Returns the text below a heading, up to the next heading of its level. */
function section(text: string, heading: string): string {
  const [, rest = ''] = text.split(`\n## ${heading}\n`)
  return rest.split('\n## ')[0] ?? ''
}

it(`the page on hooks says that they are experimental ${verifies('B5')}`, async () => {
  expect(await page('hooks.md')).toContain('Status: experimental.')
})

it(`the page on agents as tools has the concept, the example and a comparison with workflow types ${verifies('A86')}`, async () => {
  const text = await page('agents-as-tools.md')
  expect(section(text, 'Two agents as tools')).toContain('agents:\n  - NY-Time\n  - London-Time\n')
  const compared = section(text, 'Compared with workflow types')
    .split('\n')
    .find((line) => line.startsWith('| |'))
  expect(compared).toBe('| | agents as tools | orchestrator | iterative planner | parallel |')
})

it(`the page on agents as tools says how usage is summed, how connections are shared, and what has no row of its own ${verifies('A87')}`, async () => {
  const text = await page('agents-as-tools.md')
  expect(section(text, 'Usage')).toContain('There are no rows for individual instances')
  expect(section(text, 'MCP connections')).toContain('no matter how many runs and agents use it')
})
