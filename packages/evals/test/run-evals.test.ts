import { type ScriptedStep } from '@troupe/testkit'
import { fakeClock } from '@troupe/testkit/internal'
import { troupeError } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import {
  createEvalSpending,
  openRecordingFolder,
  runEvals,
  type EvalOptions,
  type EvalRepeat,
  type EvalResult,
} from '../src/index.ts'
import { caseFile } from './support/case-files.ts'
import { fakeTeam, type Answers, type FakeTeam } from './support/fake-team.ts'

const CASES = `
agent: guide
defaults: { repeat: 3 }
cases:
  - { id: hours, input: When?, assert: [{ contains: nine }] }
  - { id: price, input: How much?, assert: [{ contains: euros }] }
`

describe('runEvals', () => {
  it('every case runs as often as it says and is counted', async () => {
    const { result, team } = await evaluate(CASES, (_, text, call) => ({
      text: text === 'When?' ? 'At nine.' : call === 4 ? 'I do not know.' : '5 euros.',
    }))
    const [hours, price] = result.variants[0]?.cases ?? []
    expect(hours?.totals).toMatchObject({ passed: 3, failed: 0, errors: 0, rate: 1 })
    expect(price?.totals).toMatchObject({ passed: 2, failed: 1, modelCalls: { asked: 3, recorded: 0 } })
    expect(result.variants[0]?.totals.usage).toMatchObject({ inputTokens: 60, outputTokens: 30 })
    expect(price?.repeats[0]).toMatchObject({
      index: 0,
      status: 'failed',
      checks: [
        { name: 'contains "euros"', passed: false, gate: true, message: 'the answer is "I do not know."' },
      ],
    })
    expect(team.isClosed).toBe(true)
  })

  it('a failing provider is an error of the repeat and not part of the rate', async () => {
    const { result } = await evaluate(CASES, (_, text): ScriptedStep =>
      text === 'When?'
        ? { error: troupeError('model_overloaded', 'The provider is overloaded.') }
        : { text: '5 euros.' },
    )
    const [hours] = result.variants[0]?.cases ?? []
    expect(hours?.totals).toMatchObject({ passed: 0, failed: 0, errors: 3, rate: null, interval: null })
    expect(hours?.repeats[0]).toMatchObject({ status: 'error', error: { code: 'model_overloaded' } })
  })

  it('a check that does not decide is shown and fails nothing', async () => {
    const { result } = await evaluate(
      'agent: guide\ncases: [{ id: a, input: x, assert: [{ contains: b, gate: false }] }]\n',
      () => ({ text: 'c' }),
    )
    expect(repeatsOf(result)).toMatchObject([{ status: 'passed', checks: [{ passed: false, gate: false }] }])
  })

  it('each model is a variant of its own', async () => {
    const { result } = await evaluate(CASES, () => ({ text: 'nine euros' }), {
      models: ['a/b', 'c/d'],
      repeat: 1,
    })
    expect(result.variants.map(({ model, totals }) => [model, totals.passed])).toEqual([
      ['a/b', 2],
      ['c/d', 2],
    ])
  })

  it('worse cards are called worse than their base', async () => {
    const base = fakeTeam(['guide'], () => ({ text: 'nine euros' }))
    const { result } = await evaluate(CASES, () => ({ text: 'I do not know.' }), {
      base: { name: 'main', openTeam: async () => base },
      repeat: 5,
    })
    expect(result.comparison).toMatchObject({ base: 'main', verdict: 'worse', repeatsNeeded: null })
    expect(result.comparison?.cases).toMatchObject([{ verdict: 'worse' }, { verdict: 'worse' }])
    expect(base.isClosed).toBe(true)
  })

  it('a saved report can be the base', async () => {
    const answers: Answers = () => ({ text: 'nine euros' })
    const { result: report } = await evaluate(CASES, answers)
    const { result } = await evaluate(CASES, answers, { base: { name: 'report.json', report } })
    expect(result.comparison).toMatchObject({ verdict: 'not distinguishable', pValue: 1 })
  })

  it('several models cannot be compared at once', async () => {
    const base = { name: 'main', openTeam: async () => fakeTeam(['guide'], () => ({ text: '' })) }
    const run = evaluate(CASES, () => ({ text: '' }), { base, models: ['a/b', 'c/d'] })
    await expect(run).rejects.toMatchObject({ code: 'eval_invalid' })
  })

  it('the progress counts all runs of both sides', async () => {
    const seen: string[] = []
    await evaluate(CASES, () => ({ text: 'nine euros' }), {
      repeat: 1,
      base: { name: 'main', openTeam: async () => fakeTeam(['guide'], () => ({ text: 'nine' })) },
      onProgress: ({ finished, total, isBase }) => void seen.push(`${finished}/${total} ${isBase}`),
    })
    expect(seen.toSorted()).toEqual(['1/4 true', '2/4 true', '3/4 false', '4/4 false'])
  })

  it('a function of the user checks the whole run', async () => {
    const { result } = await evaluate(
      "agent: guide\ncases: [{ id: a, input: x, assert: [{ javascript: './check.mjs' }, { not-javascript: './check.mjs:broken' }] }]\n",
      () => ({ text: '{"open": 9}' }),
      {},
      {
        'check.mjs':
          'export default ({ output, value, report, id }) => ({ passed: value.open === 9 && report.outcome === "completed" && id === "a", score: 0.5 })\nexport const broken = () => { throw new Error("no") }\n',
      },
    )
    expect(repeatsOf(result)[0]?.checks).toMatchObject([
      { passed: true, score: 0.5 },
      { passed: false, message: 'the check broke: no' },
    ])
  })

  it('a function outside of the folder of the case file is refused', async () => {
    const text = "agent: guide\ncases: [{ id: a, input: x, assert: [{ javascript: '../check.mjs' }] }]\n"
    await expect(evaluate(text, () => ({ text: '' }))).rejects.toMatchObject({ code: 'function_bad_spec' })
  })

  it('a stopped evaluation starts no further run', async () => {
    const { result, team } = await evaluate(CASES, () => ({ text: 'nine' }), { signal: AbortSignal.abort() })
    expect(team.calls).toBe(0)
    expect(result.variants[0]?.totals.errors).toBe(6)
  })
})

describe('the budget of an evaluation', () => {
  it('a call that may exceed the budget is not made, and no further run starts', async () => {
    const spending = createEvalSpending(0.02)
    const { result, team } = await evaluate(
      CASES,
      () => ({ text: 'nine euros', usage: { input: 2000, output: 3000 } }),
      {
        answers: { mode: 'off', spending },
        parallel: 1,
      },
    )
    expect(spending.isExceeded).toBe(true)
    expect(team.calls).toBe(3)
    const codes = repeatsOf(result).flatMap(({ error }) => error?.code ?? [])
    expect(new Set(codes)).toEqual(new Set(['budget_exceeded']))
    expect(result.variants[0]?.totals.errors).toBe(3)
  })

  it('calls wait for calls in progress instead of being refused', async () => {
    const { result } = await evaluate(CASES, () => ({ text: 'nine euros' }), {
      answers: { mode: 'off', spending: createEvalSpending(0.0091) },
      repeat: 2,
      parallel: 4,
    })
    expect(result.variants[0]?.totals.errors).toBe(0)
  })

  it('a model without a price is refused', async () => {
    const { result } = await evaluate(
      CASES,
      () => ({ text: 'nine euros' }),
      { answers: { mode: 'off', spending: createEvalSpending(1) } },
      {},
      null,
    )
    expect(repeatsOf(result)[0]?.error?.code).toBe('model_unpriced')
  })
})

describe('recordings', () => {
  it('a second run asks no model, and one with an edited prompt or more repeats asks only for these', async () => {
    const { file, folder } = await caseFile(CASES)
    const answers = { mode: 'auto', recordings: openRecordingFolder('recordings', folder.path) } as const
    const run = async (
      options: Partial<EvalOptions>,
      names: readonly string[] = ['guide'],
    ): Promise<{ readonly result: EvalResult; readonly team: FakeTeam }> => {
      const team = fakeTeam(names, (_, text, call) => ({ text: `nine euros ${text} ${call}` }))
      const openTeam = async (): Promise<FakeTeam> => team
      return {
        team,
        result: await runEvals({ files: [file], openTeam, clock: fakeClock(), answers, ...options }),
      }
    }
    const first = await run({})
    const second = await run({})
    expect([first.team.calls, second.team.calls]).toEqual([6, 0])
    expect(outputs(second.result)).toEqual(outputs(first.result))
    expect(second.result.variants[0]?.totals.modelCalls).toEqual({ asked: 0, recorded: 6 })
    expect(repeatsOf(second.result).every(({ recorded }) => recorded)).toBe(true)
    const more = await run({ repeat: 4 })
    expect(more.team.calls).toBe(2)
    const strict = await run({ answers: { ...answers, mode: 'strict' }, repeat: 5 })
    expect(strict.team.calls).toBe(0)
    expect(strict.result.variants[0]?.totals).toMatchObject({ passed: 8, errors: 2 })
    const missing = repeatsOf(strict.result).find(({ status }) => status === 'error')
    expect(missing?.error?.code).toBe('recording_missing')
    const off = await run({ answers: { mode: 'off' } })
    expect(off.team.calls).toBe(6)
  })

  it('an answer that was cut off by an error is not recorded', async () => {
    const { file, folder } = await caseFile(
      'agent: guide\ncases: [{ id: a, input: x, assert: [{ contains: y }] }]\n',
    )
    const answers = { mode: 'auto', recordings: openRecordingFolder('recordings', folder.path) } as const
    const run = async (step: ScriptedStep): Promise<FakeTeam> => {
      const team = fakeTeam(['guide'], () => step)
      await runEvals({ files: [file], openTeam: async () => team, clock: fakeClock(), answers })
      return team
    }
    await run({ error: troupeError('model_overloaded', 'busy') })
    await run({
      parts: [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'y' },
      ],
    })
    expect((await run({ text: 'y' })).calls).toBe(1)
    expect((await run({ text: 'y' })).calls).toBe(0)
  })
})

describe('a judge', () => {
  const labels = (yes: number, no: number): string =>
    [
      ...Array.from({ length: yes }, (_, index) => `{ output: good ${index}, verdict: yes }`),
      ...Array.from({ length: no }, (_, index) => `{ output: bad ${index}, verdict: no }`),
    ].join(', ')
  const judged = (calibration: string, gate = true): string => `
agent: guide
${calibration}
cases:
  - id: a
    input: x
    repeat: 2
    assert: [{ type: judge, agent: grader, rubric: Is good., gate: ${gate} }]
`
  const calibrated = (yes: number, no: number): string =>
    judged(`calibration: [{ agent: grader, rubric: Is good., labels: [${labels(yes, no)}] }]`)
  const verdict = (text: string, isStrict: boolean): ScriptedStep => ({
    text: JSON.stringify({
      verdict: text.includes('good 0') && isStrict ? 'no' : text.includes('good') ? 'yes' : 'no',
      reason: 'so',
    }),
  })
  const answers =
    (isStrict: boolean): Answers =>
    (agent, text) =>
      agent === 'grader' ? verdict(text.split('"answer"')[1] ?? '', isStrict) : { text: 'a good answer' }

  it('a judge that agrees with the labels decides, and its agreement is reported', async () => {
    const { result, team } = await evaluate(calibrated(10, 10), answers(true), {}, {}, undefined, [
      'guide',
      'grader',
    ])
    expect(result.judges).toMatchObject([
      { agent: 'grader', labels: 20, agreement: 0.95, sensitivity: 0.9, specificity: 1, isCalibrated: true },
    ])
    expect(result.judges[0]?.interval[0]).toBeCloseTo(0.764, 2)
    expect(repeatsOf(result)).toMatchObject([{ status: 'passed' }, { status: 'passed' }])
    // 20 labels, 2 runs, and one question, because both runs had the same answer
    expect(team.calls).toBe(23)
  })

  it('a judge without enough labels must not decide', async () => {
    const run = evaluate(judged(''), answers(false), {}, {}, undefined, ['guide', 'grader'])
    await expect(run).rejects.toMatchObject({ code: 'judge_uncalibrated' })
    const few = evaluate(calibrated(18, 2), answers(false), {}, {}, undefined, ['guide', 'grader'])
    await expect(few).rejects.toThrow('20 labels for it (18 yes, 2 no)')
  })

  it('a judge without labels may be shown', async () => {
    const { result } = await evaluate(judged('', false), answers(false), {}, {}, undefined, [
      'guide',
      'grader',
    ])
    expect(repeatsOf(result)[0]?.checks).toMatchObject([{ passed: true, gate: false, score: 1 }])
  })

  it('a judge that disagrees with too many labels must not decide', async () => {
    const wrong: Answers = (agent) =>
      agent === 'grader' ? { text: '{"verdict": "yes", "reason": "so"}' } : { text: 'good' }
    const run = evaluate(calibrated(10, 10), wrong, {}, {}, undefined, ['guide', 'grader'])
    await expect(run).rejects.toThrow('agrees with only 10 of 20 labels')
  })

  it('a judge that gives no verdict is an error of the repeat', async () => {
    const broken: Answers = (agent, text, call) =>
      agent === 'grader' && call > 20 ? { text: 'Well.' } : answers(false)(agent, text, call)
    const { result } = await evaluate(calibrated(10, 10), broken, {}, {}, undefined, ['guide', 'grader'])
    expect(repeatsOf(result)[0]).toMatchObject({ status: 'error', error: { code: 'output_schema_mismatch' } })
  })
})

async function evaluate(
  text: string,
  answers: Answers,
  options: Partial<EvalOptions> = {},
  files: Readonly<Record<string, string>> = {},
  price?: null,
  names: readonly string[] = ['guide'],
): Promise<{ readonly result: EvalResult; readonly team: FakeTeam }> {
  const { file } = await caseFile(text, files)
  const team = fakeTeam(names, answers, price === undefined ? {} : { price })
  const openTeam = async (): Promise<FakeTeam> => team
  const result = await runEvals({ files: [file], openTeam, clock: fakeClock(), parallel: 1, ...options })
  return { result, team }
}

function repeatsOf({ variants }: EvalResult): readonly EvalRepeat[] {
  return variants.flatMap(({ cases }) => cases.flatMap(({ repeats }) => repeats))
}

function outputs(result: EvalResult): readonly (string | undefined)[] {
  return repeatsOf(result).map(({ output }) => output)
}
