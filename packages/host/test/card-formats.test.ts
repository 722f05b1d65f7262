import { createRewriter, type CardFormat } from '@troupe/cards/formats'
import type { JsonObject } from '@troupe/schema'
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

/** A format whose product defines its providers in `role.json` of the workspace. */
const projectFormat: CardFormat = {
  ...roleFormat,
  projectFiles: (_path, { workspace }) => [`${workspace}/role.json`],
  translate(card) {
    const translation = roleFormat.translate(card)
    const [settings] = card.project ?? []
    const rewriter = createRewriter({ ...translation, sameValue: () => false })
    rewriter.put(['model'], 'nova/small', [])
    for (const [name, provider] of Object.entries(settings?.fields ?? {}))
      rewriter.addProvider(name, provider as JsonObject)
    return rewriter.finish()
  },
}
const FORMATS = { formats: [projectFormat], paths: /\.role\.yaml$/u, otherFiles: [] }
const NOVA = { api: 'chat', baseURL: 'http://127.0.0.1:9/v1' }

it('a provider from the files of a product in the working folder is used, and one of the configuration wins', async () => {
  const files = { 'cards/writer.role.yaml': 'who: writer\n', 'role.json': JSON.stringify({ nova: NOVA }) }
  const host = await openTeam(files, { cards: ['cards/writer.role.yaml'], formats: FORMATS })
  expect(host.plan().problems).toEqual([])
  const own = await openTeam(
    { ...files, 'role.json': JSON.stringify({ nova: { api: 'unknown' } }) },
    { cards: ['cards/writer.role.yaml'], formats: FORMATS, config: { providers: { nova: NOVA } } },
  )
  expect(own.plan().problems).toEqual([])
})

it('a provider that is invalid, or that two products define differently, is an error with the file', async () => {
  const invalid = await openTeam(
    { 'writer.role.yaml': 'who: writer\n', 'role.json': JSON.stringify({ nova: { api: 'unknown' } }) },
    { cards: ['writer.role.yaml'], formats: FORMATS },
  )
  expect(invalid.plan().problems).toContainEqual(
    expect.objectContaining({
      severity: 'error',
      code: 'config_invalid',
      file: expect.stringContaining('writer.role.yaml'),
      message: expect.stringContaining('The provider "nova" is not valid: api: invalid option'),
    }),
  )
  let count = 0
  const counting: CardFormat = {
    ...projectFormat,
    translate(card) {
      const { nova = {} } = projectFormat.translate(card).providers ?? {}
      const providers = { nova: { ...(nova as JsonObject), maxParallel: (count += 1) } }
      return { ...projectFormat.translate(card), providers }
    },
  }
  const different = await openTeam(
    {
      'reader.role.yaml': 'who: reader\n',
      'writer.role.yaml': 'who: writer\n',
      'role.json': JSON.stringify({ nova: NOVA }),
    },
    { cards: ['reader.role.yaml', 'writer.role.yaml'], formats: { ...FORMATS, formats: [counting] } },
  )
  expect(different.plan().problems).toContainEqual(
    expect.objectContaining({
      code: 'config_invalid',
      message: expect.stringMatching(
        /^The provider "nova" is defined differently in .*reader\.role\.yaml\.$/u,
      ),
    }),
  )
})
