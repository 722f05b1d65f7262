import { project } from '@troupe/tooling/vitest'

export default project('browser', {
  globalSetup: ['test/support/build-page.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
})
