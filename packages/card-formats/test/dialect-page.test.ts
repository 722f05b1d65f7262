import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withDialectTables } from './dialect-page.ts'

const PAGE = join(import.meta.dirname, '../../../docs/reference/dialects.md')

it('docs/reference/dialects.md holds the fields of every dialect as the adapters have them; `vitest -u` writes them', async () => {
  await expect(withDialectTables(readFileSync(PAGE, 'utf8'))).toMatchFileSnapshot(PAGE)
})
