import { expect, it } from 'vitest'
import { card, openTeam } from './support/open-team.ts'

const files = (config: object): Readonly<Record<string, string>> => ({
  'agents/a.md': card({
    name: 'A',
    model: 'passthrough',
    functionTools: ['../src/say.mjs:say'],
    runtimeTools: ['filesystem'],
  }),
  'src/say.mjs': "export const say = () => 'said'\nsay.description = 'Says.'\n",
  'troupe.json': JSON.stringify(config),
})

it('codeRoots of troupe.json lets cards load code from sibling folders that agents cannot write', async () => {
  const host = await openTeam(files({ codeRoots: ['src'] }), { cards: ['agents'] })
  expect(host.plan().problems).toEqual([])
  expect((await host.callTool('A', 'say', {})).content).toEqual([{ type: 'text', text: 'said' }])
  const approve = (): { readonly decision: 'approved' } => ({ decision: 'approved' })
  const written = await host.callTool(
    'A',
    'filesystem.write',
    { path: 'src/new.mjs', content: '' },
    { approve },
  )
  expect(written.failure?.code).toBe('filesystem_denied')
})

it('without codeRoots, code outside the folder of the card is an error that mentions codeRoots', async () => {
  const host = await openTeam(files({}), { cards: ['agents'] })
  expect(host.plan().problems).toMatchObject([
    { code: 'function_bad_spec', message: expect.stringContaining('`codeRoots` of troupe.json') },
  ])
})
