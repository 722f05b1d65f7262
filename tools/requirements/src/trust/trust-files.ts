import { join } from 'node:path'
import { ROOT } from '../readme-files.ts'

const FOLDER = join(ROOT, 'tools', 'requirements', 'trust')

/** The guarantees of the trust page. */
export const GUARANTEES: string = join(FOLDER, 'guarantees.json')
/** The verdicts on the mutants, which `pnpm mutants --record` writes. */
export const MUTANT_FIGURES: string = join(FOLDER, 'mutants.json')
/** The figures of the last soak, which `pnpm soak` writes. */
export const SOAK_FIGURES: string = join(FOLDER, 'soak.json')
/** The page. */
export const TRUST_PAGE: string = join(ROOT, 'docs', 'trust.md')
