import {
  defineAgent,
  NO_PROBLEMS,
  toFailure,
  outcomeOf,
  type Failure,
  type LanguageModel,
  type RunReport,
} from '@troupe/schema'
import type { ModelHandle, ModelPrice } from '@troupe/schema/ports'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import type { EvalTeam } from '../../src/index.ts'

/** Answers of the only model: of the agent, to the last user text, in the call with this number. */
export type Answers = (agent: string, text: string, call: number) => ScriptedStep

/** A team in which every agent makes one model call per run and returns its text. */
export interface FakeTeam extends EvalTeam {
  /** Number of calls that reached the model. */
  readonly calls: number
  readonly isClosed: boolean
}

/** Creates a team of agents with these names. */
export function fakeTeam(
  names: readonly string[],
  answers: Answers,
  { price = { input: 1_000_000, output: 1_000_000 } }: { readonly price?: ModelPrice | null } = {},
): FakeTeam {
  let calls = 0
  let runs = 0
  let isClosed = false
  const definitions = new Map(
    names.map((name) => [name, defineAgent({ name, instruction: `You are ${name}.`, model: 'fake/model' })]),
  )
  const definition = (name = names[0] ?? ''): ReturnType<EvalTeam['definition']> => {
    const found = definitions.get(name)
    if (found === undefined) throw new Error(`no agent ${name}`)
    return found
  }
  const handleOf = (agent: string): ModelHandle => ({
    id: 'fake/model',
    provider: 'fake',
    limiterKey: 'fake',
    ...(price === null ? {} : { price }),
    open: () =>
      scriptedModel((prompt) => {
        calls += 1
        const last = prompt.at(-1)
        const text =
          last?.role === 'user' ? last.content.map((part) => ('text' in part ? part.text : '')).join('') : ''
        return answers(agent, text, calls)
      }),
  })
  return {
    plan: () => ({ agents: names.map((name) => ({ name })) }),
    definition,
    redact: (value) => value,
    async close() {
      isClosed = true
    },
    async run(agent, input, options = {}) {
      const own = definition(agent)
      runs += 1
      const runId = `run_${runs}`
      const handle = handleOf(own.name)
      const caller = { definition: own, runId }
      const model =
        options.interceptor?.openModel?.(handle, caller) ?? handle.open({ agent: own.name, runId })
      const prompt = [
        { role: 'system' as const, content: own.instruction },
        {
          role: 'user' as const,
          content: [
            { type: 'text' as const, text: typeof input === 'string' ? input : JSON.stringify(input) },
          ],
        },
      ]
      try {
        return report(own.name, runId, await textOf(await model.doStream({ prompt })), undefined)
      } catch (thrown) {
        return report(own.name, runId, '', toFailure(thrown))
      }
    },
    get calls() {
      return calls
    },
    get isClosed() {
      return isClosed
    },
  }
}

async function textOf({ stream }: Awaited<ReturnType<LanguageModel['doStream']>>): Promise<string> {
  let text = ''
  for await (const part of stream) if (part.type === 'text-delta') text += part.delta
  return text
}

function report(agent: string, runId: string, text: string, error: Failure | undefined): RunReport {
  const isJson = text.startsWith('{')
  const usage = {
    inputTokens: 10,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 5,
    reasoningTokens: 0,
    cost: 0.001,
    unpriced: [],
    estimated: false,
    modelCalls: 1,
    toolCalls: 0,
  }
  return {
    runId,
    agent,
    outcome: error === undefined ? 'completed' : outcomeOf(error),
    output: {
      format: isJson ? 'json' : 'text',
      text,
      ...(isJson ? { value: JSON.parse(text) as RunReport['output']['value'] & object } : {}),
    },
    ...(error === undefined ? {} : { error }),
    usage: { ...usage, byAgent: {} },
    ...NO_PROBLEMS,
    sessionId: runId,
    durationMs: 3,
    activeMs: 3,
  }
}
