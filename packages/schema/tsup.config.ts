import { withNotices } from '@troupe/tooling/third-party-notices'
import { library } from '@troupe/tooling/tsup'

/**
 * Of zod, only what is used goes into the bundle: all of it would be half of the time in which a session starts, and one use of `z.core`
 * brings all of it. The entry point `zod` makes schemas of all kinds for others, with their own zod: it imports `zod/v4`, which stays outside.
 */
export default library({
  entry: ['src/index.ts', 'src/json-schema/index.ts', 'src/zod/index.ts'],
  noExternal: [/^zod$/, /^@noble\//],
  ...withNotices(import.meta.dirname),
})
