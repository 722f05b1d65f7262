import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SCHEMA_VERSION } from '../../../packages/store/src/sqlite/schema.ts'
import { ROOT } from '../src/readme-files.ts'

it('the page about versions names the format of SQLite files that this version writes, and the versions of Node', async () => {
  const page = await readFile(join(ROOT, 'docs/versions.md'), 'utf8')
  expect(page).toContain(`opens 1 to ${SCHEMA_VERSION}, writes ${SCHEMA_VERSION} |`)
  const { engines } = JSON.parse(await readFile(join(ROOT, 'apps/cli/package.json'), 'utf8')) as {
    readonly engines: { readonly node: string }
  }
  const [, oldest = ''] = /^>=(\d+\.\d+)$/u.exec(engines.node) ?? []
  expect(page).toContain(`| Node ${oldest.split('.')[0]} (${oldest} or later), 24, 26 |`)
})
