import { defineAgent, failure } from '@troupe/schema'
import type { Ancestor, PreparedAgent } from '@troupe/schema/ports'
import { deferred, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createPooledSessionProvider, type AcquireRequest, type RunWarning } from '../src/index.ts'

const two = defineAgent({ name: 'A', instruction: 'x', acquire: { pool: 2 } })
const fresh = defineAgent({ name: 'A', instruction: 'x' })

interface Made {
  readonly prepared: PreparedAgent
  warn: AcquireRequest['warn']
}

/** Counts prepared and released sessions. */
function factory() {
  const made: Made[] = []
  const released: PreparedAgent[] = []
  const acquisition = createPooledSessionProvider()
  const acquire = async (
    runId: string,
    options: Partial<Pick<AcquireRequest, 'definition' | 'stop' | 'warn' | 'create' | 'snapshotId'>> & {
      readonly key?: string
      readonly ancestry?: readonly Ancestor[]
    } = {},
  ): Promise<PreparedAgent> =>
    acquisition.acquire({
      definition: two,
      snapshotId: '1',
      stop: new AbortController(),
      warn: () => undefined,
      create: ({ warn }) => {
        const prepared: PreparedAgent = {
          definition: two,
          system: `${made.length}`,
          models: [],
          tools: new Map(),
          hooks: [],
          loopHooks: {},
          validate: (_schema, args) => ({ ok: true, args }),
          permission: { ofTool: () => 'allow', ofCall: async () => ({ decision: 'allow' }) },
          env: () => undefined,
          release: () => void released.push(prepared),
        }
        made.push({ prepared, warn })
        return Promise.resolve(prepared)
      },
      ...options,
      key: () => options.key ?? 'k',
      request: {
        runId,
        rootRunId: 'r',
        agent: { name: 'A', digest: 'd' },
        instance: 'A',
        input: 'x',
        ancestry: options.ancestry ?? [],
        sessionId: 's',
        principal: 'p',
      },
    })
  return { acquire, made, released, close: acquisition.close, retire: acquisition.retire }
}

/** Returns true if the promise is already settled. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.then(
    () => (settled = true),
    () => (settled = true),
  )
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  return settled
}

describe('a pool of prepared agents', () => {
  it(`the session pool creates at most N agents, keeps them warm, and serves waiting runs in order ${verifies('A15')}`, async () => {
    const { acquire, made, released } = factory()
    const [first, second] = [await acquire('1'), await acquire('2')]
    const [third, fourth] = [acquire('3'), acquire('4')]
    expect([await isSettled(third), await isSettled(fourth)]).toEqual([false, false])
    await second.release()
    expect((await third).system).toBe(second.system)
    expect(await isSettled(fourth)).toBe(false)
    await first.release()
    expect((await fourth).system).toBe(first.system)
    expect(made).toHaveLength(2)
    expect(released).toEqual([])
  })

  it('the session pool separates agents by definition, variables and principal', async () => {
    const { acquire, made } = factory()
    const one = await acquire('1', { key: 'a' })
    await one.release()
    await acquire('2', { key: 'b' })
    expect(made).toHaveLength(2)
  })

  it(`the session pool gives a new agent to a run below one that holds a pooled agent, to prevent deadlocks ${verifies('A15')}`, async () => {
    const { acquire, made, released } = factory()
    await acquire('top')
    await acquire('other')
    const below = await acquire('below', { ancestry: [{ runId: 'top', name: 'A', digest: 'd' }] })
    expect(made).toHaveLength(3)
    await below.release()
    expect(released).toHaveLength(1)
  })

  it(`the session pool is opt-in: an agent without one is prepared anew for every run ${verifies('A14', 'A16')}`, async () => {
    const { acquire, made, released } = factory()
    await (await acquire('1', { definition: fresh })).release()
    await (await acquire('2', { definition: fresh })).release()
    expect([made.length, released.length]).toEqual([2, 2])
  })

  it('the session pool releases a waiting run that is cancelled and the slot of a failed preparation', async () => {
    const { acquire } = factory()
    const failing = (): Promise<never> => Promise.reject(new Error('no server'))
    await expect(acquire('1', { create: failing })).rejects.toThrow('no server')
    await expect(acquire('2', { create: failing })).rejects.toThrow('no server')
    const held = await acquire('3')
    await acquire('4')
    const stop = new AbortController()
    const waiting = acquire('5', { stop })
    const last = acquire('6')
    const reason = failure('run_cancelled', 'stopped')
    stop.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await held.release()
    expect((await last).system).toBe(held.system)
  })

  it('the session pool gives the slot of a failed preparation to the next waiting run', async () => {
    const { acquire } = factory()
    const gate = deferred<PreparedAgent>()
    const slow = acquire('1', { create: () => gate.promise })
    await acquire('2')
    const next = acquire('3')
    gate.reject(new Error('no server'))
    await expect(slow).rejects.toThrow('no server')
    expect((await next).system).toBe('1')
  })

  it('the session pool sends warnings to the run that uses the agent and drops them between runs', async () => {
    const { acquire, made } = factory()
    const told: string[] = []
    const tell =
      (run: string) =>
      ({ code }: RunWarning): void =>
        void told.push(`${run} ${code}`)
    const first = await acquire('1', { warn: tell('1') })
    made[0]?.warn({ code: 'model_unset', message: '' })
    await first.release()
    made[0]?.warn({ code: 'tool_unknown', message: '' })
    await acquire('2', { warn: tell('2') })
    made[0]?.warn({ code: 'mcp_server', message: '' })
    expect(told).toEqual(['1 model_unset', '2 mcp_server'])
  })

  it('the session pool releases idle agents when it closes, and agents in use when they are returned', async () => {
    const { acquire, released, close } = factory()
    const [idle, used] = [await acquire('1'), await acquire('2')]
    await idle.release()
    await close()
    expect(released).toHaveLength(1)
    await used.release()
    expect(released).toHaveLength(2)
  })

  it('the session pool releases the agents of a retired snapshot and keeps those of others', async () => {
    const { acquire, made, released, retire } = factory()
    const old = await acquire('1', { key: 'old', snapshotId: '1' })
    const next = await acquire('2', { key: 'new', snapshotId: '2' })
    await Promise.all([old.release(), next.release()])
    await retire?.('1')
    expect(released).toEqual([made[0]?.prepared])
    await acquire('3', { key: 'new', snapshotId: '2' })
    expect(made).toHaveLength(2)
  })
})
