import { createRestHeadend, type Headend, type HeadendContext } from '@troupe/headends'

type MakeHeadend = (context: HeadendContext) => Headend

/** The protocols that a server speaks: here a new one is added. The key is the name of the headend and of `--no-<name>`. */
const HEADENDS: Readonly<Record<HeadendName, MakeHeadend>> = {
  rest: createRestHeadend,
}

/** A protocol that can be switched off. */
export type HeadendName = 'rest'

/** See {@link HeadendName}. */
export const HEADEND_NAMES: readonly HeadendName[] = Object.keys(HEADENDS) as HeadendName[]

/** Makes the headends but those left out, in the order of the table. */
export function createHeadends(
  context: HeadendContext,
  without: readonly HeadendName[] = [],
): readonly Headend[] {
  return HEADEND_NAMES.filter((name) => !without.includes(name)).map((name) => HEADENDS[name](context))
}
