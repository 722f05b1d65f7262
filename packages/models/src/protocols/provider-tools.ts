import type { LanguageModelV4ProviderTool } from '@ai-sdk/provider'
import { failure, getOwn, type Failure, type ProviderTool } from '@troupe/schema'
import type { ApiName, ProtocolName } from './protocol-names.ts'

type ToolId = LanguageModelV4ProviderTool['id']

/** Ids of the tools that providers execute themselves, in versions that all of their current models accept. */
const PROVIDER_TOOL_IDS: Readonly<
  Partial<Record<ProtocolName, Readonly<Partial<Record<ProviderTool, ToolId>>>>>
> = {
  openai: { web_search: 'openai.web_search', code_execution: 'openai.code_interpreter' },
  anthropic: {
    web_search: 'anthropic.web_search_20250305',
    web_fetch: 'anthropic.web_fetch_20250910',
    code_execution: 'anthropic.code_execution_20250825',
  },
  google: {
    web_search: 'google.google_search',
    web_fetch: 'google.url_context',
    code_execution: 'google.code_execution',
  },
  xai: { web_search: 'xai.web_search', code_execution: 'xai.code_execution' },
  groq: { web_search: 'groq.browser_search' },
}

/** The protocol and API of a provider. */
interface ProviderProtocol {
  readonly protocol: ProtocolName
  readonly api: ApiName
}

/** Returns the id of a provider's tool, or `undefined` if the provider does not have it. */
export function providerToolId(tool: string, { protocol, api }: ProviderProtocol): ToolId | undefined {
  // Chat Completions has no such tools
  if (protocol === 'openai' && api !== 'responses') return undefined
  return getOwn<ToolId>(PROVIDER_TOOL_IDS[protocol] ?? {}, tool)
}

/** Creates the failure for a tool that the provider of a model does not have. */
export function missingProviderTool(model: string, tool: string): Failure {
  return failure(
    'card_bad_value',
    `providerTools: the provider of ${model} does not execute ${tool}.`,
    'Remove it, use a model of openai or azure (with the API `responses`), anthropic, google, vertex, xai or groq, or a tool of `runtimeTools`.',
  )
}
