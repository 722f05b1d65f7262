import { recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, openTeam } from './support/open-team.ts'

const code = {
  'work.ts': `
export function spin(): void { for (;;) {} }
export function add({ a, b }: { a: number; b: number }): number { return a + b }
add.input = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number', default: 40 } } }
`,
}
const clerk = (more: object = {}): string =>
  card({
    name: 'Clerk',
    model: 'passthrough',
    functionTools: [
      { use: 'work.ts:spin', worker: true },
      { use: 'work.ts:add', worker: true },
    ],
    ...more,
  })

describe('a function tool with worker: true', () => {
  it(`a function tool in a worker gets default values and is wrapped by hooks ${verifies('B3', 'B7', 'B41', 'R8')}`, async () => {
    const host = await openTeam({ ...code, 'clerk.md': clerk({ toolHooks: ['troupe:audit'] }) })
    expect(host.plan()).toMatchObject({ problems: [], agents: [{ functionTools: ['spin', 'add'] }] })
    const record = recordEvents()
    const result = await host.callTool('Clerk', 'add', { a: 2 }, { onEvent: record.listener })
    expect(result).toMatchObject({ outcome: 'completed', content: [{ text: '42' }] })
    expect(JSON.parse(record.of('log')[0]?.text ?? '')).toMatchObject({ tool: 'add', source: 'function' })
  })

  it('a function tool in a worker that blocks forever ends at its time limit, and the next call works', async () => {
    const host = await openTeam({
      ...code,
      'clerk.md': clerk({ default: true }),
      'hurried.md': clerk({ name: 'Hurried', limits: { toolTimeout: 300 } }),
    })
    expect((await host.callTool('Hurried', 'spin', {})).failure?.code).toBe('tool_timeout')
    expect(await host.callTool('Clerk', 'add', { a: 2 })).toMatchObject({ content: [{ text: '42' }] })
  })

  it('a function tool with an unknown key, or that is not text or a mapping with `use`, is a problem of the card', async () => {
    const host = await openTeam({
      ...code,
      'a.md': card({ name: 'A', functionTools: [{ use: 'work.ts:add', wroker: true }] }),
      'b.md': card({ name: 'B', functionTools: [{ name: 'add' }] }),
    })
    expect(host.plan().problems.slice(0, 2)).toMatchObject([
      { code: 'card_unknown_key', line: 4, message: expect.stringContaining('`functionTools.0.worker`?') },
      { code: 'card_bad_value', line: 4, message: expect.stringContaining('functionTools.0') },
    ])
  })

  it('a function tool in a worker whose file needs compilation fails with a fix', async () => {
    const host = await openTeam({
      'work.ts': 'class A { @bound f() {} }\nexport function f() {}',
      'clerk.md': card({ name: 'Clerk', model: 'passthrough', functionTools: ['work.ts:f'] }),
    })
    expect(host.plan().problems).toMatchObject([
      { code: 'function_load_failed', line: 5, fix: expect.stringContaining('decorators') },
    ])
  })
})
