import type { Members } from '@troupe/registry'
import type { AgentDefinition } from '@troupe/schema'
import type { TeamMember } from './load-team.ts'

/** Resolves the references of a composition to agents. */
export function membersOf(
  { definition, namesByReference }: TeamMember,
  children: readonly AgentDefinition[],
): Members {
  const byName = new Map(children.map((child) => [child.name, child]))
  const all = (references: readonly (string | AgentDefinition)[] = []): readonly AgentDefinition[] =>
    references
      .flatMap((reference) => namesByReference.get(reference) ?? [])
      .flatMap((name) => byName.get(name) ?? [])
  const one = <K extends string>(key: K, reference: string | undefined): { [P in K]?: AgentDefinition } => {
    const [found] = reference === undefined ? [] : all([reference])
    return (found === undefined ? {} : { [key]: found }) as { [P in K]?: AgentDefinition }
  }
  const { sequence, fanOut, fanIn, generator, evaluator } = definition.composition
  return {
    agents: all(definition.agents),
    sequence: all(sequence),
    fanOut: all(fanOut),
    ...one('fanIn', fanIn),
    ...one('generator', generator),
    ...one('evaluator', evaluator),
  }
}
