import type { HookContext, LoopHooks, ToolHook } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { runTeam, tool } from './team.ts'

describe('tool hooks', () => {
  it(`tool hooks receive the call id of the model and the id of the call in its run tree ${verifies('B48')}`, async () => {
    const contexts: HookContext[] = []
    const spy: ToolHook = (ctx, args, callNext) => {
      contexts.push(ctx)
      return callNext(args)
    }
    const record = recordEvents()
    const model = scriptedModel([
      {
        calls: [
          { tool: 'look', args: {}, id: 'call_7' },
          { tool: 'look', args: {}, id: 'call_8' },
        ],
      },
      { text: 'done' },
    ])
    await runTeam(
      { A: { models: [model], tools: [tool('look', () => 'seen')], hooks: [spy] } },
      { listener: record.listener },
    )
    const ids = contexts.map(({ toolUseId, correlationId }) => [toolUseId, correlationId])
    expect(ids).toEqual([
      ['call_7', 'root:1.1'],
      ['call_8', 'root:1.2'],
    ])
    expect(
      record.of('tool-call').map((event) => [event.toolUseId, `${event.runId}:${event.callId}`]),
    ).toEqual(ids)
  })
})

describe('loop hooks', () => {
  it(`loop hooks run around every turn and every model answer, separately from tool hooks ${verifies('B49')}`, async () => {
    const calls: string[] = []
    const loopHooks: LoopHooks = {
      beforeTurn: ({ turn }) => void calls.push(`beforeTurn ${turn}`),
      beforeModel: (_ctx, messages) => void calls.push(`beforeModel ${messages.length}`),
      afterModel: (_ctx, message) => void calls.push(`afterModel ${message.role}`),
      afterTurn: ({ turn }) => void calls.push(`afterTurn ${turn}`),
      onEnd: (_ctx, outcome) => void calls.push(`onEnd ${outcome}`),
    }
    const around: ToolHook = async (_ctx, args, callNext) => {
      calls.push('tool hook')
      return callNext(args)
    }
    const model = scriptedModel([{ calls: [{ tool: 'look', args: {} }] }, { text: 'done' }])
    await runTeam({
      A: { models: [model], tools: [tool('look', () => 'seen')], hooks: [around], loopHooks },
    })
    expect(calls).toEqual([
      'beforeTurn 1',
      'beforeModel 1',
      'afterModel assistant',
      'tool hook',
      'afterTurn 1',
      'beforeTurn 2',
      'beforeModel 3',
      'afterModel assistant',
      'afterTurn 2',
      'onEnd completed',
    ])
  })

  it.each(['beforeTurn', 'beforeModel', 'afterModel', 'afterTurn', 'onEnd'] as const)(
    `loop hooks end the run as failed if %s throws ${verifies('B49')}`,
    async (name) => {
      const result = await runTeam({
        A: {
          models: [scriptedModel([{ text: 'done' }])],
          loopHooks: {
            [name]: () => {
              throw new Error('no')
            },
          },
        },
      })
      expect(result).toMatchObject({ outcome: 'failed', failure: { code: 'hook_failed' } })
      expect(result.failure?.message).toContain(name)
    },
  )
})
