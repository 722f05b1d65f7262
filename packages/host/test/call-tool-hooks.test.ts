import { resultText } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { card, openTeam } from './support/open-team.ts'

const CODE = `
export const say = ({ text }) => ({ structuredContent: { text }, content: [] })
export const pass = (ctx, args, callNext) => callNext(args)
export const broken = () => { throw new Error('of the second') }
export const nothing = () => undefined
export const add = async (ctx, args, callNext) => ({ ...(await callNext(args)), structured: { by: 'a hook' } })
export const asMcp = () => ({ content: [{ type: 'text', text: 'x' }], structuredContent: { by: 'none' } })
`

async function callWith(hooks: readonly string[]) {
  const host = await openTeam({
    'a.md': card({
      name: 'A',
      functionTools: ['code.ts:say'],
      toolHooks: hooks.map((name) => `code.ts:${name}`),
    }),
    'code.ts': CODE,
  })
  return host.callTool('A', 'say', { text: 'x' })
}

describe('callTool with hooks', () => {
  it.each([
    [['broken'], 'Tool hook 1 (broken) threw: of the second'],
    [['pass', 'broken'], 'Tool hook 2 (broken) threw: of the second'],
    [['nothing', 'pass'], 'Tool hook 1 (nothing) returned nothing.'],
  ])('callTool numbers the hooks in the order of the card: %s', async (hooks, message) => {
    expect(resultText(await callWith(hooks))).toContain(message)
  })

  it.each([
    [[], { text: 'x' }],
    [['pass'], { text: 'x' }],
    [['add', 'pass'], { by: 'a hook' }],
    [['pass', 'add'], { by: 'a hook' }],
    [['asMcp'], { by: 'none' }],
  ])('callTool returns the structured result of the outermost hook: %s', async (hooks, structured) => {
    expect(await callWith(hooks)).toMatchObject({ structured })
  })
})
