import { project } from '@troupe/tooling/vitest'

export default project('executor-dbos', {
  globalSetup: ['../testkit/src/postgres/global-setup.ts', 'test/support/bundle-worker.ts'],
})
