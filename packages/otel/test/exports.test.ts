import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/otel exports exactly the documented names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual(['openOtlpTracer', 'traceEvents'])
})
