import type { Message, ToolDefinition, ToolResult } from '@troupe/schema'
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '@troupe/testkit'
import { recordEvents } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { capResult } from '../src/tools/normalise-result.ts'
import { createFullTextStore } from '../src/tools/read-result.ts'
import { createRunTreeContext } from '../src/index.ts'
import { readResultTool } from '../src/tools/read-result.ts'
import { runTeam, tool } from './team.ts'

const LONG = Array.from({ length: 100 }, (_none, index) => `line ${index}`).join('\n')

function asking(args: object): ScriptedStep {
  return { calls: [{ tool: 'read_result', args }] }
}

/** Returns the result of the last call as the model reads it. */
function lastRead(messages: readonly Message[] | undefined): string {
  const [part] = (messages?.at(-1)?.content ?? []) as readonly {
    readonly output: { readonly value: string }
  }[]
  return part?.output.value ?? ''
}

async function run(
  steps: readonly ScriptedStep[],
  more: { fields?: object; tools?: readonly ToolDefinition[] } = {},
): Promise<ScriptedModel> {
  const model = scriptedModel([{ calls: [{ tool: 'long', args: {} }] }, ...steps, { text: 'done' }])
  await runTeam({
    A: {
      models: [model],
      tools: [tool('long', () => LONG), ...(more.tools ?? [])],
      fields: { limits: { maxToolResultBytes: 300 }, ...more.fields },
    },
  })
  return model
}

describe('a truncated result', () => {
  it('a truncated result adds the read_result tool from the next turn on', async () => {
    const model = await run([asking({ handle: 'r1', offset: 300, length: 40 })])
    expect(model.calls.map(({ tools }) => tools)).toEqual([
      ['long'],
      ['long', 'read_result'],
      ['long', 'read_result'],
    ])
    const size = Buffer.byteLength(LONG)
    expect(lastRead(model.calls[1]?.prompt)).toMatch(
      new RegExp(
        `\\[cut: ${size - 300} of ${size} bytes left out; call read_result with handle "r1" and offset 300 to continue\\]$`,
        'u',
      ),
    )
    expect(lastRead(model.calls[2]?.prompt)).toBe(
      `${Buffer.from(LONG).subarray(300, 340).toString()}\n[bytes 300 to 340 of ${size}; continue with offset 340]`,
    )
  })

  it('read_result is reported and counted like any other tool', async () => {
    const events = recordEvents()
    const model = scriptedModel([
      { calls: [{ tool: 'long', args: {} }] },
      asking({ handle: 'r1' }),
      { text: 'done' },
    ])
    await runTeam(
      {
        A: {
          models: [model],
          tools: [tool('long', () => LONG)],
          fields: { limits: { maxToolResultBytes: 300 } },
        },
      },
      { listener: events.listener },
    )
    expect(
      events.of('tool-result').map(({ toolName, source, outcome }) => [toolName, source, outcome]),
    ).toEqual([
      ['long', 'function', 'completed'],
      ['read_result', 'runtime', 'completed'],
    ])
  })

  it('a page of read_result is never truncated by the limit that truncated the result', async () => {
    const model = await run([asking({ handle: 'r1', length: 100_000 })])
    expect(lastRead(model.calls[2]?.prompt)).toMatch(/continue with offset 200\]$/u)
  })

  it('read_result fails for a handle that the run does not have', async () => {
    const model = await run([asking({ handle: 'r2' }), asking({ handle: '__proto__' })])
    expect(lastRead(model.calls[2]?.prompt)).toContain('The result "r2" does not exist')
    expect(lastRead(model.calls[3]?.prompt)).toContain('The result "__proto__" does not exist')
  })

  it.each([
    ['its rules deny the tool', { fields: { permissions: { deny: ['read_result'] } } }],
    ['a tool of its own has the name', { tools: [tool('read_result', () => 'mine')] }],
  ])('a result is truncated without a handle if %s', async (_why, more) => {
    const model = await run([], more)
    expect(lastRead(model.calls[1]?.prompt)).toMatch(/bytes left out\]$/u)
    expect(model.calls[1]?.tools).toEqual(model.calls[0]?.tools)
  })
})

describe('stored results', () => {
  const root = (): ReturnType<typeof createRunTreeContext> =>
    createRunTreeContext({ log: {} as never, executor: {} as never, limits: { maxRuns: 1, maxDepth: 1 } })
  const MEBIBYTE = 1024 * 1024

  it('stored results take at most 64 MiB per root run: the oldest is removed first, whichever run it belongs to', () => {
    const scope = root()
    const [one, other] = [createFullTextStore(scope), createFullTextStore(scope)]
    const first = one.add('a'.repeat(40 * MEBIBYTE)) ?? ''
    const second = other.add('b'.repeat(20 * MEBIBYTE)) ?? ''
    expect(one.read(first)).toHaveLength(40 * MEBIBYTE)
    const third = other.add('c'.repeat(30 * MEBIBYTE)) ?? ''
    expect(one.read(first)).toBeUndefined()
    expect(other.read(second)).toHaveLength(20 * MEBIBYTE)
    expect(other.read(third)).toHaveLength(30 * MEBIBYTE)
    expect(one.add('d'.repeat(65 * MEBIBYTE))).toBeUndefined()
  })

  it('a stored result can be read by its own run only, until that ends', () => {
    const scope = root()
    const [one, other] = [createFullTextStore(scope), createFullTextStore(scope)]
    const handle = one.add('mine') ?? ''
    expect(other.read(handle)).toBeUndefined()
    one.release()
    expect(one.read(handle)).toBeUndefined()
  })

  it('a stored result comes back complete, however it is paged', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.integer({ min: 1, max: 20 }),
        (text, length) => {
          const held = createFullTextStore(root())
          const handle = held.add(text)
          const reading = readResultTool(held, 1000)
          let whole = ''
          for (let offset: number | undefined = 0; offset !== undefined;) {
            const result = reading.execute(
              { handle: handle ?? '', offset, length },
              {} as never,
            ) as ToolResult
            const [part] = result.content
            const said: string = part?.type === 'text' ? part.text : ''
            const note = said.lastIndexOf('\n[bytes ')
            whole += said.slice(0, note)
            const next = /continue with offset (\d+)\]$/u.exec(said.slice(note))?.[1]
            offset = next === undefined ? undefined : Number(next)
          }
          expect(whole).toBe(text.toWellFormed())
        },
      ),
    )
  })
})

describe('a result with several texts', () => {
  it('a result with several texts is truncated as one text: the offset counts from its start', () => {
    const parts = ['first', 'second', 'third'].map((text) => ({ type: 'text' as const, text }))
    expect(capResult({ outcome: 'completed', content: parts }, 16).content).toEqual(parts)
    const kept: string[] = []
    const cut = capResult({ outcome: 'completed', content: parts }, 8, (text) => {
      kept.push(text)
      return 'r1'
    })
    expect(kept).toEqual(['first\nsecond\nthird'])
    expect(cut.content).toEqual([
      { type: 'text', text: 'first' },
      {
        type: 'text',
        text: 'sec\n[cut: 9 of 18 bytes left out; call read_result with handle "r1" and offset 9 to continue]',
      },
    ])
  })
})
