/** Writes the tables of card keys into docs/cards.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withKeyTables } from './docs/key-tables.ts'

const file = path.join(import.meta.dirname, '../../docs/cards.md')
writeFileSync(file, withKeyTables(readFileSync(file, 'utf8')))
