import { expect, it } from 'vitest'
import type { StoredRunSummary } from '../src/run-store/run-summary.ts'
import { shell } from './shell.ts'
import { TIME_TEAM } from './team.ts'

it('runs compare prints the rows in which two runs differ, and their changes', async () => {
  const { run } = await shell(TIME_TEAM)
  await run('run', 'team', 'What time is it?')
  await run('run', 'team', 'What time is it now?')
  const listed = JSON.parse((await run('runs', 'list', '--json')).out) as readonly StoredRunSummary[]
  const [right = '', left = ''] = listed.map(({ runId }) => runId)
  const { code, out } = await run('runs', 'compare', left.slice(0, 14), right)
  expect(code).toBe(0)
  expect(out).toContain(`left  ${left}\nright ${right}\n`)
  expect(out).toMatch(/^call +difference +arguments +Δ tokens +Δ cost +Δ time$/mu)
  expect(out).toMatch(/^Time +input +What time is it now\? /mu)
  expect(out).toMatch(/^1 changed, 0 only left, 0 only right, \d+ equal$/mu)
  const { counts, rows, ...ids } = JSON.parse((await run('runs', 'compare', left, right, '--json')).out) as {
    readonly counts: Readonly<Record<string, number>>
    readonly rows: readonly { readonly state: string; readonly differences: readonly string[] }[]
  }
  expect(ids).toMatchObject({ left, right, totals: { left: { cost: expect.any(Number) as number } } })
  expect([counts['changed'], counts['left'], counts['right']]).toEqual([1, 0, 0])
  expect(rows).toMatchObject([{ depth: 0, state: 'changed', differences: ['input'] }])
})

it('runs compare refuses a run that does not exist', async () => {
  const { run } = await shell(TIME_TEAM)
  await run('run', 'team', 'x')
  const { code, err } = await run('runs', 'compare', 'run_', 'run_missing')
  expect(code).toBe(1)
  expect(err).toContain('There is no run run_missing in the store.')
})
