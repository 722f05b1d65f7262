import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent, RunReport } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import type { StoredRunSummary } from '../src/run-store/run-summary.ts'
import { shell, type Shell } from './shell.ts'
import { TIME_TEAM } from './team.ts'

async function lastRun({ run }: Shell): Promise<string> {
  const [kept] = JSON.parse((await run('runs', 'list', '--json')).out) as readonly StoredRunSummary[]
  return kept?.runId ?? ''
}

const eventsIn = (out: string): readonly string[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent)
    .filter(({ seq }) => seq !== undefined)
    .map((event) => JSON.stringify(event, (key, value: unknown) => (/^time$|Ms$/u.test(key) ? 0 : value)))

describe('troupe run --record and --replay', () => {
  it('--replay replays a run recorded with --record without models and functions, and saves nothing', async () => {
    const team = await shell(TIME_TEAM)
    const { path, run } = team
    const live = await run('run', 'team', 'What time is it?', '--record', 'a.yaml', '--events')
    expect(live.code).toBe(0)
    // break the script and the function, which a replay must not use
    writeFileSync(join(path, 'team/script.yaml'), 'agents: {}')
    const broken = 'export function now() { throw new Error("not again") }\nnow.description = "The time."'
    writeFileSync(join(path, 'team/tools.mjs'), broken)
    const again = await run('run', 'team', '--replay', 'a.yaml', '--events')
    expect(eventsIn(again.out)).toEqual(eventsIn(live.out))
    expect(JSON.parse((await run('runs', 'list', '--json')).out)).toHaveLength(1)
  })

  it('--replay reports where the run differs from the recording', async () => {
    const { path, run } = await shell(TIME_TEAM)
    await run('run', 'team', 'What time is it?', '--record', 'a.yaml')
    const card = join(path, 'team/city.md')
    writeFileSync(card, readFileSync(card, 'utf8').replace('Look at the clock.', 'Look at the sun.'))
    const { code, out } = await run('run', 'team', '--replay', 'a.yaml', '--json')
    expect(code).toBe(2)
    const { error } = JSON.parse(out) as RunReport
    expect(error).toMatchObject({ code: 'replay_mismatch' })
    expect(error?.message).toContain(
      'messages[0].content: recorded "Look at the clock.", now "Look at the sun."',
    )
  })

  it('--replay compares the message with that of the recording', async () => {
    const { run } = await shell(TIME_TEAM)
    await run('run', 'team', 'What time is it?', '--record', 'a.yaml')
    expect((await run('run', 'team', 'What time is it?', '--replay', 'a.yaml')).code).toBe(0)
    expect((await run('run', 'team', 'What day is it?', '--replay', 'a.yaml')).err).toContain(
      'now "What day is it?"',
    )
  })

  it('--record and --replay reject files that cannot be written, read or replayed', async () => {
    const { run } = await shell(TIME_TEAM)
    expect((await run('run', 'team', 'x', '--record', 'no/such/a.yaml')).code).toBe(2)
    expect((await run('run', 'team', '--replay', 'none.yaml')).code).toBe(2)
    const { code, err } = await run('run', 'team', '--replay', 'team/script.yaml')
    expect([code, err]).toEqual([2, expect.stringContaining('team/script.yaml cannot be replayed')])
  })
})

describe('troupe runs export --cassette', () => {
  it('troupe runs export --cassette makes a recording of a saved run', async () => {
    const team = await shell(TIME_TEAM)
    const { path, run } = team
    const live = await run('run', 'team', 'What time is it?', '--events')
    const { out } = await run('runs', 'export', await lastRun(team), '--cassette')
    writeFileSync(join(path, 'kept.yaml'), out)
    writeFileSync(join(path, 'team/script.yaml'), 'agents: {}')
    const again = await run('run', 'team', '--replay', 'kept.yaml', '--events')
    expect(eventsIn(again.out)).toEqual(eventsIn(live.out))
  })
})

describe('troupe runs export --html', () => {
  it('troupe runs export --html prints a page with every agent of the run and its answer', async () => {
    const team = await shell(TIME_TEAM)
    await team.run('run', 'team', 'What time is it?')
    const { code, out } = await team.run('runs', 'export', await lastRun(team), '--html')
    expect([code, out.startsWith('<!doctype html>')]).toEqual([0, true])
    for (const text of ['What time is it?', 'City[1]', 'City[2]', 'It is five in Paris'])
      expect(out).toContain(text)
  })
})

describe('troupe runs fork', () => {
  const EDITED = {
    'edited.md':
      '---\nname: City\ndescription: Tells the time in one city.\nmodel: passthrough\n---\nSay the name.\n',
  }

  it('troupe runs fork continues from a step with an edited card, and prints the first difference', async () => {
    const team = await shell({ ...TIME_TEAM, ...EDITED })
    const { run } = team
    await run('run', 'team', 'What time is it?')
    const old = await lastRun(team)
    const { code, out, err } = await run('runs', 'fork', old, '--at', '1.2/2', '--card', 'edited.md')
    expect([code, out]).toEqual([0, 'Paris; Rome\n'])
    expect(err).toContain(`forked from ${old}: first difference: usage of turn 2 of the run /1.1, provider`)
    expect(JSON.parse((await run('runs', 'list', '--json')).out)).toHaveLength(2)
    const forked = await lastRun(team)
    expect((await run('runs', 'show', forked)).out).toContain(`forked from ${old} at 1.2/2`)
    expect(JSON.parse((await run('runs', 'show', forked, '--json')).out)).toMatchObject({
      forkOf: { runId: old, at: '1.2/2' },
    })
    expect((await run('runs', 'show', old)).out).not.toContain('forked from')
  })

  it.each([
    ['the entry of the folder', TIME_TEAM['team/time.md']?.replace('Ask both.', 'Ask them.'), '2'],
    ['a child', EDITED['edited.md'], '1.2/2'],
  ])('troupe runs fork accepts an edited card beside the original: %s', async (_, card = '', at) => {
    const team = await shell(TIME_TEAM)
    await team.run('run', 'team', 'What time is it?')
    writeFileSync(join(team.path, 'team/edited.md'), card)
    const fork = await team.run('runs', 'fork', await lastRun(team), '--at', at, '--card', 'team/edited.md')
    expect([fork.code, fork.out]).toEqual([
      0,
      at === '2' ? 'It is five in Paris; It is five in Rome\n' : 'Paris; Rome\n',
    ])
  })

  it('troupe runs fork without a change reports no difference', async () => {
    const team = await shell(TIME_TEAM)
    await team.run('run', 'team', 'What time is it?')
    const { out, err } = await team.run('runs', 'fork', await lastRun(team), '--at', '2')
    expect(out).toBe('It is five in Paris; It is five in Rome\n')
    expect(err).toContain('no difference')
  })

  it('troupe runs fork rejects an unknown step, and changed cards other than the edited ones', async () => {
    const team = await shell(TIME_TEAM)
    await team.run('run', 'team', 'What time is it?')
    const old = await lastRun(team)
    const fork = async (at: string): Promise<string> => (await team.run('runs', 'fork', old, '--at', at)).err
    expect(await fork('1.2/9')).toContain('City[2] ended in turn 2 and has no turn 9')
    expect(await fork('1.7/1')).toContain('known runs: / (Time), /1.1 (City[1]), /1.2 (City[2])')
    expect(await fork('soon')).toContain('is not a step')
    writeFileSync(
      join(team.path, 'team/time.md'),
      TIME_TEAM['team/time.md']?.replace('Ask both.', 'Ask.') ?? '',
    )
    expect(await fork('2')).toContain('started: Time')
    expect((await team.run('runs', 'fork', old, '--at', '2', '--accept-changes')).code).toBe(0)
  })
})
