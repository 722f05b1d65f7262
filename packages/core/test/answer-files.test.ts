import type { AgentFields, ToolDefinition } from '@troupe/schema'
import type { RunResult } from '@troupe/schema/ports'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { recordEvents } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { runTeam, tool } from './team.ts'

const PIXEL = { type: 'image', data: 'aW1n', mimeType: 'image/png' } as const

describe('the files of an answer', () => {
  it('a file that the model generates is part of the answer', async () => {
    const bytes = new Uint8Array([105, 109, 103])
    const result = await run([
      {
        parts: [
          { type: 'stream-start', warnings: [] },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: bytes } },
          { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: NO_TOKENS },
        ],
      },
    ])
    expect(result).toMatchObject({ outcome: 'completed', files: [{ mediaType: 'image/png', data: 'aW1n' }] })
  })

  it('files of tools are part of the answer in the order of the calls if the card says so, each once', async () => {
    const note = { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'é' } }
    const steps = [{ calls: [{ tool: 'first' }, { tool: 'second' }] }, { text: 'Here.' }]
    const tools = [
      tool('first', async () => {
        await new Promise((resolve) => setImmediate(resolve))
        return { content: [PIXEL] }
      }),
      tool('second', () => ({ content: [note, PIXEL] })),
    ]
    const result = await run(steps, { tools, fields: { output: { files: true } } })
    expect(result.files).toEqual([
      { mediaType: 'image/png', data: 'aW1n' },
      { mediaType: 'text/plain', data: 'w6k=', uri: 'file:///a.txt' },
    ])
    expect(result.text).toBe('Here.')
    expect((await run(steps, { tools })).files).toBeUndefined()
  })

  it('files beyond the limit are left out of the answer with a warning that weakens it', async () => {
    const record = recordEvents()
    const images = Array.from({ length: 18 }, (_, index) => ({ ...PIXEL, data: btoa(String(index)) }))
    const result = await run([{ calls: [{ tool: 'many' }] }, { text: 'Here.' }], {
      tools: [tool('many', () => ({ content: images }))],
      fields: { output: { files: true } },
      listener: record.listener,
    })
    expect(result.files).toHaveLength(16)
    expect(result.problems).toMatchObject([
      {
        code: 'answer_files_left_out',
        message: 'The answer has too many or too large files; 2 are left out.',
      },
    ])
  })

  it('files of a failed tool are not part of the answer', async () => {
    const result = await run([{ calls: [{ tool: 'broken' }] }, { text: 'No.' }], {
      tools: [tool('broken', () => ({ isError: true, content: [PIXEL] }))],
      fields: { output: { files: true } },
    })
    expect(result.files).toBeUndefined()
  })
})

const NO_TOKENS = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
} as const

function run(
  steps: readonly ScriptedStep[],
  {
    tools = [],
    fields = {},
    listener,
  }: {
    readonly tools?: readonly ToolDefinition[]
    readonly fields?: Partial<AgentFields>
    readonly listener?: ReturnType<typeof recordEvents>['listener']
  } = {},
): Promise<RunResult> {
  const team = { A: { models: [scriptedModel(steps)], tools, fields } }
  return runTeam(team, listener === undefined ? {} : { listener })
}
