import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RunEvent, RunReport } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { readableEvents, type StoredRunSummary } from '../src/run-store/run-summary.ts'
import { shell, type Shell } from './shell.ts'
import { TIME_TEAM } from './team.ts'

const FILE = '.local/state/troupe/runs.db'

/** Returns a shell with two runs, the first damaged in the commit that the statement selects among those of `root`. */
async function damagedShell(
  commit: string,
): Promise<Shell & { readonly damaged: string; readonly whole: string }> {
  const { path, run } = await shell(TIME_TEAM)
  const ids: string[] = []
  for (const message of ['first', 'second'])
    ids.push((JSON.parse((await run('run', 'team', message, '--json')).out) as RunReport).runId)
  const [damaged = '', whole = ''] = ids
  const database = new DatabaseSync(join(path, FILE))
  const pieces = 'FROM pieces WHERE root = (SELECT id FROM roots WHERE root_run_id = ?)'
  database
    .prepare(
      `UPDATE pieces SET events = replace(events, '"agent"', '"agemt"') WHERE id = (SELECT ${commit}(id) ${pieces})`,
    )
    .run(damaged)
  database.close()
  return { path, run, damaged, whole }
}

describe('a run that is damaged in the store', () => {
  it.each(['min', 'max'])(
    'troupe runs list shows a run with a damaged first or last event as damaged',
    async (commit) => {
      const { run, damaged, whole } = await damagedShell(commit)
      const runs = JSON.parse((await run('runs', 'list', '--json')).out) as readonly StoredRunSummary[]
      expect(runs.map(({ runId, state }) => [runId, state])).toEqual([
        [whole, 'completed'],
        [damaged, 'damaged'],
      ])
      expect((await run('runs', 'list', '--state', 'damaged')).out).toMatch(/^run_\w+ +\S+ +Damaged /mu)
    },
  )

  it('troupe runs show prints a damaged run up to the damage, with the error and the command for the rest', async () => {
    const { run, damaged } = await damagedShell('max')
    const events = await run('runs', 'events', damaged, '--json')
    expect(events).toMatchObject({ code: 1 })
    const seqs = events.out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as RunEvent).seq)
    expect(seqs.length).toBeGreaterThan(5)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    expect(events.err).toContain('[store/store_corrupt]')
    expect(events.err).toContain(`the run ${damaged} is damaged: commit `)
    const [, after = ''] = /--after (\d+)/u.exec(events.err) ?? []
    expect(await run('runs', 'events', damaged, '--after', after)).toMatchObject({ code: 0, err: '' })
    for (const command of ['show', 'tree']) {
      const { code, out, err } = await run('runs', command, damaged)
      expect(out).toContain('City[2]')
      expect(err).toContain('[store/store_corrupt]')
      expect(code).toBe(1)
    }
  })

  it('a damaged run cannot be resumed but can be deleted', async () => {
    const { run, damaged } = await damagedShell('max')
    expect((await run('run', '--resume', damaged)).err).toContain('[store/store_corrupt]')
    expect((await run('runs', 'purge', damaged)).out).toBe('1 run deleted\n')
  })
})

it('all events of an undamaged run are read, however many there are', async () => {
  const all = Array.from({ length: 3000 }, (_, index) => ({ seq: index + 1 }) as RunEvent)
  const store = {
    events: (_root: string, { after = 0, limit = 0 } = {}) => all.slice(after, after + limit),
  }
  expect(await readableEvents(store, 'root')).toEqual({ events: all })
})
