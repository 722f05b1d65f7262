import { expect, it } from 'vitest'
import * as door from '../src/index.ts'

it('exports these names and no others', () => {
  expect(Object.keys(door).toSorted()).toEqual(['RUNTIME_TOOL_NAMES', 'createRuntime', 'loadSkills'])
})
