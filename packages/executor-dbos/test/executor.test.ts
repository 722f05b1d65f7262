import { executorContract } from '@troupe/testkit/contracts'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { describe } from 'vitest'
import { openDeployment } from './support/cluster.ts'

describe.skipIf(!HAS_POSTGRES)(`the executor on DBOS workers${POSTGRES_NOTE}`, () => {
  executorContract(openDeployment)
})
