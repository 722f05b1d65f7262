import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import type { Mutant } from './mutant.ts'
import type { MutantResult } from './run-mutants.ts'

/** The last verdict on each mutant, by {@link mutantKey}. */
export type RecordedVerdicts = Readonly<Record<string, MutantResult['verdict']>>

const verdictsSchema: z.ZodType<RecordedVerdicts> = z.record(
  z.string(),
  z.enum(['killed', 'survived', 'broken', 'not run']),
)

/** Returns the key of a mutant. It changes with the mutation, so that a verdict on another mutation does not count. */
export function mutantKey({
  id,
  file,
  find,
  replace,
}: Pick<Mutant, 'id' | 'file' | 'find' | 'replace'>): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([file, find, replace]))
    .digest('hex')
  return `${id} ${digest.slice(0, 8)}`
}

/** Reads the recorded verdicts. Rejects if the file does not have their form. */
export async function readVerdicts(file: string): Promise<RecordedVerdicts> {
  return verdictsSchema.parse(JSON.parse(await readFile(file, 'utf8')))
}

/** Returns the verdicts with new ones in place of the earlier, and without those on mutants that no longer exist. */
export function updateVerdicts(
  earlier: RecordedVerdicts,
  results: readonly Pick<MutantResult, 'mutant' | 'verdict'>[],
  mutants: readonly Mutant[],
): RecordedVerdicts {
  const all = { ...earlier }
  for (const { mutant, verdict } of results) all[mutantKey(mutant)] = verdict
  const kept = mutants.map(mutantKey).filter((key) => all[key] !== undefined)
  return Object.fromEntries(kept.map((key) => [key, all[key] ?? 'not run']))
}

/** Writes the verdicts. */
export function writeVerdicts(file: string, verdicts: RecordedVerdicts): void {
  writeFileSync(file, `${JSON.stringify(verdicts, undefined, 2)}\n`)
}
