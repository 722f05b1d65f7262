import { defineAgent, defineTool, type AgentDefinition, type RunReport } from '@troupe/schema'
import type { LogEntry, RunStore } from '@troupe/schema/ports'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import type { Host } from '../src/index.ts'
import { guardedAgent, guardedHost } from './support/guarded-team.ts'
import { recordingStore, storeAfter } from './support/interrupted-team.ts'

const LEAD: readonly ScriptedStep[] = [
  { text: 'I ask ada@example.org.', calls: [{ tool: 'echo', args: { text: 'to ada@example.org' } }] },
  { text: 'Done, says bob@example.org.' },
]

interface Counted {
  answers: number
  checks: number
  readonly got: string[]
}

/** A team with guards of each kind at each place. */
async function team(store: RunStore, counted: Counted): Promise<Host> {
  const echo = defineTool({
    name: 'echo',
    description: 'Returns its text.',
    input: { type: 'object', properties: { text: { type: 'string' } } },
    effect: 'read',
    execute: ({ text }) => {
      counted.got.push(text as string)
      return `${text as string} and carl@example.org`
    },
  })
  const redact = { use: 'troupe:pii', action: 'redact' } as const
  const count = (): undefined => {
    counted.checks += 1
  }
  const lead = guardedAgent(
    'Lead',
    {
      input: [redact, { agent: 'Judge' }],
      output: [redact, count, { agent: 'Judge' }],
      toolCall: [redact, { agent: 'Judge' }],
      toolResult: [redact, { use: 'troupe:max-length', action: 'note', characters: 5 }, { agent: 'Judge' }],
    },
    { functionTools: [echo] },
  )
  return guardedHost(
    [lead, judge()],
    { 'test/lead': answering(LEAD, counted), 'test/judge': judging(counted) },
    { store },
  )
}

function judge(): AgentDefinition {
  return defineAgent({ name: 'Judge', description: 'Judges.', instruction: 'Judge.', model: 'test/judge' })
}

function answering(steps: readonly ScriptedStep[], counted: Counted): ReturnType<typeof scriptedModel> {
  return scriptedModel((prompt) => {
    counted.answers += 1
    return steps[prompt.filter(({ role }) => role === 'assistant').length] ?? { text: 'lost' }
  })
}

function judging(counted: Counted): ReturnType<typeof scriptedModel> {
  return scriptedModel(() => {
    counted.answers += 1
    return { text: '{"flagged": false, "reason": ""}' }
  })
}

const keysOf = (entries: readonly LogEntry[], start: string): readonly string[] =>
  entries.flatMap(({ runId, step }) => (step?.key.startsWith(start) === true ? `${runId} ${step.key}` : []))

function comparable({ outcome, output, usage, problems }: RunReport): unknown {
  const { modelCalls, toolCalls } = usage
  return { outcome, output, modelCalls, toolCalls, problems }
}

const nothing = (): Counted => ({ answers: 0, checks: 0, got: [] })

describe('guards of an interrupted run', () => {
  it(
    'a run with guards that is resumed after any entry ends like an undisturbed one and pays nothing twice',
    { timeout: 60_000 },
    async () => {
      const { store, entries } = recordingStore()
      const counted = nothing()
      const whole = await (await team(store, counted)).run('Lead', 'I am eve@example.org.', { runId: 'root' })
      expect(whole).toMatchObject({
        outcome: 'completed',
        output: { text: 'Done, says [redacted:email].' },
        problems: [{ code: 'guard_noted' }],
      })
      expect(counted.got).toEqual(['to [redacted:email]'])
      const ofRoot = entries.length
      for (let kept = 1; kept < ofRoot; kept += 1) {
        const past = entries.slice(0, kept)
        const again = nothing()
        const host = await team(await storeAfter('root', past), again)
        const report = await host.resume('root')
        expect(comparable(report)).toEqual(comparable(whole))
        expect(again.answers).toBe(counted.answers - keysOf(past, 'llm:').length)
        expect(again.got.every((text) => text === 'to [redacted:email]')).toBe(true)
      }
    },
  )

  it('a denial that was stored is not decided again', async () => {
    const { store, entries } = recordingStore()
    let isStrict = true
    const guard = (): { readonly reason: string } | undefined => (isStrict ? { reason: 'strict' } : undefined)
    const agent = guardedAgent('A', { output: [guard] })
    const models = { 'test/a': scriptedModel(() => ({ text: 'hello' })) }
    const host = await guardedHost([agent], models, { store })
    expect((await host.run('A', 'go', { runId: 'root' })).outcome).toBe('denied')
    isStrict = false
    const past = entries.filter(({ step }) => step?.key !== 'end')
    const resumed = await guardedHost([agent], models, { store: await storeAfter('root', past) })
    expect(await resumed.resume('root')).toMatchObject({ outcome: 'denied', error: { code: 'guard_denied' } })
  })

  it('the next run of a session reads answers without what guards removed', async () => {
    const { store } = recordingStore()
    const prompts: string[] = []
    const model = scriptedModel((prompt) => {
      prompts.push(JSON.stringify(prompt))
      return { text: 'I am bob@example.org.' }
    })
    const redact = { use: 'troupe:pii', action: 'redact' } as const
    const host = await guardedHost(
      [guardedAgent('A', { input: [redact], output: [redact] })],
      { 'test/a': model },
      { store },
    )
    await host.run('A', 'I am ada@example.org.', { sessionId: 's' })
    await host.run('A', 'And now?', { sessionId: 's' })
    expect(prompts[1]).not.toContain('example.org')
    expect(prompts[1]?.match(/redacted:email/gu)).toHaveLength(2)
  })

  it('a recording of a run with guards can be replayed', async () => {
    const { store } = recordingStore()
    const host = await team(store, nothing())
    let recording = ''
    const whole = await host.run('Lead', 'I am eve@example.org.', {
      record: (text) => {
        recording = text
      },
    })
    const again = nothing()
    const replayed = await (await team(store, again)).replay(recording)
    expect(replayed.error).toBeUndefined()
    expect(replayed.output).toEqual(whole.output)
    expect(again).toMatchObject({ answers: 0, got: [] })
  })
})
