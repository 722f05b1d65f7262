import { describe, expect, it } from 'vitest'
import { card, codes, openTeam } from './support/open-team.ts'

const GOOD = card({ name: 'Good', model: 'passthrough' })

describe('a folder whose card with `default: true` is broken', () => {
  it.each([
    ['an unknown key', card({ name: 'Main', default: true, modle: 'passthrough' }), 'card_unknown_key'],
    ['YAML that cannot be read', '---\nname: [\ndefault: true\n---\nHelp.', 'card_bad_yaml'],
  ])(
    'a folder with a broken default card runs no other agent in its place: %s',
    async (_what, main, code) => {
      const host = await openTeam({ 'good.md': GOOD, 'main.md': main })
      expect(host.plan()).not.toHaveProperty('entry')
      const report = await host.run(undefined, 'hello')
      expect(report).toMatchObject({ outcome: 'failed', agent: 'main', error: { code, class: 'config' } })
      expect(codes(host.plan().problems).filter((each) => each === code)).toHaveLength(1)
    },
  )

  it('a folder with a broken default card runs no other agent even if another card has its name', async () => {
    const main = card({ name: 'Twin', model: 'passthrough' })
    const host = await openTeam({ 'a.md': main, 'b.md': main.replace('---\n', '---\ndefault: true\n') })
    expect(host.plan()).not.toHaveProperty('entry')
    await expect(host.run(undefined, 'hello')).rejects.toMatchObject({ code: 'card_duplicate_name' })
  })

  it('a folder with a broken default card still runs other agents that are named', async () => {
    const host = await openTeam({
      'good.md': GOOD,
      'main.md': card({ name: 'Main', default: true, modle: 'passthrough' }),
    })
    expect(await host.run('Good', 'hello')).toMatchObject({ outcome: 'completed' })
  })

  it('a broken card that is not the entry does not stop the others from loading', async () => {
    const host = await openTeam({ 'good.md': GOOD, 'bad.md': card({ name: 'Bad', modle: 'passthrough' }) })
    expect(await host.run(undefined, 'hello')).toMatchObject({ outcome: 'completed', agent: 'Good' })
  })
})

it('cards that are broken by the configuration of their project are reported with its error, once', async () => {
  const agent = '---\ndescription: Helps.\nmodel: passthrough\n---\nHelp.\n'
  const host = await openTeam(
    {
      '.fast-agent/fast-agent.yaml': '{}\n',
      '.fast-agent/fastagent.config.yaml': '{}\n',
      '.fast-agent/agent-cards/a.md': agent,
      '.fast-agent/agent-cards/b.md': agent,
    },
    { cards: ['.fast-agent/agent-cards'] },
  )
  expect(host.plan().problems.map(({ code, file }) => [code, file?.replace(/^.*[/\\]/u, '')])).toEqual([
    ['card_unsupported', 'fastagent.config.yaml'],
  ])
})
