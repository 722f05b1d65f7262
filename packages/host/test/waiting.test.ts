import { join } from 'node:path'
import { systemClock } from '@troupe/core'
import { defineAgent, defineTool, type AgentFields, type RunEvent, type ToolDefinition } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { createMemoryStore, openSqliteStore } from '@troupe/store'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { fakeClock, leakCheck, recordEvents, tempProject, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost, type Host, type HostOptions } from '../src/index.ts'

/** The actions of the team, over all hosts. */
interface Deeds {
  answers: number
  readonly ran: string[]
}

const LEAD: readonly ScriptedStep[] = [
  {
    calls: [
      { tool: 'send', args: { to: 'Ada' } },
      { tool: 'agent__Clerk', args: { text: 'one' } },
      { tool: 'look' },
    ],
  },
  { text: 'All done.' },
]
const CLERK: readonly ScriptedStep[] = [
  { calls: [{ tool: 'look' }] },
  { calls: [{ tool: 'send', args: { to: 'Ben' } }] },
  { text: 'Sent.' },
]

/** A lead and its clerk, who both want to send something, of which a person must be asked. */
async function office(
  store: RunStore,
  {
    deeds,
    fields = {},
    ...options
  }: Partial<HostOptions> & { readonly deeds: Deeds; readonly fields?: AgentFields },
): Promise<Host> {
  const tool = (name: string): ToolDefinition =>
    defineTool({
      name,
      description: name,
      input: { type: 'object', properties: { to: { type: 'string' } } },
      execute: () => {
        deeds.ran.push(name)
        return `${name}: yes`
      },
    })
  const answering = (steps: readonly ScriptedStep[]) =>
    scriptedModel((prompt) => {
      deeds.answers += 1
      return steps[prompt.filter(({ role }) => role === 'assistant').length] ?? { text: 'lost' }
    })
  const clerk = defineAgent({
    name: 'Clerk',
    description: 'Sends.',
    instruction: 'Send.',
    model: 'test/clerk',
    functionTools: [tool('send'), tool('look')],
    requiresApproval: ['send'],
  })
  const lead = defineAgent({
    name: 'Lead',
    instruction: 'Lead.',
    model: 'test/lead',
    functionTools: [tool('send'), tool('look')],
    requiresApproval: ['send'],
    agents: [clerk],
    ...fields,
  })
  const host = await createHost({
    cards: [lead, clerk],
    config: false,
    cwd: import.meta.dirname,
    store,
    models: { 'test/lead': answering(LEAD), 'test/clerk': answering(CLERK) },
    ...options,
  })
  onTestFinished(() => host.close())
  return host
}

const noDeeds = (): Deeds => ({ answers: 0, ran: [] })
const yes = { decision: 'approved' } as const
const memory = () => createMemoryStore({ clock: systemClock })
const typesOf = (events: readonly RunEvent[]) => events.map(({ type }) => type)

describe('a run that waits for a decision', () => {
  it('a waiting run keeps its conversation locked until the decision', async () => {
    const store = memory()
    const deeds = noDeeds()
    const host = await office(store, { deeds, fields: { agents: [] } })
    await host.run('Lead', 'Go.', { runId: 'root', sessionId: 'talk', wait: true })
    const refused = await host.run('Lead', 'And now?', { sessionId: 'talk' })
    expect(refused).toMatchObject({
      error: { code: 'session_busy', remediation: expect.stringContaining('troupe runs approve root') },
    })
    expect(await host.session('talk')).toMatchObject({ busy: true, lastRunId: 'root' })
    for (const { approvalId } of await host.approvals('root')) await host.decide('root', approvalId, yes)
    await host.resume('root')
    expect(await host.session('talk')).toMatchObject({ busy: false, runs: 1 })
    expect(await host.run('Lead', 'And now?', { sessionId: 'talk' })).toMatchObject({ sessionId: 'talk' })
  })

  it('a run suspends once nothing else of it is active, with the requests of its children in one queue', async () => {
    const leaks = leakCheck()
    const store = memory()
    const deeds = noDeeds()
    const host = await office(store, { deeds })
    const { listener, events } = recordEvents()
    const report = await host.run('Lead', 'Go.', { runId: 'root', wait: true, onEvent: listener })
    expect(report).toMatchObject({
      outcome: 'cancelled',
      error: { code: 'run_waiting', message: expect.stringContaining('root:1.1#1 and 1 more') },
    })
    // what could be done was done
    expect(deeds).toEqual({ answers: 3, ran: ['look', 'look'] })
    expect(await host.approvals('root')).toMatchObject([
      { approvalId: 'root:1.1#1', agent: 'Lead', args: { to: 'Ada' } },
      { agent: 'Clerk', args: { to: 'Ben' }, depth: 1 },
    ])
    expect(typesOf(await store.events('root')).slice(-2)).toEqual(['run-waiting', 'run-waiting'])
    expect(typesOf(events)).not.toContain('run-end')
    expect(await store.roots()).toMatchObject([{ open: false }])
    await leaks.assertClean()
  })

  it('a waiting run emits run-waiting to its listener, even if the store writes with a delay', async () => {
    const folder = await tempProject({})
    onTestFinished(() => folder.remove())
    const store = await openSqliteStore({
      path: join(folder.path, 'runs.db'),
      clock: systemClock,
      random: Math.random,
      writer: { token: 'one', pid: 1, host: 'here', isAlive: () => true },
    })
    const host = await office(store, { deeds: noDeeds() })
    const { listener, events } = recordEvents()
    await host.run('Lead', 'Go.', { runId: 'root', wait: true, onEvent: listener })
    expect(typesOf(events).slice(-2)).toEqual(['run-waiting', 'run-waiting'])
    const durable = events.filter(({ seq }) => seq !== undefined)
    expect(durable).toEqual(await store.events('root'))
  })

  it('a waiting run continues in another process with the decision, and repeats nothing', async () => {
    const store = memory()
    const deeds = noDeeds()
    await (await office(store, { deeds })).run('Lead', 'Go.', { runId: 'root', wait: true })
    const next = await office(store, { deeds })
    const [first, second] = await next.approvals('root')
    await next.decide('root', first?.approvalId ?? '', yes)
    expect(typesOf(await store.events('root')).at(-1)).toBe('run-waiting')
    expect(await next.resume('root', { wait: true })).toMatchObject({ error: { code: 'run_waiting' } })
    expect(deeds.ran).toEqual(['look', 'look', 'send'])
    await next.decide('root', second?.approvalId ?? '', { decision: 'denied', reason: 'not Ben' })
    expect(await next.resume('root', { wait: true })).toMatchObject({
      outcome: 'completed',
      output: { text: 'All done.' },
    })
    expect(deeds).toEqual({ answers: 5, ran: ['look', 'look', 'send'] })
    const events = await store.events('root')
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(typesOf(events).filter((type) => type === 'approval-request')).toHaveLength(2)
    expect(events.find(({ type, depth }) => type === 'tool-result' && depth === 1)).toBeDefined()
  })

  it('a resumed run asks the person at hand', async () => {
    const store = memory()
    const deeds = noDeeds()
    const host = await office(store, { deeds })
    await host.run('Lead', 'Go.', { runId: 'root', wait: true })
    expect(await host.resume('root', { approve: () => yes })).toMatchObject({ outcome: 'completed' })
    expect(deeds.ran).toEqual(['look', 'look', 'send', 'send'])
  })

  it('a run keeps working while it waits in this process, and takes a decision at once', async () => {
    const store = memory()
    const deeds = noDeeds()
    // the moment after which it would be left does not pass
    const host = await office(store, { deeds, clock: fakeClock() })
    const deciding: Promise<void>[] = []
    const report = await host.run('Lead', 'Go.', {
      runId: 'root',
      wait: true,
      onEvent: (event) => {
        if (event.type === 'approval-request') deciding.push(decideSoon(host, event.approvalId))
      },
    })
    await Promise.all(deciding)
    expect(report).toMatchObject({ outcome: 'completed' })
    expect(deeds.ran).toEqual(['look', 'look', 'send', 'send'])
  })

  it(`a tool that was approved for the conversation requires no further approval after a resume ${verifies('R16')}`, async () => {
    const store = memory()
    const deeds = noDeeds()
    const lead = scriptedModel((prompt) =>
      prompt.at(-1)?.role === 'user' ? { calls: [{ tool: 'send' }] } : { text: 'All done.' },
    )
    const host = await office(store, { deeds, fields: { agents: [] }, models: { 'test/lead': lead } })
    await host.run('Lead', 'Go.', { runId: 'root', sessionId: 'talk', wait: true })
    const [open] = await host.approvals('root')
    await host.decide('root', open?.approvalId ?? '', { ...yes, remember: 'session' })
    await host.resume('root', { wait: true })
    const { listener, of } = recordEvents()
    const next = await host.run('Lead', 'Again.', { sessionId: 'talk', wait: true, onEvent: listener })
    expect(next).toMatchObject({ outcome: 'completed' })
    expect(of('approval-result')).toMatchObject([{ decision: 'approved', remembered: 'session' }])
    expect(of('run-waiting')).toEqual([])
    const other = await host.run('Lead', 'Go.', { sessionId: 'other', wait: true })
    expect(other).toMatchObject({ error: { code: 'run_waiting' } })
  })

  it(`a remote decision is permanent only if it approves, never if it denies ${verifies('R16')}`, async () => {
    const store = memory()
    const host = await office(store, { deeds: noDeeds(), fields: { agents: [] } })
    const decideOn = async (runId: string, decision: 'approved' | 'denied'): Promise<void> => {
      await host.run('Lead', 'Go.', { runId, wait: true })
      const [open] = await host.approvals(runId)
      await host.decide(runId, open?.approvalId ?? '', { decision, remember: 'always' })
      await host.resume(runId, { wait: true })
    }
    await decideOn('one', 'denied')
    await decideOn('two', 'approved')
    const results = async (runId: string) =>
      (await store.events(runId)).filter(({ type }) => type === 'approval-result')
    expect((await results('one'))[0]).not.toHaveProperty('remember')
    expect(await results('two')).toMatchObject([{ decision: 'approved', remember: 'always' }])
    expect(await host.run('Lead', 'Go.', { wait: true })).toMatchObject({ outcome: 'completed' })
  })

  it('a decision is accepted once, and only for a pending call', async () => {
    const store = memory()
    const host = await office(store, { deeds: noDeeds() })
    await host.run('Lead', 'Go.', { runId: 'root', wait: true })
    await host.decide('root', 'root:1.1#1', yes)
    const unknown = { code: 'approval_unknown' }
    await expect(host.decide('root', 'root:1.1#1', yes)).rejects.toMatchObject(unknown)
    await expect(host.decide('root', 'root:9.9#1', yes)).rejects.toMatchObject(unknown)
    await expect(host.decide('nobody', 'x', yes)).rejects.toMatchObject(unknown)
    await store.open('root', 'another process')
    await expect(host.decide('root', 'root:1.1#1', yes)).rejects.toMatchObject({ code: 'store_locked' })
  })

  it('a decision on a call that another process waits for names that process as the place to answer', async () => {
    const store = memory()
    const host = await office(store, { deeds: noDeeds() })
    await host.run('Lead', 'Go.', { runId: 'root', wait: true })
    await store.open('root', 'another process')
    await expect(host.decide('root', 'root:1.1#1', yes)).rejects.toMatchObject({ code: 'approval_elsewhere' })
  })

  it('a decision from elsewhere comes before the approver that is asked, and withdraws its question', async () => {
    const store = memory()
    const deeds = noDeeds()
    const host = await office(store, { deeds })
    const asked = Promise.withResolvers<AbortSignal>()
    const run = host.run('Lead', 'Go.', {
      runId: 'root',
      approve: ({ approvalId }, signal) => {
        if (approvalId !== 'root:1.1#1') return yes
        asked.resolve(signal)
        return new Promise(() => undefined)
      },
    })
    const signal = await asked.promise
    expect(host.isWaiting('root')).toBe(true)
    await host.decide('root', 'root:1.1#1', yes)
    expect(await run).toMatchObject({ outcome: 'completed' })
    expect([signal.aborted, host.isWaiting('root')]).toEqual([true, false])
  })

  it('a call without a decision for seven days is denied', async () => {
    const store = memory()
    const deeds = noDeeds()
    await (await office(store, { deeds })).run('Lead', 'Go.', { runId: 'root', wait: true })
    const later = { ...systemClock, now: () => Date.now() + 7 * 24 * 3_600_000 }
    const host = await office(store, { deeds, clock: later })
    expect(await host.resume('root', { wait: true })).toMatchObject({ outcome: 'completed' })
    expect(deeds.ran).toEqual(['look', 'look'])
  })

  it('a waiting run does not outlast the ten minutes of an interactive approval', async () => {
    const store = memory()
    const clock = fakeClock()
    const host = await office(store, { deeds: noDeeds(), clock, fields: { agents: [] } })
    const running = host.run('Lead', 'Go.', { approve: () => new Promise(() => undefined) })
    await clock.advance(600_000)
    expect(await running).toMatchObject({ outcome: 'completed' })
  })

  it.each<[string, AgentFields]>([
    ['of which only metadata is kept', { store: 'metadata' }],
    ['that is not kept', { store: 'none' }],
  ])('a run does not wait %s: the call is denied', async (_, fields) => {
    const deeds = noDeeds()
    const host = await office(memory(), { deeds, fields })
    expect(await host.run('Lead', 'Go.', { wait: true })).toMatchObject({ outcome: 'completed' })
    expect(deeds.ran).toEqual(['look', 'look'])
  })
})

describe('a question of a tool', () => {
  /** An agent with one tool, which asks twice. */
  async function asking(effect: ToolDefinition['effect'], store: RunStore): Promise<Host> {
    const choose = defineTool({
      name: 'choose',
      description: 'Chooses.',
      effect,
      execute: async (_args, context) => {
        const room = await context.ask({ question: 'Which room?', choices: ['red', 'blue'] })
        const hour = await context.ask({ question: 'When?' })
        return JSON.stringify([room, hour])
      },
    })
    const host = await createHost({
      cards: [defineAgent({ name: 'One', instruction: 'Ask.', model: 'test/one', functionTools: [choose] })],
      config: false,
      cwd: import.meta.dirname,
      store,
      models: {
        'test/one': scriptedModel((prompt) => {
          const last = prompt.at(-1)
          return last?.role === 'tool'
            ? { text: JSON.stringify(last.content) }
            : { calls: [{ tool: 'choose' }] }
        }),
      },
    })
    onTestFinished(() => host.close())
    return host
  }

  it('a question is stored, and each is asked once over any number of processes', async () => {
    const store = memory()
    const wait = { wait: true } as const
    const waiting = { error: { code: 'run_waiting' } }
    expect(
      await (await asking('idempotent', store)).run('One', 'Go.', { runId: 'root', ...wait }),
    ).toMatchObject(waiting)
    const host = await asking('idempotent', store)
    expect(await host.approvals('root')).toMatchObject([
      {
        approvalId: 'root:1.1#1.1',
        toolName: 'choose',
        asks: { question: 'Which room?', choices: ['red', 'blue'] },
      },
    ])
    await expect(host.decide('root', 'root:1.1#1.1', yes)).rejects.toMatchObject({ code: 'usage_invalid' })
    await host.decide('root', 'root:1.1#1.1', { ...yes, answer: 'blue' })
    expect(await host.resume('root', wait)).toMatchObject(waiting)
    await host.decide('root', 'root:1.1#1.2', { ...yes, answer: 'at nine' })
    const { outcome, output } = await (await asking('idempotent', store)).resume('root', wait)
    expect(outcome).toBe('completed')
    expect(output.text).toContain('blue')
    expect(output.text).toContain('at nine')
    const asked = (await store.events('root')).filter(({ type }) => type === 'approval-request')
    expect(asked).toHaveLength(2)
  })

  it('a question in a `once` tool is not suspended, because the tool could not be called again', async () => {
    const host = await asking('once', memory())
    const { outcome, output } = await host.run('One', 'Go.', { wait: true })
    expect(outcome).toBe('completed')
    expect(output.text).toContain('this run cannot ask questions')
  })

  it('a question that was answered in person is not asked again after a crash', async () => {
    const store = memory()
    const stop = new AbortController()
    const questions: string[] = []
    const host = await asking('read', store)
    await host.run('One', 'Go.', {
      runId: 'root',
      resumable: true,
      signal: stop.signal,
      ask: ({ question }) => {
        questions.push(question)
        if (questions.length === 2) stop.abort()
        return { answered: true, text: 'blue' }
      },
    })
    const ask = ({ question }: { readonly question: string }) => {
      questions.push(question)
      return { answered: true, text: 'at nine' } as const
    }
    expect(await host.resume('root', { ask })).toMatchObject({ outcome: 'completed' })
    expect(questions).toEqual(['Which room?', 'When?', 'When?'])
  })
})

/** Decides after the listeners of the current event have returned. */
async function decideSoon(host: Host, approvalId: string): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  await host.decide('root', approvalId, yes)
}

describe('a run that is interrupted by its signal', () => {
  const CALLS = LEAD[0]?.calls?.length ?? 0

  it('a run that is interrupted by its signal can be resumed if the caller asks for that, and emits an end that is not stored', async () => {
    const store = memory()
    const deeds = noDeeds()
    const host = await office(store, { deeds })
    const stop = new AbortController()
    const { listener, events } = recordEvents()
    const report = await host.run('Lead', 'Go.', {
      runId: 'root',
      resumable: true,
      signal: stop.signal,
      onEvent: listener,
      approve: () => {
        stop.abort()
        return yes
      },
    })
    expect(report).toMatchObject({ outcome: 'cancelled' })
    expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'cancelled', after: expect.any(Number) })
    expect(events.at(-1)?.seq).toBeUndefined()
    expect(typesOf(await store.events('root'))).not.toContain('run-end')
    expect(await store.roots()).toMatchObject([{ open: false }])
    expect(await host.resume('root', { approve: () => yes })).toMatchObject({ outcome: 'completed' })
    const kept = await store.events('root')
    expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index + 1))
    expect(kept.filter(({ type, depth }) => type === 'tool-result' && depth === 0)).toHaveLength(CALLS)
  })

  it('a run that is interrupted by its signal is cancelled otherwise', async () => {
    const store = memory()
    const host = await office(store, { deeds: noDeeds() })
    const signal = AbortSignal.abort()
    await host.run('Lead', 'Go.', { runId: 'root', signal })
    expect(typesOf(await store.events('root')).at(-1)).toBe('run-end')
  })
})
