import { describe, expect, it } from 'vitest'
import { deferred } from '../clock/fake-clock.ts'
import { verifies } from '../requirements/verifies.ts'
import { answers, callingScript, endsOf, eventsOf, type ExecutorTests } from './executor-team.ts'

/** Tests the limits that apply to a run tree. */
export function executorLimitContract(tests: ExecutorTests): void {
  describe('limits', () => {
    tests.addAgent('TimedLead', callingScript('Slow', 'Quick'), {
      agents: ['Slow', 'Quick'],
      limits: { childTimeout: 300 },
    })
    tests.addAgent('Slow', () => ({ text: 'never', wait: deferred().promise }))
    tests.addAgent('Quick', answers({ text: 'Quick.' }))
    tests.addAgent('CountedLead', callingScript('Counted', 'Counted', 'Counted', 'Counted'), {
      agents: ['Counted'],
      limits: { maxParallel: 4, maxToolCallsPerTurn: 4, maxRuns: 3 },
    })
    tests.addAgent('Counted', answers({ text: 'Counted.' }))
    tests.addAgent('DeepLead', callingScript('DeepMiddle'), {
      agents: ['DeepMiddle'],
      limits: { maxDepth: 1 },
    })
    tests.addAgent('DeepMiddle', callingScript('DeepClerk'), { agents: ['DeepClerk'] })
    tests.addAgent('DeepClerk', answers({ text: 'Too deep.' }))
    tests.addAgent('FrugalLead', callingScript('Frugal', 'Frugal', 'Frugal'), { agents: ['Frugal'] })
    tests.addAgent('Frugal', answers({ text: 'Said.' }))

    it('a child that exceeds its time is cancelled, and its parent continues', async () => {
      const { run, store } = tests.deployment
      const report = await run('TimedLead', 'Go.')
      expect(report).toMatchObject({
        outcome: 'completed',
        output: { text: 'All done.' },
        problems: [{ agent: 'Slow', code: 'child_timeout' }],
      })
      const events = await store.events(report.runId)
      const results = eventsOf(events, 'tool-result').map(
        ({ childInstance, outcome }) => `${childInstance} ${outcome}`,
      )
      expect(results.toSorted()).toEqual(['Quick[2] completed', 'Slow[1] timeout'])
      expect(endsOf(events)).toEqual(['Quick completed', 'Slow timeout', 'TimedLead completed'])
    })

    it('a run tree starts no more runs than limits.maxRuns of its root run', async () => {
      const { run, store } = tests.deployment
      const report = await run('CountedLead', 'Go.')
      expect(report).toMatchObject({ outcome: 'completed', output: { text: 'All done.' } })
      expect(report.problems.map(({ code }) => code)).toEqual(['runs_exceeded', 'runs_exceeded'])
      expect(endsOf(await store.events(report.runId))).toEqual([
        'Counted completed',
        'Counted completed',
        'CountedLead completed',
      ])
    })

    it('a run tree has no run deeper than limits.maxDepth of its root run', async () => {
      const { run, store } = tests.deployment
      const report = await run('DeepLead', 'Go.')
      expect(report).toMatchObject({ outcome: 'completed', output: { text: 'All done.' } })
      const events = await store.events(report.runId)
      expect(endsOf(events)).toEqual(['DeepLead completed', 'DeepMiddle completed'])
      const refused = eventsOf(events, 'tool-result').filter(({ agent }) => agent === 'DeepMiddle')
      expect(refused).toMatchObject([{ error: { code: 'depth_exceeded' } }])
    })

    it(`the budget of the caller applies to the whole run tree, and is named in the refusal ${verifies('C51')}`, async () => {
      const report = await tests.deployment.run('FrugalLead', 'Go.', { budget: { maxTokens: 50 } })
      expect(report).toMatchObject({ outcome: 'budget', error: { code: 'budget_exceeded' } })
      expect(report.error?.message).toContain('budget.maxTokens of the run (--max-tokens)')
    })
  })
}
