import { project } from '@troupe/tooling/vitest'

export default project('crawl', { globalSetup: ['../../packages/testkit/src/postgres/global-setup.ts'] })
