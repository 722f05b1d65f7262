import { defineAgent, defineTool, toolResult, type ToolDefinition } from '@troupe/schema'
import type { InterceptedCall, RunInterceptor } from '@troupe/schema/ports'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { fakeClock } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createHost, type Host } from '../src/index.ts'

describe('an interceptor', () => {
  it('answers the model calls of a run and of the runs below it', async () => {
    const opened: string[] = []
    const host = await openTeam({})
    const report = await host.run('lead', 'go', {
      interceptor: {
        openModel: ({ id }, { definition }) => {
          opened.push(`${id} of ${definition.name}`)
          return definition.name === 'lead'
            ? scriptedModel([{ calls: [{ tool: 'agent__clerk', args: { text: 'hi' } }] }, { text: 'done' }])
            : scriptedModel([{ text: 'ten' }])
        },
      },
    })
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'done' } })
    expect(opened).toEqual(['test/lead of lead', 'test/clerk of clerk'])
  })

  it('answers a tool call in place of the tool, with the events of any call', async () => {
    const calls: InterceptedCall[] = []
    let runs = 0
    const host = await openTeam({ send: () => `${(runs += 1)} sent` })
    const events: string[] = []
    const report = await host.run('lead', 'go', {
      onEvent: (event) => void events.push(event.type),
      interceptor: {
        callTool: (call) => {
          calls.push(call)
          return call.args['to'] === 'Ann' ? toolResult.text('stubbed') : undefined
        },
      },
    })
    expect(report.output.text).toBe('stubbed; 1 sent')
    expect(calls.map(({ agent, toolName, source, args }) => [agent, toolName, source, args['to']])).toEqual([
      ['lead', 'send', 'runtime', 'Ann'],
      ['lead', 'send', 'runtime', 'Bob'],
    ])
    expect(events.filter((type) => type.startsWith('tool-'))).toEqual([
      'tool-call',
      'tool-call',
      'tool-start',
      'tool-start',
      'tool-result',
      'tool-result',
    ])
  })

  it('is not asked about a call that a rule denies', async () => {
    const host = await openTeam({ send: () => 'sent', deny: true })
    const report = await host.run('lead', 'go', {
      interceptor: { callTool: () => toolResult.text('stubbed') },
    })
    expect(report.problems.map(({ tool, code }) => [tool, code])).toEqual([
      ['send', 'permission_denied'],
      ['send', 'permission_denied'],
    ])
  })

  it('that throws fails only the call', async () => {
    const host = await openTeam({ send: () => 'sent' })
    const interceptor: RunInterceptor = {
      callTool: () => {
        throw new Error('no answer')
      },
    }
    const report = await host.run('lead', 'go', { interceptor })
    expect(report).toMatchObject({
      outcome: 'completed',
      output: { text: 'Error: no answer; Error: no answer' },
    })
  })

  it('is refused for a run on workers', async () => {
    const dispatcher = { close: async () => undefined } as unknown as NonNullable<
      Parameters<typeof createHost>[0]['dispatcher']
    >
    const store = createMemoryStore({ clock: fakeClock() })
    const host = await openTeam({ send: () => 'sent', dispatcher, store })
    await expect(host.run('lead', 'go', { interceptor: {} })).rejects.toMatchObject({ code: 'usage_invalid' })
  })
})

async function openTeam({
  send,
  deny = false,
  ...options
}: {
  readonly send?: () => string
  readonly deny?: boolean
} & Pick<Parameters<typeof createHost>[0], 'dispatcher' | 'store'>): Promise<Host> {
  const clerk = defineAgent({
    name: 'clerk',
    description: 'Counts.',
    instruction: 'Count.',
    model: 'test/clerk',
  })
  const lead = defineAgent({
    name: 'lead',
    description: 'Leads.',
    instruction: 'Lead.',
    model: 'test/lead',
    default: true,
    agents: [clerk],
    ...(deny ? { permissions: { deny: ['send'] } } : {}),
  })
  const host = await createHost({
    cards: [lead],
    config: false,
    cwd: '/',
    models: {
      'test/lead': scriptedModel((prompt) => {
        const last = prompt.at(-1)
        if (last?.role !== 'tool')
          return { calls: ['Ann', 'Bob'].map((to) => ({ tool: 'send', args: { to } })) }
        return { text: last.content.map((part) => textOf(part)).join('; ') }
      }),
      'test/clerk': scriptedModel([]),
    },
    ...(send === undefined ? {} : { tools: { lead: [sendTool(send)] } }),
    ...options,
  })
  onTestFinished(() => host.close())
  return host
}

function sendTool(send: () => string): ToolDefinition {
  return defineTool({
    name: 'send',
    description: 'Sends.',
    input: z.object({ to: z.string() }),
    effect: 'once',
    execute: send,
  })
}

function textOf(part: object): string {
  const { output } = part as { readonly output?: { readonly type: string; readonly value: unknown } }
  if (Array.isArray(output?.value))
    return output.value.map((item) => (item as { readonly text?: string }).text ?? '').join('')
  return String(output?.value)
}
