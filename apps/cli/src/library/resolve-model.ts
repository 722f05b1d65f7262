import { resolveModel as openModel } from '@troupe/models'
import type { ModelHandle } from '@troupe/schema/ports'
import { callerDefaults } from './caller.ts'

/** Options of {@link resolveModel}. */
export interface LibraryModelOptions {
  /** Variables such as provider keys. Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The base of relative paths in the id, such as that of a script. Default: the working folder of the process. */
  readonly folder?: string
}

/**
 * Returns the model with an id such as `anthropic/claude-sonnet-4-5`, for `openSession`. Rejects if the provider is
 * unknown or its key is missing.
 */
export async function resolveModel(id: string, options: LibraryModelOptions = {}): Promise<ModelHandle> {
  const { env, cwd } = callerDefaults()
  return openModel(id, { env: options.env ?? env, folder: options.folder ?? cwd })
}
