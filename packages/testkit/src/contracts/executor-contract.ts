import type { RunEvent } from '@troupe/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deferred } from '../clock/fake-clock.ts'
import { executorApprovalContract } from './executor-approval-contract.ts'
import { executorLimitContract } from './executor-limit-contract.ts'
import {
  answers,
  callingScript,
  createTeam,
  endsOf,
  eventsOf,
  inputOf,
  type DeployedTeam,
  type Deployment,
  type ExecutorTests,
} from './executor-team.ts'

/**
 * Registers the tests that a host must pass with every executor. `open` is called once, with the agents of all
 * tests. The deployment is closed afterwards.
 */
export function executorContract(open: (team: DeployedTeam) => Promise<Deployment>): void {
  describe('executor contract', () => {
    const { team, ...additions } = createTeam()
    let deployment: Deployment | undefined
    const tests: ExecutorTests = {
      ...additions,
      get deployment() {
        if (deployment === undefined) throw new Error('The deployment is not open.')
        return deployment
      },
    }

    beforeAll(async () => {
      deployment = await open(team)
    })
    afterAll(async () => {
      await deployment?.close()
    })

    eventContract(tests)
    childContract(tests)
    cancellationContract(tests)
    executorLimitContract(tests)
    executorApprovalContract(tests)
    secretContract(tests)
  })
}

const CALL_TEXT_CLERK = { tool: 'agent__TextClerk', args: { text: 'Go.' } }

/** Tests the report of a run tree and its events. */
function eventContract(tests: ExecutorTests): void {
  describe('report and events', () => {
    const clerks = Array.from({ length: 5 }, () => 'EventClerk')
    tests.addAgent('EventLead', callingScript(...clerks), {
      agents: ['EventClerk'],
      limits: { maxParallel: 5, maxToolCallsPerTurn: 5 },
    })
    tests.addAgent('EventClerk', (prompt) => ({ text: `Did ${inputOf(prompt)}.` }))
    const text = Array.from({ length: 40 }, (_, index) => `Satz ${index} für 日本. `)
    tests.addAgent('TextLead', answers({ calls: [CALL_TEXT_CLERK] }, { text }), { agents: ['TextClerk'] })
    tests.addAgent('TextClerk', answers({ text }))
    tests.addAgent('OrderLead', callingScript('OrderClerk'), { agents: ['OrderClerk'] })
    tests.addAgent('OrderClerk', answers({ text: 'Did it.' }))

    it('the follower of a run receives each stored event of the run tree once, in the order of the store', async () => {
      const events: RunEvent[] = []
      const { run, store } = tests.deployment
      const report = await run('EventLead', 'Go.', { onEvent: (event) => events.push(event) })
      const stored = events.filter(({ seq }) => seq !== undefined)
      expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1))
      expect(stored).toEqual(await store.events(report.runId))
      expect(eventsOf(stored, 'run-start')).toHaveLength(6)
      expect(eventsOf(stored, 'run-end')).toHaveLength(6)
      expect(stored.at(-1)).toMatchObject({ type: 'run-end', runId: report.runId })
    })

    it('the follower of a run receives the text of root and child run, in order and before the stored end of each turn', async () => {
      const events: RunEvent[] = []
      await tests.deployment.run('TextLead', 'Go.', { onEvent: (event) => events.push(event) })
      for (const agent of ['TextLead', 'TextClerk']) {
        const own = events.filter((event) => event.agent === agent)
        const start = own.findLastIndex(({ type }) => type === 'text-start')
        const end = own.findLastIndex(({ type }) => type === 'text-end')
        const joined = eventsOf(own.slice(start, end), 'text-delta').map((event) => event.text)
        expect(joined.join('')).toBe(text.join(''))
        expect(own[end]).toMatchObject({ text: text.join('') })
        expect(own.slice(end).map(({ type }) => type)).toEqual(['text-end', 'usage', 'turn-end', 'run-end'])
        expect(own[start - 1]).toMatchObject({ type: 'turn-start' })
      }
      const positions = events.map(({ seq, after }) => seq ?? after ?? 0)
      expect(positions).toEqual(positions.toSorted((a, b) => a - b))
    })

    it('the report of a run has the answer of its root run and the usage of the whole run tree', async () => {
      const report = await tests.deployment.run('EventLead', 'Go.')
      expect(report).toMatchObject({
        agent: 'EventLead',
        outcome: 'completed',
        output: { text: 'All done.' },
        problems: [],
        usage: {
          inputTokens: 70,
          outputTokens: 35,
          modelCalls: 7,
          toolCalls: 5,
          byAgent: {
            EventLead: { inputTokens: 20, outputTokens: 10, modelCalls: 2, toolCalls: 5 },
            EventClerk: { inputTokens: 50, outputTokens: 25, modelCalls: 5, toolCalls: 0 },
          },
        },
      })
      expect(report.error).toBeUndefined()
    })

    it('a run with a child stores the same sequence of events with every executor', async () => {
      const { run, store } = tests.deployment
      const { runId } = await run('OrderLead', 'Go.')
      const events = await store.events(runId)
      expect(events.map(({ instance, type }) => `${instance} ${type}`)).toEqual([
        'OrderLead run-start',
        'OrderLead turn-start',
        'OrderLead usage',
        'OrderLead tool-call',
        'OrderLead tool-start',
        'OrderClerk[1] run-start',
        'OrderClerk[1] turn-start',
        'OrderClerk[1] usage',
        'OrderClerk[1] turn-end',
        'OrderClerk[1] run-end',
        'OrderLead tool-result',
        'OrderLead turn-end',
        'OrderLead turn-start',
        'OrderLead usage',
        'OrderLead turn-end',
        'OrderLead run-end',
      ])
    })
  })
}

/** Tests how children are called and how their results are returned. */
function childContract(tests: ExecutorTests): void {
  describe('children', () => {
    const gates = [deferred(), deferred(), deferred()]
    const allStarted = deferred()
    let started = 0
    const lead = tests.addAgent('ParallelLead', callingScript('Parallel', 'Parallel', 'Parallel'), {
      agents: ['Parallel'],
    })
    tests.addAgent('Parallel', (prompt) => {
      const text = inputOf(prompt)
      started += 1
      if (started === gates.length) allStarted.resolve()
      return { text: `Did ${text}.`, wait: gates[Number(text.slice(1)) - 1]?.promise ?? Promise.resolve() }
    })
    tests.addAgent('FailingLead', callingScript('Failing', 'Working'), { agents: ['Failing', 'Working'] })
    tests.addAgent('Failing', () => ({ error: new TypeError('broken') }), { limits: { maxRetries: 0 } })
    tests.addAgent('Working', answers({ text: 'Fine.' }))

    it('children run in parallel, and their results are returned in the order of the calls', async () => {
      const events: RunEvent[] = []
      const running = tests.deployment.run('ParallelLead', 'Go.', {
        onEvent: (event) => {
          events.push(event)
          // Each end releases the child that was called before it.
          const index = event.type === 'run-end' && /\[(?<n>\d)\]$/u.exec(event.instance)?.groups?.['n']
          if (typeof index === 'string') gates[Number(index) - 2]?.resolve()
        },
      })
      await allStarted.promise
      gates[2]?.resolve()
      expect(await running).toMatchObject({ outcome: 'completed', output: { text: 'All done.' } })
      expect(eventsOf(events, 'run-end').map(({ instance }) => instance)).toEqual([
        'Parallel[3]',
        'Parallel[2]',
        'Parallel[1]',
        'ParallelLead',
      ])
      expect(eventsOf(events, 'tool-call').map(({ args, childInstance }) => [childInstance, args])).toEqual(
        [1, 2, 3].map((n) => [`Parallel[${n}]`, { text: `n${n}` }]),
      )
      const inputs = eventsOf(events, 'run-start').map(({ instance, input }) => `${instance} ${input}`)
      expect(inputs.toSorted()).toEqual([
        'ParallelLead Go.',
        'Parallel[1] n1',
        'Parallel[2] n2',
        'Parallel[3] n3',
      ])
      const results = lead.calls[1]?.prompt.filter(({ role }) => role === 'tool')
      const texts = JSON.stringify(results).match(/Did n\d\./gu)
      expect(texts).toEqual(['Did n1.', 'Did n2.', 'Did n3.'])
    })

    it('a failed child is a failed tool result, and its parent and its siblings continue', async () => {
      const { run, store } = tests.deployment
      const report = await run('FailingLead', 'Go.')
      expect(report).toMatchObject({ outcome: 'completed', output: { text: 'All done.' } })
      expect(report.problems.map(({ agent }) => agent)).toEqual(['Failing'])
      const events = await store.events(report.runId)
      const results = eventsOf(events, 'tool-result').map(
        ({ childInstance, outcome }) => `${childInstance} ${outcome}`,
      )
      expect(results.toSorted()).toEqual(['Failing[1] failed', 'Working[2] completed'])
      expect(endsOf(events)).toEqual(['Failing failed', 'FailingLead completed', 'Working completed'])
    })
  })
}

/** Tests that cancelling a root run ends its run tree. */
function cancellationContract(tests: ExecutorTests): void {
  describe('cancellation', () => {
    const allStarted = deferred()
    let started = 0
    tests.addAgent('CancelledLead', callingScript('Cancelled', 'Cancelled', 'Cancelled'), {
      agents: ['Cancelled'],
    })
    tests.addAgent('Cancelled', () => {
      started += 1
      if (started === 3) allStarted.resolve()
      return { text: 'never', wait: deferred().promise }
    })

    it('cancelling a root run ends all its runs, and each has an end', async () => {
      const { run, store, waitUntilIdle } = tests.deployment
      const stop = new AbortController()
      const running = run('CancelledLead', 'Go.', { signal: stop.signal })
      await allStarted.promise
      stop.abort()
      const report = await running
      expect(report).toMatchObject({ outcome: 'cancelled' })
      await waitUntilIdle()
      const events = await store.events(report.runId)
      expect(endsOf(events)).toEqual([
        'Cancelled cancelled',
        'Cancelled cancelled',
        'Cancelled cancelled',
        'CancelledLead cancelled',
      ])
      expect(events.at(-1)).toMatchObject({ type: 'run-end', runId: report.runId })
    })
  })
}

/** Tests that events have no values of secrets. */
function secretContract(tests: ExecutorTests): void {
  describe('secrets', () => {
    const secret = 'canary-4711-canary'
    const call = { tool: 'agent__SecretClerk', args: { text: `Use ${secret}.` } }
    tests.setVariable('CANARY_TOKEN', secret)
    tests.addAgent('SecretLead', answers({ calls: [call] }, { text: `Used ${secret}.` }), {
      agents: ['SecretClerk'],
      env: ['CANARY_TOKEN'],
    })
    const clerk = tests.addAgent('SecretClerk', (prompt) => ({ text: inputOf(prompt) }), {
      env: ['CANARY_TOKEN'],
    })

    it('no event has the value of a secret, and a child receives the value that its parent passes', async () => {
      const events: RunEvent[] = []
      const { run, store } = tests.deployment
      const report = await run('SecretLead', `Use ${secret}.`, { onEvent: (event) => events.push(event) })
      expect(report).toMatchObject({ outcome: 'completed' })
      expect(clerk.calls.map(({ prompt }) => inputOf(prompt))).toEqual([`Use ${secret}.`])
      expect(JSON.stringify(events)).not.toContain(secret)
      expect(JSON.stringify(await store.events(report.runId))).not.toContain(secret)
      expect(JSON.stringify(report)).not.toContain(secret)
    })
  })
}
