import { outputNotes } from '@troupe/models'
import { getOwn, type AgentDefinition } from '@troupe/schema'
import type { CheckContext } from './check-agent.ts'
import { modelContext } from './model-context.ts'

/** What becomes of the output schema of an agent at each of its models that a provider answers for, in lines for a person. */
export function noteOutput(
  { output: { schema }, model }: AgentDefinition,
  context: CheckContext,
  hasTools: boolean,
): readonly string[] {
  if (schema === undefined) return []
  const { environment, modelFolder: folder, config } = context
  const { providers } = config.config
  const notes = model
    .filter((id) => getOwn(context.models, id) === undefined)
    .flatMap((id) =>
      outputNotes(id, modelContext(id, { environment, providers, folder }).context, { schema, hasTools }),
    )
  return [...new Set(notes)]
}
