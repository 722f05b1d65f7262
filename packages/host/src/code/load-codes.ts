import { preloadAgents } from '@troupe/registry'
import type { HostOptions } from '../host-types.ts'
import type { Team } from '../team/load-team.ts'
import { hasCode, loadCode, type CodeOptions, type LoadedCode } from './load-code.ts'

/** Loads the code of all agents that have some, by agent name. */
export async function loadCodes(
  { members }: Team,
  { options, ...code }: CodeOptions & { readonly options: HostOptions },
): Promise<ReadonlyMap<string, LoadedCode>> {
  const bringing = [...members.values()].filter(({ definition }) => hasCode(definition))
  if (bringing.length === 0) return new Map()
  options.beforeCode?.()
  const definitions = bringing.map((member) => member.definition)
  return new Map(
    await preloadAgents(definitions, async ({ name }) => {
      const member = members.get(name)
      return member === undefined ? [] : [[name, await loadCode(member, code)] as const]
    }),
  )
}
