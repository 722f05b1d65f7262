import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { createHost } from 'troupe'

/** An answer that matches `findings.schema.json`. */
interface Review {
  readonly findings: readonly {
    readonly file: string
    readonly line: number
    readonly severity: 'high' | 'medium' | 'low'
    readonly topic: string
    readonly message: string
  }[]
}

/** Returns text of a model in one line that controls neither a terminal nor a CI system. */
const oneLine = (text: string): string => stripVTControlCharacters(text).replaceAll(/[\s\p{Cc}]+/gu, ' ')

const [diff] = process.argv.slice(2)
if (diff === undefined) throw new Error('Usage: node review.ts change.diff')
const host = await createHost({ cards: [import.meta.dirname] })
try {
  const { outcome, output, error } = await host.run('review', readFileSync(diff, 'utf8'), {
    budget: { maxTokens: 200_000 },
  })
  // without one of its reviewers, the outcome is `partial`
  if (outcome !== 'completed') throw new Error(`The review is ${outcome}: ${error?.message}`)
  const { findings } = output.value as unknown as Review
  for (const { file, line, severity, topic, message } of findings)
    console.log(`- ${severity} ${topic}: ${oneLine(file)}:${line}: ${oneLine(message)}`)
  console.log(`${findings.length} findings`)
  process.exitCode = findings.some(({ severity }) => severity === 'high') ? 1 : 0
} finally {
  await host.close()
}
