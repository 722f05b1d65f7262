export { checkModel, type ModelCheck } from './check-model.ts'
export { LIST_PRICES, listPrice, type ListPrice } from './list-prices.ts'
export type { ModelVariable } from './connection.ts'
export type {
  ModelConfig,
  ModelContext,
  ResolveModelOptions,
  ProviderConfig,
  ProviderPrice,
} from './model-context.ts'
export { parseModelId, type ModelId } from './parse-model-id.ts'
export { providerConfigSchema } from './provider-config.ts'
export { PROVIDER_KEYS, PROVIDER_NAMES } from './provider-table.ts'
export { resolveModel } from './resolve-model.ts'
export { outputNotes } from './structured/output-notes.ts'
export { scriptJsonSchema } from './script/script-json-schema.ts'
export { toolSchema } from './schemas/tool-schema.ts'
export type { ConvertedSchema } from './schemas/convert-schema.ts'
export { toolRefusals } from './tool-rules.ts'
