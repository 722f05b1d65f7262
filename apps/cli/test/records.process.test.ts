import type { JsonObject } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { startProgram } from './start-program.ts'
import { oneAgent, project, TIME_TEAM, troupe } from './team.ts'

const JSON_LOG = ['--log-format', 'json'] as const

function records(err: string): readonly JsonObject[] {
  return err
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject)
}

describe('--log-format json', () => {
  it(`--log-format json prints only records on stderr, including output of functions and errors ${verifies('A91', 'C57')}`, async () => {
    const folder = await project(TIME_TEAM)
    const program = startProgram(['run', 'team', 'time?', ...JSON_LOG], folder.path)
    expect(await program.ends()).toEqual([0, null])
    const all = records(program.err())
    expect(all.filter((record) => record['event'] === 'print').map((record) => record['message'])).toEqual([
      'looked at the clock of Paris',
      'looked at the clock of Rome',
    ])
    expect(all.filter((record) => record['event'] === 'tool-call')).toHaveLength(4)
    expect(all.every((record) => typeof record['time'] === 'string' && 'level' in record)).toBe(true)
  })

  it('--log-format json reports a failed run once, at its end', async () => {
    const { code, err } = await troupe(
      ['run', 'one.md', 'hello', ...JSON_LOG],
      oneAgent('- fail: {status: 401, message: bad key}'),
    )
    expect(code).toBe(1)
    const errors = records(err()).filter((record) => record['level'] === 'error')
    expect(errors).toMatchObject([{ event: 'run-end', outcome: 'failed', error_code: 'model_auth' }])
    const quiet = await troupe(
      ['run', 'one.md', 'hello', '--quiet', ...JSON_LOG],
      oneAgent('- fail: {status: 401, message: bad key}'),
    )
    // `--quiet` takes precedence over the format: no progress is printed, only the error
    expect(records(quiet.err())).toMatchObject([{ event: 'refusal', error_code: 'model_auth' }])
  })

  it('--log-format json prints problems of cards and usage errors as records', async () => {
    const broken = await troupe(['run', 'bad.md', 'hello', ...JSON_LOG], {
      'bad.md': '---\nname: Bad\ndescripton: typo\n---\nx\n',
    })
    expect(broken.code).toBe(2)
    expect(records(broken.err()).find((record) => record['level'] === 'error')).toMatchObject({
      event: 'problem',
      level: 'error',
      error_code: 'card_unknown_key',
      file: 'bad.md',
      line: 3,
    })
    const wrong = await troupe(
      ['run', 'one.md', 'hello', '--timeout', 'soon', ...JSON_LOG],
      oneAgent('- say: hi'),
    )
    expect(wrong.code).toBe(2)
    expect(records(wrong.err())).toMatchObject([
      { event: 'refusal', error_code: 'usage_invalid', remediation: expect.stringContaining('60s') },
    ])
  })

  it('--log-format is rejected together with --events', async () => {
    const { code } = await troupe(['run', 'one.md', 'x', '--events', ...JSON_LOG], oneAgent('- say: hi'))
    expect(code).toBe(2)
  })
})
