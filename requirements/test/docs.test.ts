import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { verifies } from '@troupe/testkit'
import { expect, it } from 'vitest'

it(`the page of hooks says that they are experimental ${verifies('B5')}`, async () => {
  const page = await readFile(path.join(import.meta.dirname, '../../docs/hooks.md'), 'utf8')
  expect(page).toContain('Status: experimental.')
})
