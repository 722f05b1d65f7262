/**
 * Prints how many texts of the corpus the stock guards flag, by category, on the held-out half. `--tuning` prints the
 * other half, with each text that is judged wrongly. `--write` updates the table in docs/guards.md, `--check` reports
 * whether it is current.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ratesTable, rateTexts, withGuardRates } from './docs/guard-rates.ts'

const file = path.join(import.meta.dirname, '../../docs/guards.md')
const isTuning = process.argv.includes('--tuning')
const texts = rateTexts().filter(({ isHeldOut }) => isHeldOut !== isTuning)
console.log(ratesTable(texts))
if (isTuning)
  for (const { kind, category, text, isFlagged } of texts)
    if (isFlagged !== (kind === 'attack')) console.log(`${kind} (${category}): ${JSON.stringify(text)}`)
if (process.argv.includes('--write')) writeFileSync(file, withGuardRates(readFileSync(file, 'utf8')))
if (process.argv.includes('--check')) {
  const page = readFileSync(file, 'utf8')
  if (withGuardRates(page) !== page) process.exitCode = 1
}
