/** Writes the exports of the package `troupe` into docs/reference/library.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withLibraryExports } from './docs/library-exports.ts'

const root = path.join(import.meta.dirname, '../..')
const file = path.join(root, 'docs/reference/library.md')
writeFileSync(file, withLibraryExports(readFileSync(file, 'utf8'), root))
