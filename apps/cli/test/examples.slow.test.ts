import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../src/program.ts'
import { testContext } from './test-context.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')
/**
 * Folders that need something around them, which their own tests start: a web site, Python, or a client of the tools
 * that an agent exports.
 */
const NOT_ALONE = ['crawl/**', 'research/**', 'python-tools/**', 'travel/**']
/** The folders that hold cards. Edited cards for evaluations are not teams. */
const TEAMS = [
  ...new Set(
    globSync('**/*.md', {
      cwd: EXAMPLES,
      exclude: ['**/node_modules/**', '**/README.md', '**/edited/**', ...NOT_ALONE],
    }).map(dirname),
  ),
].toSorted()

describe('an example', () => {
  it.each(TEAMS)(
    'the example in %s runs unchanged with its own usage example as the message',
    async (team) => {
      const context = testContext({ cwd: EXAMPLES, env: { PATH: dirname(process.execPath) } })
      const code = await runProgram(['run', team, '--yes', '--no-store'], context)
      expect([code, context.err()]).toEqual([0, expect.stringContaining('completed')])
      expect(context.out()).not.toBe('')
    },
  )

  it('the tests of the examples pass', async () => {
    const context = testContext({ cwd: EXAMPLES, env: { PATH: dirname(process.execPath) } })
    const code = await runProgram(['test'], context)
    expect([code, context.out()]).toEqual([0, expect.stringContaining('0 failed')])
  })
})
