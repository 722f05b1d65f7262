import type { Row } from './rows.ts'
import type { SampleOptions } from './sample-options.ts'
import { startNode } from './start-node.ts'

/** The measurements of one round: one of Troupe, and one of each peer in the order of the row. */
export interface Round {
  readonly troupe: number
  readonly peers: readonly number[]
}

/** Time and amount of work of a sample. */
export interface Effort {
  readonly budgetMs: number
  readonly isQuick: boolean
}

const FLAGS = ['--conditions=@troupe/source', '--expose-gc', '--disable-warning=ExperimentalWarning']

/** Measures Troupe, then each peer, each in a fresh process. Rejects if one of them did not do its work. */
export async function runRow(
  { measure, size, quickSize = size, peers }: Row,
  { budgetMs, isQuick }: Effort,
): Promise<Round> {
  const take = async (subject: string): Promise<number> => {
    const options: SampleOptions = { measure, subject, size: isQuick ? quickSize : size, budgetMs }
    const args = [JSON.stringify(options)]
    return Number(await startNode(new URL('./sample.ts', import.meta.url), { flags: FLAGS, args }))
  }
  const troupe = await take('troupe')
  const values: number[] = []
  for (const { subject } of peers) values.push(await take(subject))
  return { troupe, peers: values }
}
