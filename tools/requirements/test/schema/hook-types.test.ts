import type {
  CallNext,
  EventPayloads,
  HookContext,
  JsonObject,
  MaybePromise,
  Message,
  Outcome,
  RunReport,
  ToolHook,
  ToolResult,
  Usage,
} from '@troupe/schema'
import type { RunResult } from '@troupe/schema/ports'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, expectTypeOf, it } from 'vitest'

// The type checker reads this file too. It decides: at run time these tests only show that the values exist.

const result: ToolResult = { outcome: 'completed', content: [] }

describe('the types of hooks', () => {
  it(`the types of hooks give a call its arguments as an object ${verifies('B28')}`, () => {
    expectTypeOf<Parameters<CallNext>>().toEqualTypeOf<[args: JsonObject]>()
    expectTypeOf<Parameters<ToolHook>[1]>().toEqualTypeOf<JsonObject>()
    const call: CallNext = () => Promise.resolve(result)
    // @ts-expect-error -- a list is not an object
    expect(call([])).toBeInstanceOf(Promise)
  })

  it(`the types of hooks make a call return a promise of a tool result ${verifies('B29')}`, async () => {
    expectTypeOf<ReturnType<CallNext>>().toEqualTypeOf<Promise<ToolResult>>()
    const call: CallNext = () => Promise.resolve(result)
    expect(await call({})).toBe(result)
  })

  it(`the types of hooks make a hook a function of a context, arguments and the next call ${verifies('B32')}`, () => {
    expectTypeOf<Parameters<ToolHook>>().toEqualTypeOf<
      [ctx: HookContext, args: JsonObject, callNext: CallNext]
    >()
    expectTypeOf<ReturnType<ToolHook>>().toEqualTypeOf<MaybePromise<ToolResult>>()
    // @ts-expect-error -- a hook returns the result of a tool
    const wrong: ToolHook = () => 'text'
    expect(wrong).toBeTypeOf('function')
  })
})

it(`the types of a run name its outcome, its messages and the usage of each call ${verifies('C31')}`, () => {
  expectTypeOf<RunReport['outcome']>().toEqualTypeOf<Outcome>()
  expectTypeOf<RunResult['outcome']>().toEqualTypeOf<Outcome>()
  expectTypeOf<RunResult['messages']>().toEqualTypeOf<readonly Message[]>()
  expectTypeOf<RunResult['byAgent']>().toEqualTypeOf<Readonly<Record<string, Usage>>>()
  expectTypeOf<EventPayloads['usage']['tokens']>().toEqualTypeOf<Usage>()
  expectTypeOf<Usage['input']>().toEqualTypeOf<number>()
  expect(result.outcome satisfies Outcome).toBe('completed')
})
