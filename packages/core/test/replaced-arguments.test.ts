import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { LanguageModel } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { runTeam, tool } from './team.ts'

const CUT = '{"folder":"/tmp/x","only_em'

/** Replaces the arguments of calls at the end of the stream, as some adapters do with arguments that are not JSON. */
function replacing(model: LanguageModel): LanguageModel {
  return {
    ...model,
    doStream: async (options) => {
      const { stream } = await model.doStream(options)
      const replaced = stream.pipeThrough(
        new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
          transform(part, controller) {
            if (part.type !== 'tool-call') return controller.enqueue(part)
            const id = part.toolCallId
            for (const delta of [CUT.slice(0, 9), CUT.slice(9)])
              controller.enqueue({ type: 'tool-input-delta', id, delta })
            controller.enqueue({ ...part, input: '{}' })
          },
        }),
      )
      return { stream: replaced }
    },
  }
}

it('a call whose truncated arguments an adapter replaced with {} is refused, and the model sees what it sent', async () => {
  const model = scriptedModel([{ calls: [{ tool: 'wipe', args: {} }] }, { text: 'sorry' }])
  const ran: unknown[] = []
  const record = recordEvents()
  const result = await runTeam(
    { A: { models: [replacing(model)], tools: [tool('wipe', (args) => ran.push(args))] } },
    { listener: record.listener },
  )
  expect(result).toMatchObject({ outcome: 'completed', text: 'sorry' })
  expect(ran).toEqual([])
  expect(record.of('tool-result')).toMatchObject([
    { toolName: 'wipe', outcome: 'failed', error: { code: 'tool_bad_arguments' } },
  ])
  expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('only_em')
})
