import { HEADEND_NAMES } from '@troupe/server'
import { expect, it } from 'vitest'
import { HEADEND_FLAGS } from '../src/serve/headend-flags.ts'

it('troupe serve can do without each of the protocols that the server speaks', () => {
  expect(HEADEND_FLAGS).toEqual(HEADEND_NAMES)
})
