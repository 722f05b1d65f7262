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

describe('cards of one text in two folders', () => {
  it('have one digest, as it names what their author wrote', async () => {
    const [one, two] = [await openTeam(teamThatSays('one')), await openTeam(teamThatSays('two'))]
    expect(one.agents()[0]?.digest).toBe(two.agents()[0]?.digest)
  })

  it('run the code of their own folders, also from one pool', async () => {
    const sessionProvider = createPooledSessionProvider()
    const one = await openTeam(teamThatSays('one'), { sessionProvider })
    const two = await openTeam(teamThatSays('two'), { sessionProvider })
    expect((await one.run('A', 'Go.')).output.text).toBe('one')
    expect((await two.run('A', 'Go.')).output.text).toBe('two')
    expect((await one.run('A', 'Go.')).output.text).toBe('one')
  })

  it('cannot be two agents of one team, so neither a call nor a circle can mean the wrong one', async () => {
    const files = Object.fromEntries(
      ['one', 'two'].flatMap((folder) =>
        Object.entries(teamThatSays(folder)).map(([file, text]) => [`${folder}/${file}`, text]),
      ),
    )
    const host = await openTeam(files, { cards: ['one', 'two'] })
    expect(codes(host.plan().problems)).toContain('card_duplicate_name')
    expect(host.plan().agents.map(({ runnable }) => runnable)).toEqual([false])
  })

  it('resume each other: a team may be moved while a run of it is interrupted', async () => {
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
