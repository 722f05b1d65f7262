import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { SOURCES } from '../requirement.ts'

/** A small change of one file that a test which cites the requirement must notice. */
export interface Mutant {
  readonly id: string
  /** From the root of the repository, with slashes. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** The test files that must fail, from the root of the repository. Each cites the id. */
  readonly tests: readonly string[]
  /** `tsc`: the type checker must report an error in the test files. Default: Vitest runs them. */
  readonly by?: 'tsc' | undefined
  /** A remark for the reader, where the mutation is not obvious. */
  readonly note?: string | undefined
}

/** A requirement that no mutation of a file can break. */
export interface Exemption {
  readonly id: string
  /** The reason. */
  readonly none: string
}

/** The content of the mutant files. */
export interface MutantList {
  readonly mutants: readonly Mutant[]
  readonly exemptions: readonly Exemption[]
}

const id = z.string().regex(/^[ABCDR]\d{1,3}$/u)

const mutantSchema: z.ZodType<Mutant> = z
  .strictObject({
    id,
    file: z.string().min(1),
    find: z.string().min(1),
    replace: z.string(),
    tests: z.array(z.string().min(1)).min(1),
    by: z.literal('tsc').optional(),
    note: z.string().min(1).optional(),
  })
  .refine(({ find, replace }) => find !== replace, 'replace is the same as find')

const exemptionSchema: z.ZodType<Exemption> = z.strictObject({ id, none: z.string().min(1) })

const MUTANTS = join(import.meta.dirname, '..', '..', 'mutants')

/** Reads the mutants of every document and of the rulings. Rejects when a file does not have the form of a mutant file. */
export async function readMutants(): Promise<MutantList> {
  const entries: (Mutant | Exemption)[] = []
  for (const name of [...SOURCES.keys(), 'rulings']) {
    const text = await readFile(join(MUTANTS, `${name.toLowerCase()}.json`), 'utf8')
    entries.push(...z.array(z.union([mutantSchema, exemptionSchema])).parse(JSON.parse(text)))
  }
  return {
    mutants: entries.filter((entry) => 'find' in entry),
    exemptions: entries.filter((entry) => 'none' in entry),
  }
}

/** The text of a file before and after a mutation. */
export interface MutatedFile {
  readonly path: string
  readonly original: string
  readonly mutated: string
}

/** Reads the file of a mutant below `root`. Throws a RangeError when the mutation does not apply to it. */
export async function readMutated(root: string, mutant: Mutant): Promise<MutatedFile> {
  const path = join(root, mutant.file)
  try {
    const original = await readFile(path, 'utf8')
    return { path, original, mutated: mutate(original, mutant) }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown
    throw new RangeError(`${mutant.id}: there is no file ${mutant.file}.`, { cause: thrown })
  }
}

/** Returns the text with the mutation applied. Throws when `find` does not occur exactly once. */
export function mutate(text: string, { id: of, file, find, replace }: Mutant): string {
  const count = text.split(find).length - 1
  if (count !== 1) throw new RangeError(`${of}: ${JSON.stringify(find)} occurs ${count} times in ${file}.`)
  return text.replace(find, () => replace)
}
