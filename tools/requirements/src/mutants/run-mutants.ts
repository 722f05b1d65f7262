import { createMutationCheckout, type MutationCheckout } from './mutation-checkout.ts'
import type { Mutant } from './mutant.ts'
import { citationPattern, openTestSession, type SessionRun, type TestSession } from './test-session.ts'
import { openTypeSession } from './type-session.ts'

/**
 * The result of one mutant. `killed`: a citing test failed. `survived`: none did. `broken`: the citing tests fail
 * without the mutation, or the mutation does not apply. `not run`: the citing tests were skipped.
 */
export interface MutantResult {
  readonly mutant: Mutant
  readonly verdict: 'killed' | 'survived' | 'broken' | 'not run'
  /** The titles of the tests that failed, or the reason why the mutant is broken. */
  readonly details: readonly string[]
}

/** Options of {@link runMutants}. */
export interface MutantRunOptions {
  /** The root of the repository. It is copied, and never written to. */
  readonly repository: string
  readonly maxWorkers: number
  readonly onResult?: ((result: MutantResult) => void) | undefined
  /** Removes the copy early and rejects. */
  readonly signal?: AbortSignal | undefined
}

/** Applies each mutant in a copy of the repository and runs the tests that must notice it. */
export async function runMutants(
  mutants: readonly Mutant[],
  options: MutantRunOptions,
): Promise<readonly MutantResult[]> {
  const checkout = await createMutationCheckout(options.repository)
  const results: MutantResult[] = []
  const onResult = (result: MutantResult): void => {
    results.push(result)
    options.onResult?.(result)
  }
  const openTests: OpenSession = () => openTestSession(checkout.root, options)
  try {
    for (const { group, open, isFresh } of [
      { group: 'types', open: () => openTypeSession(checkout.root), isFresh: false },
      { group: 'tests', open: openTests, isFresh: false },
      // the page and the programs are built when a session starts
      { group: 'built', open: openTests, isFresh: true },
    ]) {
      const members = mutants.filter((mutant) => groupOf(mutant) === group)
      if (members.length > 0) await runGroup(members, { ...options, onResult }, { checkout, open, isFresh })
    }
  } finally {
    await checkout.remove()
  }
  return results
}

type OpenSession = () => Promise<TestSession>

interface Group {
  readonly checkout: MutationCheckout
  readonly open: OpenSession
  /** Each mutant gets a session of its own. */
  readonly isFresh: boolean
}

function groupOf({ by, tests }: Mutant): 'types' | 'tests' | 'built' {
  if (by === 'tsc') return 'types'
  return tests.some((file) => BUILT.test(file)) ? 'built' : 'tests'
}

/** Test files that use the page, or programs that are bundled for all tests of a package. */
const BUILT = /^tools\/browser-tests\/|\.(?:process|slow)\.test\.ts$/u

/** Runs all tests of a group without a mutation, then each mutant. */
async function runGroup(
  mutants: readonly Mutant[],
  { onResult, signal }: MutantRunOptions,
  { checkout, open, isFresh }: Group,
): Promise<void> {
  const files = [...new Set(mutants.flatMap(({ tests }) => tests))]
  const ids = [...new Set(mutants.map(({ id }) => id))]
  const shared = await open()
  try {
    const baseline = await shared.run(files, ids)
    for (const mutant of mutants) {
      signal?.throwIfAborted()
      const refusal = refusalOf(mutant, baseline) && (await refusalAlone(mutant, shared))
      onResult?.(refusal ?? (await runMutant(mutant, checkout, isFresh ? open : shared)))
    }
  } finally {
    await shared.close()
  }
}

/** Runs the tests of one mutant again without it: one may have failed only because many others ran at the same time. */
async function refusalAlone(mutant: Mutant, session: TestSession): Promise<MutantResult | undefined> {
  return refusalOf(mutant, await session.run(mutant.tests, [mutant.id]))
}

/** Returns a result if the tests of the mutant decide nothing, because they fail or are skipped without it. */
function refusalOf(mutant: Mutant, { tests, errors }: SessionRun): MutantResult | undefined {
  const broken = errors.filter((error) => mutant.tests.some((file) => error.startsWith(file)))
  if (broken.length > 0) return { mutant, verdict: 'broken', details: broken }
  const citing = tests.filter(({ file, title }) => mutant.tests.includes(file) && cites(title, mutant))
  const failed = citing.filter(({ state }) => state === 'failed')
  if (failed.length > 0) {
    return {
      mutant,
      verdict: 'broken',
      details: failed.map(({ title }) => `fails without the mutation: ${title}`),
    }
  }
  const idle = mutant.tests.filter(
    (file) => !citing.some((test) => test.file === file && test.state === 'passed'),
  )
  return idle.length === 0 ? undefined : { mutant, verdict: 'not run', details: idle }
}

async function runMutant(
  mutant: Mutant,
  checkout: MutationCheckout,
  session: TestSession | OpenSession,
): Promise<MutantResult> {
  try {
    const { tests, errors } = await checkout.withMutant(mutant, () => runIn(session, mutant))
    const failed = tests.filter(({ title, state }) => state === 'failed' && cites(title, mutant))
    if (failed.length > 0) return { mutant, verdict: 'killed', details: failed.map(({ title }) => title) }
    return { mutant, verdict: errors.length > 0 ? 'broken' : 'survived', details: errors }
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    return { mutant, verdict: 'broken', details: [thrown.message] }
  }
}

async function runIn(session: TestSession | OpenSession, { file, tests, id }: Mutant): Promise<SessionRun> {
  const opened = typeof session === 'function' ? await session() : session
  try {
    opened.invalidate(file)
    return await opened.run(tests, [id])
  } finally {
    opened.invalidate(file)
    if (opened !== session) await opened.close()
  }
}

function cites(title: string, { id }: Mutant): boolean {
  return citationPattern([id]).test(title)
}
