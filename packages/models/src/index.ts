export { checkModel, outputNotes, unsupportedProviderTool, type ModelCheck } from './resolve/check-model.ts'
export { LIST_PRICES, listPrice, type KnownPrice, type ListPrice } from './resolve/list-prices.ts'
export type { ModelVariable } from './resolve/connection.ts'
export type {
  ModelConfig,
  ModelContext,
  ResolveModelOptions,
  ProviderConfig,
  ProviderPrice,
} from './config/model-context.ts'
export { parseModelId, type ModelId } from './resolve/parse-model-id.ts'
export { providerConfigSchema } from './config/provider-config.ts'
export { PROVIDER_KEYS, PROVIDER_NAMES } from './providers/provider-table.ts'
export { providerProblem, type ProviderProblem } from './resolve/provider-entry.ts'
export { embeddingModelProblem, resolveEmbeddingModel } from './resolve/resolve-embedding.ts'
export { resolveModel } from './resolve/resolve-model.ts'
export { openScript } from './script/open-script.ts'
export { parseScript } from './script/parse-script.ts'
export { scriptJsonSchema, scriptSchema, type ModelScript } from './script/script-schema.ts'
export { toolSchema, toolRefusals } from './schemas/tool-schema.ts'
export type { ConvertedSchema } from './schemas/convert-schema.ts'
