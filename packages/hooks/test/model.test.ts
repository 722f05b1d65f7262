import { resultText, toolResult, type ToolHook } from '@troupe/schema'
import { fakeClock, verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { runHookChain } from '../src/index.ts'

/** The behaviour of a hook as data: the chain runs it, the model evaluates it. */
type Kind =
  | { readonly kind: 'before'; readonly add: number }
  | { readonly kind: 'instead'; readonly text: string }
  | { readonly kind: 'after'; readonly suffix: string }
  | { readonly kind: 'retry'; readonly times: number }
  | { readonly kind: 'direct' }
  | { readonly kind: 'throw' }
  | { readonly kind: 'catch' }
  | { readonly kind: 'nothing' }

interface Trace {
  /** The hooks in the order in which they were entered, each with its argument. */
  readonly entered: (readonly [index: number, n: number])[]
  readonly attempts: number[]
}

const kinds: fc.Arbitrary<Kind> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('before' as const), add: fc.integer({ min: -5, max: 5 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('after' as const), suffix: fc.constantFrom('!', '?') }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('retry' as const), times: fc.integer({ min: 1, max: 3 }) }),
  },
  fc.record({ kind: fc.constant('instead' as const), text: fc.constantFrom('cached', 'blocked') }),
  fc.record({ kind: fc.constant('direct' as const) }),
  fc.record({ kind: fc.constant('throw' as const) }),
  fc.record({ kind: fc.constant('catch' as const) }),
  fc.record({ kind: fc.constant('nothing' as const) }),
)

function hookOf(kind: Kind, index: number, trace: Trace): ToolHook {
  return async (ctx, args, callNext) => {
    const n = Number(args['n'])
    trace.entered.push([index, n])
    switch (kind.kind) {
      case 'before':
        return callNext({ ...args, n: n + kind.add })
      case 'instead':
        return toolResult.text(kind.text)
      case 'after':
        return toolResult.text(resultText(await callNext(args)) + kind.suffix)
      case 'retry': {
        let last = await callNext(args)
        for (let time = 1; time < kind.times; time += 1) last = await callNext(args)
        return last
      }
      case 'direct':
        return ctx.originalToolFunc(args)
      case 'throw':
        throw new TypeError('broken')
      case 'catch':
        return callNext(args).catch(() => toolResult.text('rescued'))
      default:
        return undefined as never
    }
  }
}

class ThrownBy extends Error {
  readonly index: number

  constructor(index: number) {
    super('broken')
    this.index = index
  }
}

function rescued(work: () => string, rescue: (thrown: ThrownBy) => string): string {
  try {
    return work()
  } catch (thrown) {
    if (thrown instanceof ThrownBy) return rescue(thrown)
    throw thrown
  }
}

/** Returns the text of the result; an uncaught error is the failure of the hook that threw it. */
function expected(chain: readonly Kind[], n: number, trace: Trace): string {
  return rescued(
    () => evaluate(chain, 0, n, trace),
    ({ index }) => `Error: Tool hook ${index + 1} (anonymous) threw: broken`,
  )
}

/** Evaluates the same chain as plain recursion over data. */
function evaluate(chain: readonly Kind[], index: number, n: number, trace: Trace): string {
  const kind = chain[index]
  if (kind === undefined) {
    trace.attempts.push(trace.attempts.length + 1)
    return `${n}#${trace.attempts.length}`
  }
  trace.entered.push([index, n])
  switch (kind.kind) {
    case 'before':
      return evaluate(chain, index + 1, n + kind.add, trace)
    case 'instead':
      return kind.text
    case 'after':
      return evaluate(chain, index + 1, n, trace) + kind.suffix
    case 'retry': {
      let last = ''
      for (let time = 0; time < kind.times; time += 1) last = evaluate(chain, index + 1, n, trace)
      return last
    }
    case 'direct':
      return evaluate(chain, chain.length, n, trace)
    case 'throw':
      throw new ThrownBy(index)
    case 'catch':
      return rescued(
        () => evaluate(chain, index + 1, n, trace),
        () => 'rescued',
      )
    default:
      return `Error: Tool hook ${index + 1} (anonymous) returned nothing.`
  }
}

it(`a hook chain returns the same result as plain recursion, and each hook sees each attempt once ${verifies('B37', 'R10')}`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(kinds, { maxLength: 5 }), fc.integer({ min: 0, max: 9 }), async (chain, n) => {
      const real: Trace = { entered: [], attempts: [] }
      const model: Trace = { entered: [], attempts: [] }
      const { result, attempts } = await runHookChain({
        hooks: chain.map((kind, index) => hookOf(kind, index, real)),
        context: {
          agentName: 'a',
          instanceName: 'a',
          toolName: 't',
          toolSource: 'function',
          toolUseId: '1',
          correlationId: '1',
          signal: new AbortController().signal,
          state: () => new Map(),
          log: () => undefined,
          toolEffect: 'once',
          clock: fakeClock(),
          random: () => 0,
          hideSecrets: (text) => text,
          requireApproval: () => undefined,
          isDenied: () => false,
        },
        args: { n },
        call: async (args, attempt) => {
          real.attempts.push(attempt)
          return toolResult.text(`${JSON.stringify(args['n'])}#${attempt}`)
        },
        hookTimeoutMs: 1000,
        clock: fakeClock(),
      })
      expect(resultText(result)).toBe(expected(chain, n, model))
      expect(real).toEqual(model)
      expect(attempts).toBe(model.attempts.length)
    }),
  )
})
