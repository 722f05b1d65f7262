/** Writes the tables of built-in providers and of their features into docs/models.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withProviderTables } from './docs/provider-table.ts'

const file = path.join(import.meta.dirname, '../../docs/models.md')
writeFileSync(file, withProviderTables(readFileSync(file, 'utf8')))
