import type { RunEvent } from '@troupe/schema'
import { leakCheck, recordFigures } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { crashProblems } from './crash/crash-problems.ts'
import { openCrashLab, type CrashLab } from './crash/crash-lab.ts'
import { ROOT } from './crash/crash-team.ts'
import type { CrashTraces } from './crash/crash-traces.ts'
import { createRandom } from './crash/random.ts'
import { useCrashProgram, type Death } from './crash/run-crash.ts'

/** `CRASHES=200` kills so often at random moments, and at every failpoint instead of a sample; `SEED` repeats both. */
const CRASHES = Number(process.env['CRASHES'] ?? 6)
const IS_SOAK = process.env['CRASHES'] !== undefined
const SEED = Number(process.env['SEED'] ?? Date.now() % 100_000)
/** The number of failpoints in a sample. */
const SAMPLE = 12
/** Some ms behind an event: a turn, or a call. */
const LONGEST_MS = 4
/** The number of crashes at once: while one process starts, others work. */
const LANES = 2

useCrashProgram()

describe('a run whose process is killed', () => {
  it(
    'a run that is killed at any write to the store resumes without a difference',
    { timeout: 1_200_000 },
    ({ task }) =>
      inLab(async (lab) => {
        const { points } = lab.undisturbed
        const chosen = IS_SOAK ? points : sampleOf(firstOfEachKind(points), SAMPLE)
        expect(
          await crashAll(
            lab,
            chosen.map((point) => ({ point })),
          ),
          `seed ${SEED}`,
        ).toEqual([])
        recordFigures(task, { 'runs killed at a write to the store and resumed': chosen.length })
        process.stdout.write(`killed at ${chosen.length} of ${points.length} failpoints, seed ${SEED}\n`)
      }),
  )

  it('a run that is killed at any moment resumes without a difference', { timeout: 1_200_000 }, ({ task }) =>
    inLab(async (lab) => {
      const random = createRandom(SEED)
      const { length } = lab.undisturbed.traces.events
      // not behind the last event: by then the process may have ended
      const deaths = Array.from({ length: CRASHES }, () => ({
        seq: Math.floor(random() * (length - 1)),
        afterMs: random() * LONGEST_MS,
      }))
      expect(await crashAll(lab, deaths), `seed ${SEED}`).toEqual([])
      recordFigures(task, { 'runs killed at a random moment and resumed': CRASHES })
      process.stdout.write(`killed ${CRASHES} times at random, seed ${SEED}\n`)
    }),
  )
})

describe('the checker of crashes', () => {
  it('the checker of crashes finds the faults that it looks for', { timeout: 60_000 }, () =>
    inLab(async ({ undisturbed }) => {
      const { traces, report } = undisturbed
      const end = traces.events.length
      const found = (changes: Partial<CrashTraces>, left: CrashTraces = traces): readonly string[] =>
        crashProblems({ left, after: { ...traces, ...changes }, report, undisturbed })
      expect(found({})).toEqual([])
      expect(found({}, { ...traces, events: traces.events.slice(0, -1) })).toEqual([
        `event ${end} (run-end) was emitted and is lost`,
      ])
      expect(found({ events: traces.events.slice(0, -1) })).toEqual([
        `event ${end} (run-end) is another one after the resume`,
        expect.stringMatching(/^missing: run-end run_root/u),
      ])
      expect(found({ paid: new Map([...traces.paid, ['two#1', 2]]) })).toEqual([
        'the turn two#1 was paid 1 times more',
      ])
      for (const effect of traces.effects.keys())
        expect(found({ effects: new Map([...traces.effects, [effect, 2]]) })).toEqual([
          `${effect} took place 1 times, then 1 more`,
        ])
      const twice = traces.events.find(
        ({ type, parentRunId }) => type === 'run-end' && parentRunId !== undefined,
      )
      expect(found({ events: [...traces.events, { ...twice, seq: end + 1 } as RunEvent] })).toEqual([
        expect.stringMatching(/^too many: run-end/u),
      ])
    }),
  )
})

/** Nothing is left behind in this process either. */
async function inLab(work: (lab: CrashLab) => Promise<void>): Promise<void> {
  const leaks = leakCheck()
  const lab = await openCrashLab()
  try {
    await work(lab)
  } finally {
    await lab.close()
  }
  await leaks.assertClean()
}

/** Returns the problems of a crash, with the way the process died. */
async function crashAll(lab: CrashLab, deaths: readonly Death[]): Promise<readonly string[]> {
  const problems: string[] = []
  const left = deaths.values()
  const lanes = Array.from({ length: LANES }, async () => {
    for (const death of left)
      for (const problem of await lab.crash(death)) problems.push(`${JSON.stringify(death)}: ${problem}`)
  })
  await Promise.all(lanes)
  return problems
}

function sampleOf(points: readonly string[], count: number): readonly string[] {
  const random = createRandom(SEED)
  return points
    .map((point) => ({ point, rank: random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, count)
    .map(({ point }) => point)
}

/** Returns the first point of each kind of step or event, in the root run and in a child. */
function firstOfEachKind(points: readonly string[]): readonly string[] {
  const first = new Map<string, string>()
  for (const point of points) {
    const [moment, run, what = ''] = point.split(' ')
    const kind = `${moment} ${run === ROOT} ${run?.startsWith('run_') === true ? what.split(':')[0] : run}`
    if (!first.has(kind)) first.set(kind, point)
  }
  return [...first.values()]
}
