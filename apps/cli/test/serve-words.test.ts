import { HEADEND_NAMES } from '@troupe/server'
import { expect, it } from 'vitest'
import { HEADEND_WORDS } from '../src/serve/headend-words.ts'

it('troupe serve can do without each of the protocols that the server speaks', () => {
  expect(HEADEND_WORDS).toEqual(HEADEND_NAMES)
})
