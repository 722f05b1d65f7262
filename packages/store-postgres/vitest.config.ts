import { project } from '@troupe/tooling/vitest'

export default project('store-postgres', { globalSetup: ['../testkit/src/postgres/global-setup.ts'] })
