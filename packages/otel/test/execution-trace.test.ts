import { SpanStatusCode } from '@opentelemetry/api'
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace'
import type { EventBase, EventDraft, EventPayloads, EventType, RunEvent } from '@troupe/schema'
import type { TracedExecution } from '@troupe/schema/ports'
import { sampleEvent } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { traceEvents, type TraceOptions } from '../src/index.ts'

const ROOT = `run_${'a'.repeat(32)}`
const CHILD = `run_${'b'.repeat(32)}`

/** Creates events of one run tree, each with the next number and one second after the one before it. */
function createEvents(): {
  readonly add: <T extends EventType>(
    type: T,
    changes?: Partial<EventBase> & Partial<EventPayloads[T]>,
  ) => void
  readonly all: readonly RunEvent[]
} {
  const all: RunEvent[] = []
  return {
    all,
    add(type, changes) {
      const seq = all.length + 1
      const base = { runId: ROOT, rootRunId: ROOT, time: seq * 1000 }
      const event: EventDraft = { ...sampleEvent(type, changes), ...base, ...changes }
      all.push({ ...event, seq })
    },
  }
}

/** Returns the spans of an execution, without those that have not ended. */
async function spansOf(
  events: readonly RunEvent[],
  execution: Partial<TracedExecution> = {},
  options: TraceOptions = {},
): Promise<readonly ReadableSpan[]> {
  const exporter = new InMemorySpanExporter()
  const tracer = traceEvents({ ...options, spans: { exporter } })
  const trace = tracer.openTrace({ request: { runId: ROOT, rootRunId: ROOT }, ...execution })
  for (const event of events) trace.onEvent(event)
  trace.close()
  await tracer.flush()
  return exporter.getFinishedSpans()
}

function namesOf(spans: readonly ReadableSpan[]): readonly string[] {
  return spans.map(({ name }) => name)
}

const FAILURE = {
  class: 'tool',
  code: 'tool_failed',
  message: 'Cannot open the file of Ada.',
  remediation: '',
} as const

describe('the spans of a run', () => {
  it('a run that fails is an error with its code, and has the message only with content', async () => {
    const { add, all } = createEvents()
    add('run-start')
    add('run-end', { outcome: 'failed', error: FAILURE })
    const [plain] = await spansOf(all)
    expect(plain?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(plain?.attributes).toMatchObject({ 'error.type': 'tool_failed', 'troupe.outcome': 'failed' })
    const [full] = await spansOf(all, { content: true })
    expect(full?.status).toEqual({ code: SpanStatusCode.ERROR, message: FAILURE.message })
  })

  it('a run that is cancelled is not an error', async () => {
    const { add, all } = createEvents()
    add('run-start')
    add('run-end', { outcome: 'cancelled' })
    expect((await spansOf(all))[0]?.status).toEqual({ code: SpanStatusCode.UNSET })
  })

  it('the end of a run ends everything of it that is still open', async () => {
    const { add, all } = createEvents()
    add('run-start')
    add('turn-start')
    add('usage')
    add('tool-call', { callId: '1.1' })
    add('tool-queued', { callId: '1.1' })
    add('approval-request', { callId: '1.1' })
    add('run-start', { runId: CHILD, parentRunId: ROOT, callId: '1.1', depth: 1 })
    add('turn-start', { runId: CHILD, parentRunId: ROOT })
    add('run-end', { outcome: 'timeout' })
    expect(namesOf(await spansOf(all))).toEqual([
      'turn 1',
      'invoke_agent Agent',
      'chat script',
      'queue',
      'approval',
      'execute_tool tool',
      'turn 1',
      'invoke_agent Agent',
    ])
  })

  it('a fallback to another model begins another model call, and a retry does not', async () => {
    const { add, all } = createEvents()
    add('run-start')
    add('turn-start')
    add('usage', { model: 'a', error: FAILURE })
    add('model-retry')
    add('usage', { model: 'a', error: FAILURE })
    add('model-fallback')
    add('usage', { model: 'b' })
    add('turn-end')
    add('run-end')
    const chats = (await spansOf(all)).filter(({ name }) => name.startsWith('chat'))
    expect(
      chats.map(({ name, attributes, status }) => [name, attributes['troupe.attempts'], status.code]),
    ).toEqual([
      ['chat a', 2, SpanStatusCode.ERROR],
      ['chat b', 1, SpanStatusCode.UNSET],
    ])
  })

  it('a model call never starts before its turn, although latencies are rounded', async () => {
    const { add, all } = createEvents()
    add('run-start')
    add('turn-start')
    add('usage', { latencyMs: 1001 })
    add('turn-end')
    add('run-end')
    const [chat, turn] = await spansOf(all)
    expect(chat?.startTime).toEqual(turn?.startTime)
  })

  it('model calls have the name of the convention for their provider', async () => {
    const { add, all } = createEvents()
    add('run-start')
    add('usage', { provider: 'google', model: 'google/gemini-3' })
    add('run-end')
    expect((await spansOf(all))[0]).toMatchObject({
      name: 'chat gemini-3',
      attributes: { 'gen_ai.provider.name': 'gcp.gemini', 'gen_ai.request.model': 'gemini-3' },
    })
  })

  it('only a run of a conversation has a conversation id, on all its spans', async () => {
    const { add, all } = createEvents()
    add('run-start', { sessionId: 'talk' })
    add('usage')
    add('run-end')
    for (const { attributes } of await spansOf(all)) expect(attributes['gen_ai.conversation.id']).toBe('talk')
    const alone = createEvents()
    alone.add('run-start', { sessionId: ROOT })
    alone.add('run-end')
    expect((await spansOf(alone.all))[0]?.attributes).not.toHaveProperty('gen_ai.conversation.id')
  })

  it('two workers that execute the runs of a tree agree on the ids of its spans', async () => {
    const { add, all } = createEvents()
    add('run-start')
    add('turn-start')
    add('tool-call', { callId: '1.1' })
    add('run-start', { runId: CHILD, parentRunId: ROOT, callId: '1.1', depth: 1 })
    add('run-end', { runId: CHILD, parentRunId: ROOT, callId: '1.1', depth: 1 })
    add('tool-result', { callId: '1.1' })
    add('turn-end')
    add('run-end')
    const site = { turn: 1, ordinal: 1, callId: '1.1', toolUseId: 'use' }
    const [child] = await spansOf(
      all.filter(({ runId }) => runId === CHILD),
      { request: { runId: CHILD, rootRunId: ROOT, site } },
    )
    const [call] = await spansOf(all.filter(({ runId }) => runId === ROOT))
    expect(call?.name).toBe('execute_tool tool')
    expect(child?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId)
    expect(child?.spanContext().traceId).toBe('a'.repeat(32))
    const whole = (await spansOf(all)).find(({ attributes }) => attributes['troupe.run.id'] === CHILD)
    expect(whole?.spanContext()).toEqual(child?.spanContext())
  })
})

describe('the spans of a run that was resumed', () => {
  const { add, all } = createEvents()
  add('run-start', { time: 0 })
  add('turn-start', { turn: 1, time: 0 })
  add('usage', { time: 1000 })
  add('turn-end', { turn: 1, time: 1000 })
  add('turn-start', { turn: 2, time: 20_000 })
  add('usage', { turn: 2, time: 30_000 })
  add('turn-end', { turn: 2, time: 30_000 })
  add('turn-start', { turn: 3, time: 30_000 })
  const interruptedAt = all.length
  add('usage', { turn: 3, time: 90_000 })
  add('turn-end', { turn: 3, time: 90_000 })
  add('run-end', { time: 90_000 })
  const resumedAfter = { seq: interruptedAt, time: 30_000 }

  it('spans that had ended shortly before the interruption are sent again with the same ids', async () => {
    const before = await spansOf(all.slice(0, interruptedAt))
    const after = await spansOf(all, { resumedAfter })
    expect(namesOf(before)).toEqual(['chat script', 'turn 1', 'chat script', 'turn 2'])
    expect(namesOf(after)).toEqual(['chat script', 'turn 2', 'chat script', 'turn 3', 'invoke_agent Agent'])
    const content = (span: ReadableSpan): unknown => ({
      name: span.name,
      attributes: span.attributes,
      times: [span.startTime, span.endTime],
      id: span.spanContext(),
      parent: span.parentSpanContext?.spanId,
    })
    expect(after.slice(0, 2).map(content)).toEqual(before.slice(2).map(content))
  })

  it('the first span after the resume links the last one before it', async () => {
    const after = await spansOf(all, { resumedAfter })
    const linked = after.filter(({ links }) => links.length > 0)
    expect(linked).toEqual([after[2]])
    expect(linked[0]?.links[0]?.context.spanId).toBe(after[1]?.spanContext().spanId)
    expect(after.at(-1)?.events.map(({ name }) => name)).toEqual(['troupe.run.resumed'])
  })

  it('spans from before a suspension are not sent again', async () => {
    const events = [...all]
    events.splice(interruptedAt - 1, 1, {
      ...sampleEvent('run-waiting', { runId: ROOT, rootRunId: ROOT, time: 30_000 }),
      seq: interruptedAt,
    })
    expect(namesOf(await spansOf(events, { resumedAfter }))).toEqual(['chat script', 'invoke_agent Agent'])
  })
})

describe('the traces of single events', () => {
  it('the events of several run trees are traced side by side', async () => {
    const exporter = new InMemorySpanExporter()
    const tracer = traceEvents({ spans: { exporter } })
    const trees = ['1', '2'].map((digit) => {
      const { add, all } = createEvents()
      const runId = `run_${digit.repeat(32)}`
      for (const type of ['run-start', 'turn-start', 'run-end'] as const)
        add(type, { runId, rootRunId: runId })
      return all
    })
    for (const index of [0, 1, 2]) for (const tree of trees) tracer.onEvent(tree[index] as RunEvent)
    await tracer.flush()
    const spans = exporter.getFinishedSpans()
    expect(spans.map((span) => [span.name, span.spanContext().traceId[0]])).toEqual([
      ['turn 1', '1'],
      ['invoke_agent Agent', '1'],
      ['turn 1', '2'],
      ['invoke_agent Agent', '2'],
    ])
  })

  it('the events of a run tree whose beginning is missing are not traced', async () => {
    const exporter = new InMemorySpanExporter()
    const tracer = traceEvents({ spans: { exporter } })
    const { add, all } = createEvents()
    add('turn-start')
    add('run-end')
    for (const event of all) tracer.onEvent(event)
    await tracer.flush()
    expect(exporter.getFinishedSpans()).toEqual([])
  })
})
