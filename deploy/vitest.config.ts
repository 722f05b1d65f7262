import { project } from '@troupe/tooling/vitest'

export default project('deploy')
