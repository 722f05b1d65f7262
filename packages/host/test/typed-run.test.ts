import { createHost, type Host } from '@troupe/host'
import {
  defineAgent,
  type Json,
  type JsonObject,
  type RunEvent,
  type TypedAgent,
  type TypedRunReport,
} from '@troupe/schema'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

const weather = defineAgent({
  name: 'weather',
  instruction: 'Tell the weather.',
  model: 'test/m',
  input: { schema: z.object({ city: z.string(), days: z.number().default(1) }) },
  output: { schema: z.object({ sky: z.enum(['clear', 'cloudy']), degrees: z.number() }) },
})
const writer = defineAgent({ name: 'writer', instruction: 'Write.', model: 'test/m' })
const lister = defineAgent({
  name: 'lister',
  instruction: 'List.',
  model: 'test/m',
  output: { schema: { type: 'array' } },
})

interface Forecast {
  sky: 'clear' | 'cloudy'
  degrees: number
}

async function withHost<T>(steps: readonly ScriptedStep[], use: (host: Host) => Promise<T>): Promise<T> {
  const host = await createHost({
    cards: [weather, writer, lister],
    models: { 'test/m': scriptedModel(steps) },
    cwd: import.meta.dirname,
    config: false,
  })
  try {
    return await use(host)
  } finally {
    await host.close()
  }
}

describe('an agent with zod schemas', () => {
  it('the report of an agent with zod schemas has a typed value', async () => {
    const report = await withHost([{ text: '{"sky":"clear","degrees":21}' }], (host) =>
      host.run(weather, { city: 'Paris' }),
    )
    expectTypeOf(report).toEqualTypeOf<TypedRunReport<Forecast>>()
    expectTypeOf(report.output.value).toEqualTypeOf<Forecast | undefined>()
    expect(report.output.value).toEqual({ sky: 'clear', degrees: 21 })
  })

  it('the value of a report is defined, also by its type, if `outcome` is completed', async () => {
    const report = await withHost([{ text: '{"sky":"clear","degrees":21}' }], (host) =>
      host.run(weather, { city: 'Paris' }),
    )
    if (report.outcome !== 'completed') throw new Error(report.outcome)
    expectTypeOf(report.output.value).toEqualTypeOf<Forecast>()
    expect(report.output.value.degrees).toBe(21)
  })

  it('the report has no value if the answer does not match the schema', async () => {
    const report = await withHost([{ text: '{"sky":"green"}' }], (host) =>
      host.run(weather, { city: 'Paris' }),
    )
    expect(report).toMatchObject({ outcome: 'failed', error: { code: 'output_schema_mismatch' } })
    expect(report.output.value).toBeUndefined()
  })

  it('an agent with zod schemas accepts only input that matches them', async () => {
    const report = await withHost([], (host) =>
      // @ts-expect-error a number is no city
      host.run(weather, { city: 3 }),
    )
    expect(report.error?.code).toBe('input_invalid')
    expectTypeOf<InferInput<typeof weather>>().toEqualTypeOf<{ city: string; days?: number | undefined }>()
  })

  it('streams of an agent with zod schemas have the same types', async () => {
    const report = await withHost([{ text: '{"sky":"cloudy","degrees":3}' }], async (host) => {
      const events = host.stream(weather, { city: 'Oslo', days: 2 })
      expectTypeOf(events).toEqualTypeOf<AsyncGenerator<RunEvent, TypedRunReport<Forecast>>>()
      let step = await events.next()
      while (step.done !== true) step = await events.next()
      return step.value
    })
    expect(report.output.value?.degrees).toBe(3)
  })

  it('a caller with an output format of its own gets any JSON from an agent with zod schemas', async () => {
    const report = await withHost([{ text: '[1]' }], (host) =>
      host.run(weather, { city: 'Paris' }, { output: { format: 'json', schema: { type: 'array' } } }),
    )
    expectTypeOf(report.output.value).toEqualTypeOf<Json | undefined>()
    expect(report.output.value).toEqual([1])
  })
})

describe('an agent without zod schemas', () => {
  it('an agent without zod schemas accepts text or an object, by its definition or its name', async () => {
    const report = await withHost([{ text: 'once' }], (host) => host.run(writer, 'go'))
    expectTypeOf(report.output.value).toEqualTypeOf<Json | undefined>()
    expect(report.output.text).toBe('once')
    expect((await withHost([{ text: 'x' }], (host) => host.run('writer', { text: 'go' }))).outcome).toBe(
      'completed',
    )
  })

  it('an agent with a JSON Schema returns any JSON', async () => {
    const report = await withHost([{ text: '[]' }], (host) => host.run(lister, 'go'))
    expectTypeOf(report.output.value).toEqualTypeOf<Json | undefined>()
    expectTypeOf<InferInput<typeof lister>>().toEqualTypeOf<string | JsonObject>()
    expect(report.output.value).toEqual([])
  })

  it('running a definition that the host does not have is a usage error', async () => {
    const stranger = defineAgent({ name: 'stranger', instruction: 'Hide.' })
    await expect(withHost([], (host) => host.run(stranger, 'go'))).rejects.toMatchObject({
      code: 'agent_unknown',
    })
  })
})

type InferInput<Agent> = Agent extends TypedAgent<infer Input, unknown> ? Input : never
