import { setImmediate } from 'node:timers/promises'
import {
  failure,
  resultText,
  toolResult,
  type HookContext,
  type JsonObject,
  type ToolHook,
  type ToolResult,
} from '@troupe/schema'
import { deferred, fakeClock, settle, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runHookChain, type HookChain } from '../src/index.ts'

const HOOK_TIMEOUT = 5000

function chainOf(hooks: readonly ToolHook[], parts: Partial<HookChain> = {}) {
  const calls: { readonly args: JsonObject; readonly attempt: number }[] = []
  const clock = fakeClock()
  const chain: HookChain = {
    hooks,
    context: contextOf(new AbortController().signal),
    args: { n: 1, nested: { list: [1, 2] } },
    call: async (args, attempt) => {
      calls.push({ args, attempt })
      return toolResult.text(`n=${JSON.stringify(args['n'])} attempt=${attempt}`)
    },
    hookTimeoutMs: HOOK_TIMEOUT,
    clock,
    ...parts,
  }
  return { chain, calls, clock, run: () => runHookChain(chain) }
}

function contextOf(signal: AbortSignal): HookChain['context'] {
  const state = new Map<string, unknown>()
  return {
    agentName: 'Lead',
    instanceName: 'Lead[1]',
    serverName: 'agent',
    toolName: 'agent__Scout',
    toolSource: 'agent',
    toolUseId: 'call_7',
    correlationId: 'run-1:2.1',
    signal,
    state: () => state,
    log: () => undefined,
    toolEffect: 'once',
    clock: fakeClock(),
    random: () => 0,
    hideSecrets: (text) => text,
    requireApproval: () => undefined,
    isDenied: () => false,
  }
}

const pass: ToolHook = (_ctx, args, callNext) => callNext(args)

describe('a chain without hooks', () => {
  it('a chain without hooks passes the same arguments object to the call and never reads the context', async () => {
    const context = new Proxy(contextOf(new AbortController().signal), {
      get: (_target, key) => expect.unreachable(`read ${String(key)}`),
    })
    const { chain, calls, run } = chainOf([], { context })
    expect(await run()).toMatchObject({ attempts: 1, result: { outcome: 'completed' } })
    expect(calls[0]?.args).toBe(chain.args)
  })

  it('a chain without hooks turns a rejected call into a failed result', async () => {
    const { run } = chainOf([], { call: () => Promise.reject(new TypeError('socket gone')) })
    expect(await run()).toMatchObject({
      attempts: 1,
      result: { outcome: 'failed', failure: { code: 'tool_failed', message: 'socket gone' } },
    })
  })
})

describe('composition of hooks', () => {
  it(`hooks run in declared order around the call, and the last one calls the tool ${verifies('B33', 'B37', 'B50')}`, async () => {
    const seen: string[] = []
    const around =
      (name: string): ToolHook =>
      async (_ctx, args, callNext) => {
        seen.push(`${name}>`)
        const result = await callNext(args)
        seen.push(`<${name}`)
        return result
      }
    const { run } = chainOf([around('a'), around('b')], {
      call: async () => {
        seen.push('tool')
        return toolResult.text('done')
      },
    })
    await run()
    expect(seen).toEqual(['a>', 'b>', 'tool', '<b', '<a'])
  })

  it(`a hook can change the arguments before the call ${verifies('B4', 'B34')}`, async () => {
    const clamp: ToolHook = (_ctx, args, callNext) =>
      callNext({ ...args, n: Math.min(Number(args['n']), 10) })
    const { run, calls } = chainOf([clamp, pass], { args: { n: 99 } })
    expect(resultText((await run()).result)).toBe('n=10 attempt=1')
    expect(calls).toEqual([{ args: { n: 10 }, attempt: 1 }])
  })

  it(`a hook can answer instead of the call, also with an MCP result ${verifies('B4', 'B35', 'B50')}`, async () => {
    const block = (() => ({
      content: [{ type: 'text', text: 'blocked' }],
      isError: true,
    })) as unknown as ToolHook
    const { run, calls } = chainOf([block, () => expect.unreachable()])
    const { result, attempts } = await run()
    expect(result).toMatchObject({ outcome: 'failed', failure: { code: 'tool_failed', message: 'blocked' } })
    expect(resultText(result)).toBe('Error: blocked')
    expect([attempts, calls.length]).toEqual([0, 0])
  })

  it('the fix of a call that a hook denied names the hook, unless the tool failed or the hook has its own fix', async () => {
    const fixOf = async (hook: ToolHook, call?: () => Promise<ToolResult>) =>
      (await chainOf([hook], call === undefined ? {} : { call }).run()).result.failure?.remediation
    const failing = () => Promise.resolve(toolResult.error('tool_failed', 'no'))
    const afterwards: ToolHook = async (_ctx, args, callNext) => {
      await callNext(args)
      return toolResult.error('tool_failed', 'blocked')
    }

    expect(await fixOf(() => toolResult.error('permission_denied', 'blocked'))).toContain('Change the hook')
    expect(await fixOf(afterwards)).toContain('Change the hook')
    expect(await fixOf(pass, failing)).toContain('fix the tool')
    expect(await fixOf(() => toolResult.error('tool_failed', 'blocked', 'Ask Ann.'))).toBe('Ask Ann.')
  })

  it(`hooks receive the isError flag, and a hook that changes it determines the outcome ${verifies('B36')}`, async () => {
    const seen: unknown[] = []
    const look: ToolHook = async (_ctx, args, callNext) => {
      const result = await callNext(args)
      seen.push(result.isError)
      return result
    }
    const flag =
      (isError: boolean): ToolHook =>
      async (_ctx, args, callNext) => ({ ...(await callNext(args)), isError })
    const failing = { call: () => Promise.resolve(toolResult.error('tool_failed', 'no')) }

    expect((await chainOf([look]).run()).result).not.toHaveProperty('isError')
    expect((await chainOf([look], failing).run()).result.outcome).toBe('failed')
    expect(seen).toEqual([false, true])
    expect((await chainOf([flag(true)]).run()).result).toMatchObject({
      outcome: 'failed',
      failure: { code: 'tool_failed', message: 'n=1 attempt=1' },
    })
    const recovered = (await chainOf([flag(false)], failing).run()).result
    expect(recovered).toEqual({ outcome: 'completed', content: [{ type: 'text', text: 'Error: no' }] })
    const reason = failure('tool_failed', 'not good enough')
    const reject: ToolHook = async (_ctx, args, callNext) => ({
      ...(await callNext(args)),
      outcome: 'failed',
      failure: reason,
    })
    expect((await chainOf([reject]).run()).result).toMatchObject({
      outcome: 'failed',
      failure: { ...reason, remediation: expect.stringContaining('Change the hook') as string },
    })
  })

  it(`a hook can change the result after the call ${verifies('B4', 'B36')}`, async () => {
    const redact: ToolHook = async (_ctx, args, callNext) =>
      toolResult.text(resultText(await callNext(args)).replace('n=1', 'n=*'))
    const { run } = chainOf([redact])
    expect(resultText((await run()).result)).toBe('n=* attempt=1')
  })

  it(`each call that reaches the tool counts as an attempt, whichever hook makes it ${verifies('R10')}`, async () => {
    const twice: ToolHook = async (_ctx, args, callNext) => {
      await callNext(args)
      return callNext(args)
    }
    const { run, calls } = chainOf([twice, twice])
    expect(resultText((await run()).result)).toBe('n=1 attempt=4')
    expect(calls.map((call) => call.attempt)).toEqual([1, 2, 3, 4])
  })

  it(`a hook can race two calls ${verifies('R10')}`, async () => {
    const slow = deferred<ToolResult>()
    const hedge: ToolHook = (_ctx, args, callNext) => Promise.race([callNext(args), callNext(args)])
    const { run } = chainOf([hedge, pass], {
      call: (_args, attempt) => (attempt === 1 ? slow.promise : Promise.resolve(toolResult.text('second'))),
    })
    expect(await run()).toMatchObject({ attempts: 2, result: toolResult.text('second') })
    slow.resolve(toolResult.text('first'))
    await settle()
  })
})

describe('the hook context', () => {
  it(`the hook context is frozen and identifies the caller, the tool and the call ${verifies('B30', 'B44', 'B48')}`, async () => {
    const contexts: HookContext[] = []
    const spy: ToolHook = (ctx, args, callNext) => {
      contexts.push(ctx)
      return callNext(args)
    }
    const { chain, run } = chainOf([spy])
    await run()
    expect(contexts[0]).toMatchObject({
      agentName: 'Lead',
      instanceName: 'Lead[1]',
      serverName: 'agent',
      toolName: 'agent__Scout',
      toolSource: 'agent',
      toolUseId: 'call_7',
      correlationId: 'run-1:2.1',
      signal: chain.context.signal,
    })
    expect(Object.isFrozen(contexts[0])).toBe(true)
  })

  it(`the hook context offers the innermost call, which skips only the later hooks and counts as an attempt ${verifies('B39')}`, async () => {
    const seen: string[] = []
    const around =
      (name: string, hook: ToolHook): ToolHook =>
      (ctx, args, callNext) => {
        seen.push(name)
        return hook(ctx, args, callNext)
      }
    const { run, calls } = chainOf([
      around('earlier', pass),
      around('direct', (ctx, args) => ctx.originalToolFunc({ ...args, n: 5 })),
      around('later', pass),
    ])
    expect(await run()).toMatchObject({ attempts: 1, result: toolResult.text('n=5 attempt=1') })
    expect(seen).toEqual(['earlier', 'direct'])
    expect(calls[0]?.args['n']).toBe(5)
  })
})

describe('arguments of a hook', () => {
  it(`each hook gets its own copy of the arguments, which it may change and pass on ${verifies('B34')}`, async () => {
    const change: ToolHook = (_ctx, args, callNext) => {
      Object.assign(args, { n: 7 })
      return callNext(args)
    }
    const { chain, run, calls } = chainOf([change, pass])
    const before = structuredClone(chain.args)
    await run()
    expect(calls[0]?.args['n']).toBe(7)
    expect(chain.args).toEqual(before)
  })

  it('arguments that a hook changes after `callNext` affect no other hook', async () => {
    const later: JsonObject[] = []
    const mutator: ToolHook = (_ctx, args, callNext) => {
      const mine = { ...args, n: 2 }
      const answer = callNext(mine)
      mine.n = 666
      return answer
    }
    const spy: ToolHook = async (_ctx, args, callNext) => {
      await setImmediate()
      later.push(args)
      return callNext(args)
    }
    const { run, calls } = chainOf([mutator, spy])
    await run()
    expect(later[0]?.['n']).toBe(2)
    expect(calls[0]?.args['n']).toBe(2)
  })

  it('arguments changed by the tool are restored for the next attempt', async () => {
    const twice: ToolHook = async (_ctx, args, callNext) => {
      await callNext(args)
      return callNext(args)
    }
    const { run } = chainOf([twice], {
      call: async (args) => {
        const result = toolResult.json(args)
        ;(args as { n: number }).n = 666
        return result
      },
    })
    expect(resultText((await run()).result)).toBe('{"n":1,"nested":{"list":[1,2]}}')
  })

  it('arguments are passed on as JSON, so members without a value are dropped', async () => {
    const hook: ToolHook = (_ctx, args, callNext) => callNext({ ...args, n: undefined as never })
    const { run, calls } = chainOf([hook])
    await run()
    expect(calls[0]?.args).toStrictEqual({ nested: { list: [1, 2] } })
  })

  it.each([
    ['nothing', undefined],
    ['a list', []],
    ['text', 'x'],
    ['a function', () => 1],
    ['a bigint', { n: 1n }],
  ])('arguments that are %s produce a failed result and never reach the tool', async (_kind, bad) => {
    const { run, calls } = chainOf([(_ctx, _args, callNext) => callNext(bad as never)])
    const { result, attempts } = await run()
    expect(result.failure?.code).toBe('hook_failed')
    expect(result.failure?.message).toContain('Tool hook 1')
    expect([attempts, calls.length]).toEqual([0, 0])
  })

  it('arguments of the caller that are not JSON produce a failed result', async () => {
    const { run } = chainOf([pass], { args: { n: 1n as never } })
    expect((await run()).result.failure?.code).toBe('tool_bad_arguments')
  })
})

describe('a faulty hook', () => {
  it.each<[string, ToolHook]>([
    [
      'at once',
      function audit() {
        throw new TypeError('disk is full')
      },
    ],
    [
      'later',
      async function audit(_ctx, args, callNext) {
        await callNext(args)
        throw new TypeError('disk is full')
      },
    ],
  ])(
    `a hook that throws %s produces a failed result that names the hook ${verifies('B38')}`,
    async (_when, hook) => {
      const { run } = chainOf([pass, hook])
      expect((await run()).result).toMatchObject({
        outcome: 'failed',
        failure: {
          class: 'tool',
          code: 'hook_failed',
          message: 'Tool hook 2 (audit) threw: disk is full',
        },
      })
    },
  )

  it('a hook that throws a value without a message is still named', async () => {
    const { run } = chainOf([() => Promise.reject({ toString: () => expect.unreachable() })])
    expect((await run()).result.failure?.message).toBe('Tool hook 1 (anonymous) threw: unknown error')
  })

  it.each([undefined, null, 'text', 7, {}, { content: 'x' }, { outcome: 'completed', content: [null] }])(
    'a hook that returns %o produces a failed result',
    async (garbage) => {
      const { run } = chainOf([(() => garbage) as unknown as ToolHook])
      expect((await run()).result.failure?.code).toBe('hook_no_result')
    },
  )

  it('a hook whose result throws when it is read produces a failed result', async () => {
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new TypeError('trap')
        },
      },
    )
    const { run } = chainOf([async () => [trap] as never, () => trap as never])
    expect((await run()).result.outcome).toBe('failed')
  })

  it(`a hook throws into the outer hooks, which can catch the original exception ${verifies('B38')}`, async () => {
    const broken = new TypeError('broken')
    const caught: unknown[] = []
    const rescue: ToolHook = (_ctx, args, callNext) =>
      callNext(args).catch((thrown: unknown) => {
        caught.push(thrown)
        return toolResult.text('rescued')
      })
    const { run } = chainOf([rescue, pass, () => Promise.reject(broken)])
    expect(resultText((await run()).result)).toBe('rescued')
    expect(caught).toEqual([broken])
  })

  it('a failing hook is named even if its exception passed through the outer hooks', async () => {
    const cleanUp: ToolHook = async (_ctx, args, callNext) => {
      try {
        return await callNext(args)
      } finally {
        await Promise.resolve()
      }
    }
    const { run } = chainOf([cleanUp, pass, () => Promise.reject(new TypeError('broken'))])
    expect((await run()).result.failure?.message).toBe('Tool hook 3 (anonymous) threw: broken')
  })

  it('a failing hook does not end the process if the outer hook never awaits the call', async () => {
    const unhandled: unknown[] = []
    const note = (thrown: unknown): void => void unhandled.push(thrown)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const forgetful: ToolHook = (_ctx, args, callNext) => {
      void callNext(args)
      return toolResult.text('done')
    }
    const { run } = chainOf([forgetful, () => Promise.reject(new TypeError('broken'))])
    expect(resultText((await run()).result)).toBe('done')
    await settle()
    await setImmediate()
    expect(unhandled).toEqual([])
  })
})

describe('timeout of a hook', () => {
  it('the timeout ends a hook that hangs, and its later actions have no effect', async () => {
    const gate = deferred()
    const late: ToolResult[] = []
    const hang: ToolHook = async (_ctx, args, callNext) => {
      await gate.promise
      late.push(await callNext(args))
      throw new TypeError('ignored')
    }
    const { run, clock, calls } = chainOf([pass, hang])
    const running = run()
    await clock.advance(HOOK_TIMEOUT)
    expect(await running).toMatchObject({
      attempts: 0,
      result: { outcome: 'timeout', failure: { code: 'hook_timeout' } },
    })
    gate.resolve()
    await settle()
    expect(calls).toEqual([])
    expect(late[0]?.failure).toMatchObject({ code: 'hook_failed' })
    expect(clock.pending()).toBe(0)
  })

  it('the timeout of a hook is paused while it waits for the call, including overlapping calls', async () => {
    const first = deferred<ToolResult>()
    const second = deferred<ToolResult>()
    const both: ToolHook = async (ctx, args, callNext) => {
      const [result] = await Promise.all([callNext(args), ctx.originalToolFunc(args)])
      return result
    }
    const { run, clock } = chainOf([both], {
      call: (_args, attempt) => (attempt === 1 ? first : second).promise,
    })
    const running = run()
    await clock.advance(HOOK_TIMEOUT * 10)
    first.resolve(toolResult.text('one'))
    await clock.advance(HOOK_TIMEOUT * 10)
    second.resolve(toolResult.text('two'))
    expect((await running).result).toEqual(toolResult.text('one'))
    expect(clock.pending()).toBe(0)
  })

  it('the timeout of a hook counts its work before and after the call', async () => {
    const gate = deferred<ToolResult>()
    const { chain, clock } = chainOf([])
    const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))
    const worker: ToolHook = async (_ctx, args, callNext) => {
      await wait(3000)
      const result = await callNext(args)
      await wait(3000)
      return result
    }
    const running = runHookChain({ ...chain, hooks: [worker], call: () => gate.promise })
    await clock.advance(60_000)
    gate.resolve(toolResult.text('late'))
    await clock.advance(1999)
    await clock.advance(1)
    expect((await running).result.failure?.code).toBe('hook_timeout')
  })
})

describe('the shared timer of a chain', () => {
  /** Returns a hook that takes so many ms before the call and after it. */
  function worker(clock: ReturnType<typeof fakeClock>, [before = 0, after = 0]: readonly number[]): ToolHook {
    const work = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))
    return async (_ctx, args, callNext) => {
      await work(before)
      const result = await callNext(args)
      await work(after)
      return result
    }
  }

  it('the shared timer gives every hook its full time', async () => {
    const { chain, clock } = chainOf([])
    const hooks = [worker(clock, [2000, 2999]), worker(clock, [4000, 999]), worker(clock, [0, 4999])]
    const running = runHookChain({ ...chain, hooks })
    await clock.advance(60_000)
    expect(resultText((await running).result)).toBe('n=1 attempt=1')
    expect(clock.pending()).toBe(0)
  })

  it.each([
    { who: 'outer', outer: [3000, 3000], inner: [1000, 1000], name: 'Tool hook 1', at: 3000 + 2000 + 2000 },
    { who: 'inner', outer: [3000, 0], inner: [3000, 3000], name: 'Tool hook 2', at: 3000 + 5000 },
  ])(
    'the shared timer ends the $who hook exactly when its own time is used up',
    async ({ outer, inner, name, at }) => {
      const { chain, clock } = chainOf([])
      const settled: string[] = []
      const hooks = [worker(clock, outer), worker(clock, inner)]
      const running = runHookChain({ ...chain, hooks })
      void running.then(({ result }) => settled.push(result.failure?.message ?? 'fine'))
      await clock.advance(at - 1)
      expect(settled).toEqual([])
      await clock.advance(1)
      expect(settled).toEqual([expect.stringContaining(name)])
      await clock.advance(60_000)
      expect(clock.pending()).toBe(0)
    },
  )

  it('the shared timer gives full time to a call that a hook makes while an earlier one runs', async () => {
    const { chain, clock } = chainOf([])
    const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))
    const hedge: ToolHook = async (_ctx, args, callNext) => {
      const first = callNext(args)
      await wait(4000)
      const second = await callNext(args)
      await first
      return second
    }
    const hooks = [hedge, worker(clock, [4000, 999])]
    const running = runHookChain({ ...chain, hooks })
    await clock.advance(60_000)
    expect((await running).result.failure).toBeUndefined()
    expect(clock.pending()).toBe(0)
  })

  it('the shared timer counts overlapping calls separately', async () => {
    const { chain, clock } = chainOf([])
    const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))
    const both: ToolHook = async (_ctx, args, callNext) => {
      const results = await Promise.all([callNext({ ms: 4000 }), callNext({ ms: 6000 }), callNext(args)])
      return toolResult.text(results.map(({ failure }) => failure?.code ?? 'fine').join(' '))
    }
    const slow: ToolHook = async (_ctx, args, callNext) => {
      await wait(Number(args['ms']))
      return callNext(args)
    }
    const running = runHookChain({ ...chain, args: { ms: 1000 }, hooks: [both, slow] })
    await clock.advance(60_000)
    expect(resultText((await running).result)).toBe('fine hook_timeout fine')
    expect(clock.pending()).toBe(0)
  })
})

describe('cancellation of a chain', () => {
  it('an abort before the chain prevents every hook and the tool from running', async () => {
    const { run, calls } = chainOf([() => expect.unreachable()], { context: contextOf(AbortSignal.abort()) })
    expect(await run()).toMatchObject({
      attempts: 0,
      result: { outcome: 'cancelled', failure: { class: 'cancelled', code: 'run_cancelled' } },
    })
    expect(calls).toEqual([])
  })

  it('an abort between two layers prevents the later layers from running', async () => {
    const abort = new AbortController()
    const stopper: ToolHook = (_ctx, args, callNext) => {
      abort.abort()
      return callNext(args)
    }
    for (const rest of [[() => expect.unreachable()], []]) {
      const { run, calls } = chainOf([stopper, ...rest], { context: contextOf(abort.signal) })
      expect((await run()).result.failure?.code).toBe('run_cancelled')
      expect(calls).toEqual([])
    }
  })

  it('an abort gives a running hook a short time to finish', async () => {
    for (const ms of [500, 2000]) {
      const abort = new AbortController()
      const { chain, clock } = chainOf([], { context: contextOf(abort.signal) })
      const worker: ToolHook = async () => {
        await new Promise<void>((resolve) => void clock.after(ms, resolve))
        return toolResult.text('written')
      }
      const running = runHookChain({ ...chain, hooks: [worker] })
      abort.abort()
      await clock.advance(1000)
      expect((await running).result.outcome).toBe(ms === 500 ? 'completed' : 'cancelled')
    }
  })

  it('a hook chain also reacts to the stop signal of the run, if there is one', async () => {
    const reason = failure('run_cancelled', 'enough')
    const stopped = { reason, onCancel: (fn: (why: typeof reason) => void) => (fn(reason), () => undefined) }
    const { run, calls } = chainOf([() => expect.unreachable()], { cancellation: stopped })
    expect((await run()).result.failure?.code).toBe('run_cancelled')
    expect(calls).toEqual([])
  })

  it('an abort gives a hook that waits for its call the same short time', async () => {
    const abort = new AbortController()
    const gate = deferred<ToolResult>()
    const hang: ToolHook = async (_ctx, args, callNext) => {
      await callNext(args)
      return deferred<ToolResult>().promise
    }
    const { run, clock } = chainOf([hang], { context: contextOf(abort.signal), call: () => gate.promise })
    const running = run()
    await settle()
    abort.abort()
    await clock.advance(30_000)
    gate.resolve(toolResult.text('done'))
    await clock.advance(1000)
    expect((await running).result.failure?.code).toBe('run_cancelled')
    expect(clock.pending()).toBe(0)
  })
})
