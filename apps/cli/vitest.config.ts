import { project } from '@troupe/tooling/vitest'

export default project('cli', {
  globalSetup: ['../../packages/testkit/src/postgres/global-setup.ts', 'test/bundle-program.ts'],
})
