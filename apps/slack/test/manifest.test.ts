import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { SCOPES } from '../src/check-slack.ts'

it('the manifest has the scopes that the check looks for', () => {
  const file = fileURLToPath(new URL('../manifest.json', import.meta.url))
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly oauth_config: { readonly scopes: { readonly bot: readonly string[] } }
  }
  expect(manifest.oauth_config.scopes.bot).toEqual([...SCOPES])
})
