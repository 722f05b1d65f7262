import { ENV_OPTION } from '@troupe/env'
import { getOwn } from '@troupe/schema'
import type { ModelContext, ResolveModelOptions } from './model-context.ts'

/** Fills in the defaults of the options. */
export function toContext({
  env = {},
  searched = [ENV_OPTION],
  folder = '.',
  ...rest
}: ResolveModelOptions): ModelContext {
  return {
    ...rest,
    searched,
    folder,
    env: typeof env === 'function' ? (name) => env(name) : (name) => getOwn(env, name),
  }
}
