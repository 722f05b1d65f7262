import { project } from '@troupe/tooling/vitest'

/** Without `module`: packages of AWS have files under it that only bundlers can import. */
const conditions = ['@troupe/source', 'node', 'development|production']

export default { ...project('models'), resolve: { conditions }, ssr: { resolve: { conditions } } }
