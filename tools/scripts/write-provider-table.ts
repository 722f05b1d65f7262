/** Writes the table of built-in providers into docs/models.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withProviderTable } from './docs/provider-table.ts'

const file = path.join(import.meta.dirname, '../../docs/models.md')
writeFileSync(file, withProviderTable(readFileSync(file, 'utf8')))
