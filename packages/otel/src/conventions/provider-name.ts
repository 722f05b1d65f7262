/** Names of the conventions for providers that have another name in Troupe or in the AI SDK. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'aws.bedrock'],
  ['bedrock', 'aws.bedrock'],
  ['azure', 'azure.ai.openai'],
  ['gemini', 'gcp.gemini'],
  ['google', 'gcp.gemini'],
  ['google-vertex', 'gcp.vertex_ai'],
  ['mistral', 'mistral_ai'],
  ['moonshotai', 'moonshot_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['xai', 'x_ai'],
])

/** Returns the name of a provider in the conventions, such as `gcp.gemini`, or its own name. */
export function providerName(provider: string): string {
  const [name = provider] = provider.split('.')
  return NAMES.get(name) ?? name
}

/** Returns a model id without its provider. */
export function modelName(model: string, provider: string): string {
  return model.startsWith(`${provider}/`) ? model.slice(provider.length + 1) : model
}
