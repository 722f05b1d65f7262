import { withNotices } from '@troupe/tooling/third-party-notices'
import { library } from '@troupe/tooling/tsup'

/**
 * Of zod, only what is used goes into the bundle: all of it would be half of the time in which a session starts
 * (a use of `z.core` would bring in all of it). The door `zod` makes schemas of
 * all kinds for others, by their own zod, and imports `zod/v4`, which stays outside.
 */
export default library({
  entry: ['src/index.ts', 'src/form/index.ts', 'src/json-schema/index.ts', 'src/zod/index.ts'],
  noExternal: [/^zod$/, /^@noble\//],
  ...withNotices(import.meta.dirname),
})
