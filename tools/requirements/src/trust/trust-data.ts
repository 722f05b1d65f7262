import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readFigures, type Figure } from '@troupe/tooling/check/figures'
import * as z from 'zod'
import { collectCitations, type Citations } from '../citations.ts'
import { readManifest } from '../manifest.ts'
import { readMutants, type Mutant } from '../mutants/mutant.ts'
import { readVerdicts, type RecordedVerdicts } from '../mutants/recorded-verdicts.ts'
import { ROOT } from '../readme-files.ts'
import { GUARANTEES, MUTANT_FIGURES, SOAK_FIGURES } from './trust-files.ts'

/** A promise to users, with what proves it. */
export interface Guarantee {
  readonly title: string
  readonly text: string
  /** Ids of the requirements that it rests on. */
  readonly requirements: readonly string[]
  /** Further test files that prove it. */
  readonly tests: readonly string[]
}

const guaranteesSchema: z.ZodType<readonly Guarantee[]> = z.array(
  z.strictObject({
    title: z.string().min(1),
    text: z.string().min(1),
    requirements: z.array(z.string()),
    tests: z.array(z.string()),
  }),
)

/** Everything that the trust page is generated from. */
export interface TrustData {
  readonly guarantees: readonly Guarantee[]
  readonly citations: Citations
  readonly mutants: readonly Mutant[]
  readonly verdicts: RecordedVerdicts
  readonly figures: readonly Figure[]
}

/** Reads the data of the trust page. */
export async function readTrustData(): Promise<TrustData> {
  return {
    guarantees: guaranteesSchema.parse(JSON.parse(await readFile(GUARANTEES, 'utf8'))),
    citations: await collectCitations(ROOT),
    mutants: (await readMutants()).mutants,
    verdicts: await readVerdicts(MUTANT_FIGURES),
    figures: readFigures(SOAK_FIGURES),
  }
}

/** Returns everything that is wrong with the data: unknown requirements, and missing or unproven tests. */
export async function trustProblems({
  guarantees,
  citations,
  figures,
}: TrustData): Promise<readonly string[]> {
  const { requirements, rulings } = await readManifest()
  const ids = new Set([...requirements, ...rulings].map(({ id }) => id))
  const files = new Set([...guarantees.flatMap(({ tests }) => tests), ...figures.map(({ test }) => test)])
  return [
    ...guarantees
      .flatMap((guarantee) => guarantee.requirements)
      .flatMap((id) => {
        if (!ids.has(id)) return [`The requirement ${id} is not in the manifest.`]
        return citations.files.has(id) ? [] : [`No test cites the requirement ${id}.`]
      }),
    ...guarantees
      .filter((guarantee) => guarantee.requirements.length + guarantee.tests.length === 0)
      .map(({ title }) => `Nothing proves "${title}".`),
    ...[...files]
      .filter((file) => !existsSync(join(ROOT, file)))
      .map((file) => `There is no test file ${file}.`),
  ]
}
