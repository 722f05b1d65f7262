import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TeamSnapshot } from '../src/snapshot/team-snapshot.ts'
import type { LoadedTeam } from '../src/plan/load-team.ts'
import { openStableTeam } from '../src/snapshot/team-snapshots.ts'
import { card, openProject } from './support/open-team.ts'

const WHOLE = card({ name: 'A', model: 'passthrough' })

/** A team whose only card is `path`, opened as the entries of `reads` say: with the card, or without it. A function runs while the team is opened. */
async function openAs(path: string, reads: readonly ('with' | 'without' | (() => void))[]) {
  const current = { agents: new Map([['A', { member: { card: { path, dialect: 'troupe' } } }]]) }
  let opened = 0
  let ended = 0
  const open = (): Promise<TeamSnapshot> => {
    const read = reads[opened++]
    if (typeof read === 'function') read()
    const loaded = { plan: { agents: read === 'with' ? [{ file: path }] : [] }, broken: [] }
    return Promise.resolve({ loaded, end: () => Promise.resolve((ended += 1)) } as unknown as TeamSnapshot)
  }
  const { emptied } = await openStableTeam(current as unknown as LoadedTeam, open)
  return { opened, ended, emptied: [...emptied.keys()] }
}

async function fileWith(text: string): Promise<string> {
  const project = await openProject({ 'a.md': text })
  return join(project.path, 'a.md')
}

describe('openStableTeam', () => {
  it('openStableTeam reads a team once if every card is complete', async () => {
    expect(await openAs(await fileWith(WHOLE), ['with'])).toEqual({ opened: 1, ended: 0, emptied: [] })
  })

  it('openStableTeam reads a team again until no card is written while it is read', async () => {
    const path = await fileWith('')
    // the file was read before it was written
    const write = (): void => writeFileSync(path, WHOLE)
    expect(await openAs(path, ['without', write, 'with'])).toEqual({ opened: 3, ended: 2, emptied: [] })
  })

  it('openStableTeam reports a file that stays empty', async () => {
    const path = await fileWith('')
    expect(await openAs(path, ['without', 'without'])).toEqual({ opened: 2, ended: 1, emptied: [path] })
  })

  it('openStableTeam drops a card that no agent refers to any more', async () => {
    const path = await fileWith(WHOLE)
    expect(await openAs(path, ['without', 'without'])).toEqual({ opened: 2, ended: 1, emptied: [] })
  })

  it('openStableTeam gives up after several attempts if a card changes all the time', async () => {
    const path = await fileWith('')
    let count = 0
    const grow = (): void => writeFileSync(path, ' '.repeat((count += 1)))
    const { opened } = await openAs(
      path,
      Array.from({ length: 20 }, () => grow),
    )
    expect(opened).toBe(10)
  })
})
