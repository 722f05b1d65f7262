import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { TroupeError, type LanguageModel } from '@troupe/schema'
import type { ApiName, ProtocolName } from '../protocols/protocol-names.ts'
import { missingProviderTool, providerToolId } from '../protocols/provider-tools.ts'
import { withFeatureErrors } from './with-feature-errors.ts'

type ProviderCallTool = NonNullable<LanguageModelV4CallOptions['tools']>[number]

/** Beginning of the ids that stand for tools of any provider. */
const GENERAL = 'troupe.'

/**
 * Wraps a model to send tools that its provider executes, such as `troupe.web_search`, with the ids of the
 * provider. A call with a tool that the provider does not have, or that its adapter leaves out, fails.
 */
export function withProviderTools(
  model: LanguageModel,
  own: { readonly id: string; readonly protocol: ProtocolName; readonly api: ApiName },
): LanguageModel {
  const checked = withFeatureErrors(model, {}, own.id)
  const modelFor = ({ tools = [] }: LanguageModelV4CallOptions): LanguageModel =>
    tools.some(isProviderTool) ? checked : model
  const mapped = (call: LanguageModelV4CallOptions): LanguageModelV4CallOptions =>
    call.tools?.some(isProviderTool) === true
      ? { ...call, tools: call.tools.map((tool) => mapTool(tool, own)) }
      : call
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (call) => modelFor(call).doGenerate(mapped(call)),
    doStream: (call) => modelFor(call).doStream(mapped(call)),
  }
}

function isProviderTool({ type }: ProviderCallTool): boolean {
  return type === 'provider'
}

function mapTool(
  tool: ProviderCallTool,
  own: { readonly id: string; readonly protocol: ProtocolName; readonly api: ApiName },
): ProviderCallTool {
  if (tool.type !== 'provider' || !tool.id.startsWith(GENERAL)) return tool
  const name = tool.id.slice(GENERAL.length)
  const id = providerToolId(name, own)
  if (id === undefined) throw new TroupeError(missingProviderTool(own.id, name))
  return { ...tool, id }
}
