import { defineTool, type RunEvent, type ToolDefinition } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { answers, callingScript, endsOf, eventsOf, type ExecutorTests } from './executor-team.ts'

/** Adds a lead that calls clerks at once. Each clerk calls a tool that needs an approval. */
function addOffice(tests: ExecutorTests, name: string, count: number): { readonly sent: readonly unknown[] } {
  const sent: unknown[] = []
  const send: ToolDefinition = defineTool({
    name: 'send',
    description: 'Sends.',
    input: { type: 'object', properties: { to: { type: 'string' } } },
    execute: ({ to }) => {
      sent.push(to)
      return 'sent'
    },
  })
  const clerk = `${name}Clerk`
  tests.addAgent(`${name}Lead`, callingScript(...Array.from({ length: count }, () => clerk)), {
    agents: [clerk],
  })
  tests.addAgent(clerk, answers({ calls: [{ tool: 'send', args: { to: 'Ada' } }] }, { text: 'Sent.' }), {
    functionTools: [send],
    requiresApproval: ['send'],
  })
  return { sent }
}

/** Tests calls that need an approval. */
export function executorApprovalContract(tests: ExecutorTests): void {
  describe('approvals', () => {
    const suspended = addOffice(tests, 'Suspended', 2)
    const denied = addOffice(tests, 'Denied', 1)
    const dropped = addOffice(tests, 'Dropped', 1)

    it('a run tree is suspended while its children wait for decisions, and continues with each decision', async () => {
      const { run, resume, approvals, decide, store, waitUntilIdle } = tests.deployment
      const waiting = await run('SuspendedLead', 'Go.', { wait: true })
      const { runId } = waiting
      expect(waiting).toMatchObject({ error: { code: 'run_waiting' } })
      await waitUntilIdle()
      const open = await approvals(runId)
      expect(open.map(({ toolName }) => toolName)).toEqual(['send', 'send'])
      const [first = '', second = ''] = open.map(({ approvalId }) => approvalId)
      await decide(runId, first, { decision: 'approved' })
      await expect(decide(runId, first, { decision: 'approved' })).rejects.toMatchObject({
        code: 'approval_unknown',
      })
      expect(await resume(runId, { wait: true })).toMatchObject({ error: { code: 'run_waiting' } })
      await decide(runId, second, { decision: 'denied', reason: 'too late' })
      const received: RunEvent[] = []
      expect(await resume(runId, { wait: true, onEvent: (event) => received.push(event) })).toMatchObject({
        outcome: 'completed',
        output: { text: 'All done.' },
        usage: { modelCalls: 6 },
      })
      expect(suspended.sent).toEqual(['Ada'])
      const events = await store.events(runId)
      expect(received.filter(({ seq }) => seq !== undefined)).toEqual(events)
      for (const type of ['run-start', 'run-end', 'tool-call', 'tool-result'] as const) {
        const ids = eventsOf(events, type).map((event) => `${event.runId} ${event.callId}`)
        expect(new Set(ids).size).toBe(ids.length)
      }
      expect(endsOf(events)).toHaveLength(3)
      const decisions = eventsOf(events, 'approval-result').map(({ decision }) => decision)
      expect(decisions).toEqual(['approved', 'denied'])
    })

    it('a run without a person denies calls that need an approval', async () => {
      const { run, store } = tests.deployment
      const report = await run('DeniedLead', 'Go.')
      expect(report).toMatchObject({ outcome: 'completed', output: { text: 'All done.' } })
      expect(denied.sent).toEqual([])
      const events = await store.events(report.runId)
      const results = eventsOf(events, 'tool-result').map(({ toolName, outcome }) => `${toolName} ${outcome}`)
      expect(results).toEqual(['send denied', 'agent__DeniedClerk completed'])
    })

    it('a suspended run can be cancelled without a decision', async () => {
      const { run, resume, store } = tests.deployment
      const { runId } = await run('DroppedLead', 'Go.', { wait: true })
      expect(await resume(runId, { signal: AbortSignal.abort() })).toMatchObject({ outcome: 'cancelled' })
      expect(endsOf(await store.events(runId))).toEqual(['DroppedClerk cancelled', 'DroppedLead cancelled'])
      expect(dropped.sent).toEqual([])
    })
  })
}
