import path from 'node:path'
import type { TestSpecification, Vitest } from 'vitest/node'

export interface TestChoice {
  /** The files to run. */
  readonly chosen: readonly TestSpecification[]
  /** The number of slow files that the change can reach but that are skipped. */
  readonly left: number
  readonly total: number
}

/** The file names of tests that start programs or take seconds. */
const SLOW = /\.(?:process|slow)\.test\.ts$/u
/** Projects whose quick tests open no sockets and take about half a minute together. */
const CORE = /^(?:packages|tools\/requirements)\//u
/** The project whose quick tests read the files of the repository, so that any change can reach them. */
const ALWAYS = 'requirements'

/**
 * Returns the test files that a change can reach: those that import a changed file, directly or not, and for files that no module imports,
 * such as cards, the tests of their workspace package. Without changes, returns the tests of the packages. Slow tests are skipped unless
 * `slow` is set or they changed themselves.
 */
export async function chooseTests(
  vitest: Vitest,
  changed: readonly string[],
  { slow }: { readonly slow: boolean },
): Promise<TestChoice> {
  const all = await vitest.globTestSpecifications()
  const reached =
    changed.length === 0
      ? all.filter(({ moduleId }) => CORE.test(path.relative(vitest.config.root, moduleId)))
      : await reachedTests(vitest, all, changed)
  const chosen = reached.filter(({ moduleId }) => slow || !SLOW.test(moduleId) || changed.includes(moduleId))
  return { chosen, left: reached.length - chosen.length, total: all.length }
}

async function reachedTests(
  vitest: Vitest,
  all: readonly TestSpecification[],
  changed: readonly string[],
): Promise<readonly TestSpecification[]> {
  const importing = new Set((await vitest.getRelevantTestSpecifications()).map(({ moduleId }) => moduleId))
  const data = changed.filter((file) => !/\.[cm]?tsx?$/u.test(file))
  return all.filter(
    ({ moduleId, project }) =>
      importing.has(moduleId) ||
      (project.name === ALWAYS && !SLOW.test(moduleId)) ||
      data.some((file) => file.startsWith(project.config.root + path.sep)),
  )
}
