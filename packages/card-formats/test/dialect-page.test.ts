import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withDialectTables } from './dialect-page.ts'

const PAGE = join(import.meta.dirname, '../../../docs/reference/dialects.md')

it('docs/reference/dialects.md lists the fields of every dialect (`vitest -u` updates it)', async () => {
  await expect(withDialectTables(readFileSync(PAGE, 'utf8'))).toMatchFileSnapshot(PAGE)
})
