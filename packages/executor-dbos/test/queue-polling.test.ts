import { wfQueueRunner } from '@dbos-inc/dbos-sdk/internal/wfqueue'
import { expect, it } from 'vitest'

it('the installed version of DBOS has the upper limit of the polling interval that workers lower', () => {
  expect(Reflect.get(wfQueueRunner.constructor, 'defaultMaxPollingIntervalMs')).toBeTypeOf('number')
})
