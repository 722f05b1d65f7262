import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { verifies } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const folder = path.join(import.meta.dirname, '..')

it(`the embed example runs an agent with a tool from a library call and prints the answer ${verifies('C11', 'C13', 'C30')}`, async () => {
  const { stdout, stderr } = await run(process.execPath, ['--conditions=@troupe/source', 'run.ts'], {
    cwd: folder,
  })
  expect(stdout).toBe('It is 42. (completed, 1 tool call)\n')
  expect(stderr).toContain('run-end')
})

it('the typed example runs an agent whose schemas type its input and its answer', async () => {
  const { stdout } = await run(process.execPath, ['--conditions=@troupe/source', 'typed.ts'], { cwd: folder })
  expect(stdout).toBe('clear, 21 degrees\n')
})
