import { createPooledSessionProvider } from '@troupe/registry'
import { describe, expect, it } from 'vitest'
import { recordingStore, storeAfter } from './support/interrupted-team.ts'
import { card, codes, openTeam } from './support/open-team.ts'

const model = 'script/s.yaml'

/** A team whose code is named relative to its cards. */
function teamThatSays(word: string): Readonly<Record<string, string>> {
  return {
    'a.md': card({ name: 'A', model, functionTools: ['code.ts:say'], acquire: { pool: 1 } }),
    'code.ts': `export const say = () => '${word}'`,
    's.yaml': JSON.stringify({ agents: { A: [{ call: [{ tool: 'say' }] }, { say: '{{results.0.text}}' }] } }),
  }
}

describe('cards with the same text in two folders', () => {
  it('cards with the same text in two folders have the same digest', async () => {
    const [one, two] = [await openTeam(teamThatSays('one')), await openTeam(teamThatSays('two'))]
    expect(one.agents()[0]?.digest).toBe(two.agents()[0]?.digest)
  })

  it('cards with the same text in two folders run the code of their own folder, even from one pool', async () => {
    const sessionProvider = createPooledSessionProvider()
    const one = await openTeam(teamThatSays('one'), { sessionProvider })
    const two = await openTeam(teamThatSays('two'), { sessionProvider })
    expect((await one.run('A', 'Go.')).output.text).toBe('one')
    expect((await two.run('A', 'Go.')).output.text).toBe('two')
    expect((await one.run('A', 'Go.')).output.text).toBe('one')
  })

  it('cards with the same text in two folders cannot both be agents of one team', async () => {
    const files = Object.fromEntries(
      ['one', 'two'].flatMap((folder) =>
        Object.entries(teamThatSays(folder)).map(([file, text]) => [`${folder}/${file}`, text]),
      ),
    )
    const host = await openTeam(files, { cards: ['one', 'two'] })
    expect(codes(host.plan().problems)).toContain('card_duplicate_name')
    expect(host.plan().agents.map(({ runnable }) => runnable)).toEqual([false])
  })

  it('an interrupted run can be resumed after its team has moved to another folder', async () => {
    const { store, entries } = recordingStore()
    const here = await openTeam(teamThatSays('here'), { store })
    expect((await here.run('A', 'Go.', { runId: 'root' })).output.text).toBe('here')
    const begun = entries.findIndex(({ step }) => step?.key === 'llm:1')
    const there = await openTeam(teamThatSays('there'), {
      store: await storeAfter('root', entries.slice(0, begun + 1)),
    })
    expect((await there.resume('root')).output.text).toBe('there')
  })
})
