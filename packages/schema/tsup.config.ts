import { withNotices } from '@troupe/tooling/third-party-notices'
import { library } from '@troupe/tooling/tsup'

/**
 * Of zod, only what is used goes into the bundle: all of it would be half of the time in which a session starts, and one use of `z.core`
 * brings all of it.
 */
export default library({
  entry: ['src/*.ts'],
  noExternal: [/^zod$/, /^@noble\//],
  ...withNotices(import.meta.dirname),
})
