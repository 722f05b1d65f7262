import { HEADEND_NAMES } from '@troupe/server'
import { expect, it } from 'vitest'
import { HEADEND_FLAGS } from '../src/input/option-choices.ts'

it('troupe serve can disable each protocol of the server', () => {
  expect(HEADEND_FLAGS).toEqual(HEADEND_NAMES)
})
