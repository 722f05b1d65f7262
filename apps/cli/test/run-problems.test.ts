import type { RunReport } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../src/program.ts'
import { oneAgent, project, troupe } from './team.ts'
import { testContext } from './test-context.ts'

/** An agent that completes after a call of a tool that does not exist. */
const WITH_PROBLEM = oneAgent('- call: [{tool: nothing}]\n- say: Done.')
const WITHOUT = oneAgent('- say: Done.')
/** Returns so many calls of tools that do not exist. */
const many = (count: number) =>
  oneAgent(`- call: [${Array.from({ length: count }, () => '{tool: nothing}').join(', ')}]\n- say: Done.`)

describe('advice on writing cards', () => {
  const files = { '.claude/agents/a.md': '---\nname: a\nmodel: passthrough\n---\nHello.\n' }

  it('a missing description is reported by `check` and not by each run', async () => {
    const checked = await troupe(['check', '.claude/agents/a.md', '--strict'], files)
    expect([checked.code, checked.out()]).toEqual([0, expect.stringContaining('[card_no_description]')])
    const { code, err } = await troupe(['run', '.claude/agents/a.md', 'hi'], files)
    expect([code, err()]).toEqual([0, expect.not.stringContaining('card_no_description')])
  })
})

describe('a run that completed with problems', () => {
  it('a run that completed with problems exits with 0, and its --json report lists them', async () => {
    const { code, out, err } = await troupe(['run', 'one.md', 'hi', '--json', '--quiet'], WITH_PROBLEM)
    const { outcome, runId, problems, problemCount } = JSON.parse(out()) as RunReport
    expect([code, outcome, problemCount, err()]).toEqual([0, 'completed', 1, ''])
    expect(problems).toEqual([
      {
        runId,
        agent: 'One',
        instance: 'One',
        tool: 'nothing',
        code: 'tool_unknown',
        message: 'Unknown tool: nothing',
      },
    ])
  })

  it('a run that completed with problems exits with 3 under --strict, and prints them even with --quiet', async () => {
    const { code, out, err } = await troupe(['run', 'one.md', 'hi', '--strict', '--quiet'], WITH_PROBLEM)
    expect([code, out()]).toEqual([3, 'Done.\n'])
    expect(err()).toBe('problems: 1\n  One, nothing: Unknown tool: nothing [tool_unknown]\n')
  })

  it('a run with plain lines prints only the number of problems at its end', async () => {
    const { err } = await troupe(['run', 'one.md', 'hi', '--strict'], WITH_PROBLEM)
    expect(err().match(/Unknown tool: nothing/gu)).toHaveLength(1)
    expect(err()).toContain('\nproblems: 1\n')
  })

  it('a run with --json lists the first ten problems on stderr and counts the others', async () => {
    const { out, err } = await troupe(['run', 'one.md', 'hi', '--json'], many(12))
    expect((JSON.parse(out()) as RunReport).problems).toHaveLength(12)
    const lines = err().trim().split('\n')
    expect(lines).toHaveLength(12)
    expect([lines[0], lines.at(-1)]).toEqual(['problems: 12', '  and 2 more'])
  })

  it('`runs show` prints the problems of a run, also with --json', async () => {
    const { path: cwd } = await project(WITH_PROBLEM)
    const say = async (...args: readonly string[]) => {
      const context = testContext({ cwd })
      await runProgram([...args, '--store', 'runs.db'], context)
      return context.out()
    }
    const { runId } = JSON.parse(await say('run', 'one.md', 'hi', '--json', '--quiet')) as RunReport
    expect(await say('runs', 'show', runId)).toContain(
      'problems: 1\n  One, nothing: Unknown tool: nothing [tool_unknown]\n',
    )
    expect(JSON.parse(await say('runs', 'show', runId, '--json'))).toMatchObject({
      problemCount: 1,
      problems: [{ tool: 'nothing' }],
    })
  })
})

it('--strict changes nothing for a run without problems', async () => {
  const { code, err } = await troupe(['run', 'one.md', 'hi', '--strict'], WITHOUT)
  expect(code).toBe(0)
  expect(err()).not.toContain('problems')
})
