import { defineAgent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, openTeam, stdioServer } from './support/open-team.ts'

/** Three hooks as files: one before (it changes the arguments), one instead (it answers for `stop`), one after (it changes the result). */
const HOOKS = `
const note = (ctx, name, args) => ctx.log(JSON.stringify([name, ctx.agentName, ctx.toolSource, ctx.serverName ?? null, ctx.toolName, args.text]))
export async function before(ctx, args, callNext) {
  note(ctx, 'before', args)
  return callNext({ ...args, text: args.text.toUpperCase() })
}
export async function instead(ctx, args, callNext) {
  note(ctx, 'instead', args)
  if (args.text === 'STOP') return { outcome: 'completed', content: [{ type: 'text', text: 'answered by a hook' }] }
  return callNext(args)
}
export async function after(ctx, args, callNext) {
  note(ctx, 'after', args)
  const result = await callNext(args)
  return { ...result, content: result.content.map((part) => ({ ...part, text: '[seen] ' + part.text })) }
}
export const twice = async (ctx, args, callNext) => {
  await callNext(args)
  return callNext(args)
}
`

const TOOLS = [
  {
    kind: 'MCP',
    tool: 'srv__echo',
    source: 'mcp',
    server: 'srv',
    name: 'srv__echo',
    gives: /^\[seen\] echo: (?:A|B) /,
  },
  {
    kind: 'function',
    tool: 'say',
    source: 'function',
    server: null,
    name: 'say',
    gives: /^\[seen\] said (?:A|B)$/,
  },
  {
    kind: 'agent',
    tool: 'agent__Child',
    source: 'agent',
    server: 'agent',
    name: 'agent__Child',
    gives: /^\[seen\] (?:A|B)$/,
  },
] as const

/** A parent with all kinds of tools and the hooks; it makes the calls given, in one turn. */
async function runCalls(
  calls: readonly { readonly tool: string; readonly text: string }[],
  hooks: readonly string[],
) {
  const parent = scriptedModel([
    { calls: calls.map(({ tool, text }) => ({ tool, args: { text } })) },
    { text: 'done' },
  ])
  const host = await openTeam(
    {
      'parent.md': card({
        name: 'Parent',
        default: true,
        model: 'parent',
        agents: ['Child'],
        functionTools: ['code.ts:say'],
        mcpServers: { srv: stdioServer() },
        toolHooks: hooks.map((hook) => `hooks.py:${hook}`),
      }),
      'child.md': card({ name: 'Child', model: 'passthrough' }),
      'code.ts': 'export const say = ({ text }) => `said ${text}`\n',
      'hooks.ts': HOOKS,
    },
    { models: { parent } },
  )
  const record = recordEvents()
  await host.run(undefined, 'go', { onEvent: record.listener })
  const notes = record.of('log').map((event) => JSON.parse(event.text) as unknown[])
  const results = record.of('tool-result').map((event) => {
    const [part] = event.content
    return { attempts: event.attempts, text: part?.type === 'text' ? part.text : '' }
  })
  return { notes, results, record }
}

describe.each(TOOLS)('hooks around a tool of kind $kind', ({ tool, source, server, name, gives }) => {
  const hooks = ['before', 'instead', 'after']

  it(`hooks see a single call once each, in order ${verifies('B9', 'B36', 'B37', 'B40', 'B41', 'B42', 'B44')}`, async () => {
    const { notes, results } = await runCalls([{ tool, text: 'a' }], hooks)
    expect(notes).toEqual([
      ['before', 'Parent', source, server, name, 'a'],
      ['instead', 'Parent', source, server, name, 'A'],
      ['after', 'Parent', source, server, name, 'A'],
    ])
    expect(results).toEqual([{ attempts: 1, text: expect.stringMatching(gives) }])
  })

  it(`hooks see each of several parallel calls once ${verifies('B34', 'R8', 'R10')}`, async () => {
    const { notes, results } = await runCalls(
      [
        { tool, text: 'a' },
        { tool, text: 'b' },
      ],
      hooks,
    )
    for (const text of ['A', 'B']) {
      expect(notes.filter((note) => note[5] === text).map((note) => note[0])).toEqual(['instead', 'after'])
      expect(notes.filter((note) => note[5] === text.toLowerCase()).map((note) => note[0])).toEqual([
        'before',
      ])
    }
    expect(results).toHaveLength(2)
    for (const result of results) expect(result).toEqual({ attempts: 1, text: expect.stringMatching(gives) })
  })

  it(`a hook can answer in place of the tool, which is then not called ${verifies('B35')}`, async () => {
    const { notes, results, record } = await runCalls([{ tool, text: 'stop' }], hooks)
    expect(notes.map((note) => note[0])).toEqual(['before', 'instead'])
    expect(results).toEqual([{ attempts: 0, text: 'answered by a hook' }])
    expect(record.of('tool-start')).toEqual([])
    expect(record.of('run-start')).toHaveLength(1)
  })

  it('hooks see a call once for each attempt of a hook before them', async () => {
    const { notes, results, record } = await runCalls([{ tool, text: 'A' }], ['twice', 'after'])
    expect(notes.map((note) => note[0])).toEqual(['after', 'after'])
    expect(results).toEqual([{ attempts: 2, text: expect.stringMatching(gives) }])
    expect(record.of('tool-start').map((event) => event.attempt)).toEqual([1, 2])
  })
})

it(`hooks can be functions of a definition in code, beside tools that are functions ${verifies('B2', 'B7', 'B27', 'B45', 'B50')}`, async () => {
  function double({ text }: { readonly text: string }): string {
    return text + text
  }
  const seen: string[] = []
  const agent = defineAgent({
    name: 'Code',
    instruction: 'x',
    model: 'passthrough',
    functionTools: [double],
    toolHooks: [
      async (ctx, args, callNext) => {
        seen.push(`${ctx.toolSource} ${ctx.toolName}`)
        return callNext(args)
      },
    ],
  })
  const host = await openTeam({}, { cards: [agent] })
  expect(await host.callTool('Code', 'double', { text: 'ab' })).toMatchObject({
    content: [{ type: 'text', text: 'abab' }],
  })
  expect(seen).toEqual(['function double'])
})

it(`function tools and hooks of a definition without a folder are loaded from the working folder of the host ${verifies('B23')}`, async () => {
  const agent = defineAgent({
    name: 'Code',
    instruction: 'x',
    model: 'passthrough',
    functionTools: ['lib/tools.ts:say'],
    toolHooks: ['hooks.ts:shout'],
  })
  const host = await openTeam(
    {
      'lib/tools.ts': `export const say = ({ text }: { text: string }): string => text\n`,
      'hooks.ts': `export const shout = (_ctx: unknown, args: { text: string }, callNext: Function) =>
        callNext({ text: args.text.toUpperCase() })\n`,
    },
    { cards: [agent] },
  )
  expect(host.plan().problems.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(await host.callTool('Code', 'say', { text: 'here' })).toMatchObject({
    content: [{ type: 'text', text: 'HERE' }],
  })
})

it(`function tools of the same name in files of the same name stay separate in one team ${verifies('B25')}`, async () => {
  const files = Object.fromEntries(
    ['north', 'south'].flatMap((word) => [
      [`${word}/tools.ts`, `let calls = 0\nexport const say = (): string => \`${word} \${(calls += 1)}\`\n`],
      [`${word}/${word}.md`, card({ name: word, model: 'passthrough', functionTools: ['tools.ts:say'] })],
    ]),
  )
  const host = await openTeam(files, { cards: ['north', 'south'] })
  const said = async (agent: string): Promise<unknown> => (await host.callTool(agent, 'say', {})).content
  const texts = [await said('north'), await said('south'), await said('north'), await said('south')]
  expect(texts).toMatchObject(
    ['north 1', 'south 1', 'north 2', 'south 2'].map((text) => [{ type: 'text', text }]),
  )
})

it(`a hook sees all kinds of tools in one mixed turn ${verifies('B1', 'R7')}`, async () => {
  const calls = TOOLS.map(({ tool }, index) => ({ tool, text: index === 1 ? 'b' : 'a' }))
  const { notes, results } = await runCalls(calls, ['before', 'instead', 'after'])
  const kinds = new Set(notes.filter((note) => note[0] === 'after').map((note) => note[2]))
  expect(kinds).toEqual(new Set(['agent', 'function', 'mcp']))
  expect(results).toHaveLength(3)
})
