import path from 'node:path'
import type { TestSpecification, Vitest } from 'vitest/node'

export interface TestChoice {
  /** The files to run. */
  readonly chosen: readonly TestSpecification[]
  /** How many slow files the change can reach that are left out. */
  readonly left: number
  readonly total: number
}

/** Tests that start programs, and tests that take seconds by nature, say so in their name. */
const SLOW = /\.(?:process|slow)\.test\.ts$/u
/** Their quick tests need no socket, and take a good half of a minute together. */
const CORE = /^(?:packages|tools\/requirements)\//u
/** Its quick tests read the files of the repository, so that any change can reach them. */
const ALWAYS = 'requirements'

/**
 * The test files that a change of these files can reach: those which import one of them (Vitest follows the imports, across packages
 * too), and for a file that nobody imports (a card, a fixture) those of its own workspace package. Without a change, the core.
 * Slow ones are left out unless they are asked for or are themselves what changed.
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
