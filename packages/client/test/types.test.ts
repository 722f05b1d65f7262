import type { RunEvent as SchemaEvent } from '@troupe/schema'
import { expectTypeOf, it } from 'vitest'
import type { RunEvent } from '../src/index.ts'

it('run events of the HTTP API have the same types as those of the schema', () => {
  expectTypeOf<SchemaEvent>().toExtend<RunEvent>()
  expectTypeOf<RunEvent>().toExtend<SchemaEvent>()
})
