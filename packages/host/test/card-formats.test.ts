import { createRewriter, type CardFormat } from '@troupe/cards/formats'
import { expect, it } from 'vitest'
import { card, openTeam } from './support/open-team.ts'

const roleFormat: CardFormat = {
  name: 'role',
  product: 'Role files',
  pathPatterns: ['*.role.yaml'],
  rows: [{ key: 'who', status: 'translated', to: 'name' }],
  aliases: new Map(),
  extendsTroupe: false,
  matchesFolder: () => false,
  matchesFileName: (path) => path.endsWith('.role.yaml'),
  hasAllKeys: ({ fields }) => Object.keys(fields).every((key) => key === 'who'),
  accepts: ({ fields }) => Object.keys(fields).every((key) => key === 'who'),
  hasUniqueShape: () => false,
  translate({ fields }) {
    const rewriter = createRewriter({ fields: {}, report: [], sameValue: () => false })
    rewriter.put(['name'], fields['who'] ?? '', ['who'])
    rewriter.put(['instruction'], 'Repeat.', ['who'])
    rewriter.put(['description'], 'Repeats.', ['who'])
    return rewriter.finish()
  },
}

it('a host loads cards and children in a format of the app', async () => {
  const host = await openTeam(
    {
      'lead.md': card({ name: 'lead', agents: ['./writer.role.yaml'], default: true }),
      'writer.role.yaml': 'who: writer\n',
    },
    {
      model: 'passthrough',
      formats: { formats: [roleFormat], paths: /\.role\.yaml$/u, otherFiles: [] },
    },
  )
  expect(host.plan().problems).toEqual([])
  expect(host.plan().agents.map(({ name, children }) => [name, children])).toEqual([
    ['lead', ['writer']],
    ['writer', []],
  ])
  expect(await host.run('writer', 'hello')).toMatchObject({ output: { text: 'hello' } })
})
