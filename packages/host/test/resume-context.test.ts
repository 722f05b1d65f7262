import { defineAgent, defineTool, messageText, troupeError, type RunReport } from '@troupe/schema'
import type { LogEntry, RunStore } from '@troupe/schema/ports'
import { scriptedModel, type ScriptedModel } from '@troupe/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { createHost } from '../src/index.ts'
import { recordingStore, storeAfter } from './support/interrupted-team.ts'

const TURNS = 12
/** Characters of a request that the provider takes. */
const WINDOW = 3000

/** A model that reads so often, behind a provider that takes short requests only. `onAnswer` is called for what is paid. */
function shortSighted(onAnswer: () => void): ScriptedModel {
  return scriptedModel((prompt) => {
    if (JSON.stringify(prompt).length > WINDOW)
      return { error: troupeError('context_overflow', 'The request is too long.') }
    onAnswer()
    const left = Number(/(\d+) earlier/u.exec(prompt.map(messageText).join(' '))?.[1] ?? 0) / 2
    const turns = prompt.filter(({ role }) => role === 'assistant').length + left
    return turns >= TURNS ? { text: 'Read.' } : { calls: [{ tool: 'read' }] }
  })
}

/** A host that reads a store, or one that resumes its runs. */
async function read(
  store: RunStore,
  go: 'run' | 'resume',
): Promise<{ readonly report: RunReport; readonly answers: number; readonly summaries: number }> {
  let answers = 0
  const model = shortSighted(() => {
    answers += 1
  })
  const writer = scriptedModel(() => ({ text: 'It read much.' }))
  const host = await createHost({
    cards: [
      defineAgent({
        name: 'Reader',
        instruction: 'Read.',
        limits: { maxTurns: 50 },
        model: 'test/reader',
        context: { strategy: 'summarise', model: 'test/writer', keepTurns: 2 },
        functionTools: [
          defineTool({
            name: 'read',
            description: 'Reads.',
            effect: 'read',
            execute: () => 'lorem '.repeat(60),
          }),
        ],
      }),
    ],
    config: false,
    cwd: import.meta.dirname,
    store,
    models: { 'test/reader': model, 'test/writer': writer },
  })
  onTestFinished(() => host.close())
  const report = await (go === 'run' ? host.run('Reader', 'Go.', { runId: 'root' }) : host.resume('root'))
  return { report, answers, summaries: writer.calls.length }
}

const countKeys = (entries: readonly LogEntry[], start: string): number =>
  entries.filter(({ step }) => step?.key.startsWith(start)).length

it(
  'a resumed run keeps its shortened context and does not pay for the summary again',
  { timeout: 30_000 },
  async () => {
    const { store, entries } = recordingStore()
    const whole = await read(store, 'run')
    expect(whole.report).toMatchObject({ outcome: 'completed', output: { text: 'Read.' } })
    expect(whole.summaries).toBeGreaterThan(1)
    for (let kept = 2; kept < entries.length; kept += 1) {
      const past = entries.slice(0, kept)
      // the last one may have been in flight
      const paid = countKeys(past, 'context:')
      const { report, answers, summaries } = await read(await storeAfter('root', past), 'resume')
      expect(report).toMatchObject({ outcome: 'completed', output: { text: 'Read.' } })
      expect(answers).toBe(whole.answers - countKeys(past, 'llm:'))
      expect(summaries).toBe(whole.summaries - paid)
    }
  },
)
