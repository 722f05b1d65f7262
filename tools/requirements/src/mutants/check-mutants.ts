import type { Citations } from '../citations.ts'
import { readMutated, type Mutant, type MutantList } from './mutant.ts'

/** Returns what is wrong with the mutants, one line each, without running them. */
export async function checkMutants(
  { mutants, exemptions }: MutantList,
  context: { readonly ids: readonly string[]; readonly citations: Citations; readonly root: string },
): Promise<readonly string[]> {
  const known = new Set(context.ids)
  const proved = new Set(mutants.map(({ id }) => id))
  const problems = [...mutants, ...exemptions].flatMap(({ id }) =>
    known.has(id) ? [] : [`${id} has a mutant and is not in the manifest.`],
  )
  for (const { id } of exemptions) {
    if (proved.has(id)) problems.push(`${id} has both a mutant and a reason why there can be none.`)
  }
  for (const mutant of mutants) problems.push(...(await checkMutant(mutant, context)))
  return problems
}

async function checkMutant(
  mutant: Mutant,
  { citations, root }: { readonly citations: Citations; readonly root: string },
): Promise<readonly string[]> {
  const citing = citations.files.get(mutant.id) ?? []
  const uncited = mutant.tests.filter((test) => !citing.includes(test))
  const problems = uncited.map((test) => `${mutant.id} has a mutant for ${test}, which does not cite it.`)
  try {
    await readMutated(root, mutant)
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    problems.push(thrown.message)
  }
  return problems
}
