import { project } from '@troupe/tooling/vitest'

export default project('server', { globalSetup: ['../../packages/testkit/src/postgres/global-setup.ts'] })
