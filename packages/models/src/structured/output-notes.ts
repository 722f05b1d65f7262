import type { JsonObject } from '@troupe/schema'
import { relaxationText } from '@troupe/schema/json-schema'
import type { ModelContext } from '../model-context.ts'
import { planModel } from '../model-plan.ts'
import { parseModelId } from '../parse-model-id.ts'
import { PROVIDERS } from '../provider-table.ts'
import { answerForm } from './answer-form.ts'
import { providerSchema } from './provider-schema.ts'

/**
 * Describes how a model's provider limits the schema of an answer, one line each. Empty if it accepts the
 * schema unchanged.
 */
export function outputNotes(
  id: string,
  context: ModelContext,
  call: { readonly schema: JsonObject; readonly hasTools: boolean },
): readonly string[] {
  // embedded models accept every schema, and planning one would read its file
  if (!PROVIDERS.has(parseModelId(id).provider ?? '')) return []
  const { provider = '', source } = planModel(id, context)
  if (source?.kind !== 'provider') return []
  const form = source.structured ?? answerForm({ provider, name: source.modelName }, call)
  if (form === 'tool') return [`${id} gives its answer as the arguments of the tool final_answer`]
  const { strict, relaxations } = providerSchema(provider, call.schema)
  return relaxations.map((one) =>
    strict
      ? `${provider} does not enforce ${relaxationText(one)}`
      : `${provider} does not enforce the schema, as ${one.why}`,
  )
}
