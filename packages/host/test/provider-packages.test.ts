import { expect, it } from 'vitest'
import { card, openProject, openTeam } from './support/open-team.ts'
import { createHost } from '../src/index.ts'

/** A package whose models answer with the key that they were given. */
const PACKAGE = `
export const createNova = ({ apiKey }) => ({
  languageModel: (modelId) => ({
    specificationVersion: 'v4', provider: 'nova', modelId, supportedUrls: {},
    doGenerate: async () => ({
      content: [{ type: 'text', text: 'The key has ' + apiKey.length + ' characters.' }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      warnings: [],
    }),
  }),
})`
const CONFIG = JSON.stringify({ providers: { nova: { package: 'nova-provider', apiKey: '${NOVA_KEY}' } } })
const FILES = {
  'conf/troupe.json': CONFIG,
  'cards/a.md': card({ name: 'A', model: 'nova/small', default: true }),
}

it('the package of a provider is imported from the folder of the configuration, with the variables of the agent', async () => {
  const { path } = await openProject({
    ...FILES,
    'conf/node_modules/nova-provider/package.json': '{ "type": "module", "exports": "./index.js" }',
    'conf/node_modules/nova-provider/index.js': PACKAGE,
  })
  const host = await createHost({
    cards: ['cards/a.md'],
    config: 'conf/troupe.json',
    cwd: path,
    env: { NOVA_KEY: '0123456789' },
  })
  try {
    expect(host.plan().problems).toEqual([])
    const { output } = await host.run('A', 'hello')
    expect(output.text).toBe('The key has 10 characters.')
  } finally {
    await host.close()
  }
})

it('a team whose provider needs a package that is not installed has an error with the command for it', async () => {
  const host = await openTeam(FILES, {
    cards: ['cards/a.md'],
    config: 'conf/troupe.json',
    env: { NOVA_KEY: 'x' },
  })
  expect(host.plan().problems).toMatchObject([
    {
      severity: 'error',
      code: 'config_invalid',
      agent: 'A',
      message: expect.stringContaining('The provider nova needs the package nova-provider'),
      fix: expect.stringMatching(/^Run `npm install nova-provider` in .*conf\.$/u),
    },
  ])
})
