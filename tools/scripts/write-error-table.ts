/** Writes the table of error codes into docs/errors.md. With `--check` it only reports whether the table is current. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withErrorTable } from './docs/error-table.ts'

const file = path.join(import.meta.dirname, '../../docs/errors.md')
const page = readFileSync(file, 'utf8')
const current = withErrorTable(page)

if (page === current) console.log('docs/errors.md is current.')
else if (process.argv.includes('--check')) {
  console.error('docs/errors.md is out of date: run `node tools/scripts/write-error-table.ts`.')
  process.exitCode = 1
} else {
  writeFileSync(file, current)
  console.log('docs/errors.md was written.')
}
