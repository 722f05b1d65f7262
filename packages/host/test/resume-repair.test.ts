import type { LogEntry } from '@troupe/schema/ports'
import { scriptedModel, type ScriptedModel } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { interruptedTeam, noDeeds, recordingStore, storeAfter } from './support/interrupted-team.ts'

const fields = {
  output: { schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
} as const

/** Answers by what stands in the prompt: wrong at first, then right. */
function unsure(): ScriptedModel {
  return scriptedModel((prompt) =>
    prompt.some(({ role }) => role === 'assistant') ? { text: '{"city":"Rome"}' } : { text: 'Rome' },
  )
}

const answersIn = (entries: readonly LogEntry[]): number =>
  entries.filter(({ step }) => step?.key.startsWith('llm:')).length

describe('a run that retries an answer that does not match its schema', () => {
  it('a run that retries its answer resumes from any point without a difference and pays for no answer twice', async () => {
    const { store, entries } = recordingStore()
    const undisturbed = { 'test/planner': unsure(), 'test/worker': unsure() }
    const host = await interruptedTeam(noDeeds(), store, { fields, models: undisturbed })
    const whole = await host.run('Planner', 'Which?', { runId: 'root' })
    expect(whole).toMatchObject({ outcome: 'completed', output: { value: { city: 'Rome' } } })
    for (let kept = 1; kept < entries.length; kept += 1) {
      const past = entries.slice(0, kept)
      const model = unsure()
      const options = { fields, models: { 'test/planner': model, 'test/worker': model } }
      const resumed = await interruptedTeam(noDeeds(), await storeAfter('root', past), options)
      const report = await resumed.resume('root')
      expect({ ...report, durationMs: 0, activeMs: 0 }).toEqual({ ...whole, durationMs: 0, activeMs: 0 })
      expect(model.calls).toHaveLength(2 - answersIn(past))
    }
  })
})
