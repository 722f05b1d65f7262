import { project } from '@troupe/tooling/vitest'

export default project('browser', {
  globalSetup: ['test/support/build-page.ts'],
  testTimeout: 180_000,
  hookTimeout: 180_000,
})
