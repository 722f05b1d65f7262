import { outputNotes } from '@troupe/models'
import { getOwn, type AgentDefinition } from '@troupe/schema'
import type { CheckContext } from './check-agent.ts'
import { modelContext } from './model-context.ts'

/** Returns notes on how the providers of the models handle the output schema of an agent. */
export function collectOutputNotes(
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
