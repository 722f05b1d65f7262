import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { errorMessage, type JsonObject } from '@troupe/schema'
import { configSchema, knownConfigKeys, type TroupeConfig } from './config-schema.ts'
import { findConfig } from './find-config.ts'
import { issueTexts } from './issue-text.ts'
import { planError } from './plan-problem.ts'
import type { PlanProblem } from './plan-types.ts'

/** The configuration of a host and where it was written. With problems it is empty. */
export interface LoadedConfig {
  readonly config: TroupeConfig
  /** The file; none: it was given as a value, or there is none. */
  readonly file?: string
  /** Relative paths in it resolve against this folder. */
  readonly folder: string
  readonly problems: readonly PlanProblem[]
}

/** Finds, reads and checks the configuration. Never throws: what is wrong is a problem `config_invalid` that names file and key. */
export function readConfig(options: {
  readonly config?: string | JsonObject | false | undefined
  readonly from: string
  readonly cwd: string
  readonly home?: string | undefined
}): LoadedConfig {
  const { config, from, cwd, home } = options
  if (config === false) return { config: {}, folder: cwd, problems: [] }
  if (typeof config === 'object') return check(config, { folder: cwd })
  const file =
    config === undefined
      ? findConfig({ from, cwd, ...(home === undefined ? {} : { home }) })
      : resolve(cwd, config)
  if (file === undefined) return { config: {}, folder: cwd, problems: [] }
  return readFile(file)
}

interface Place {
  readonly file?: string
  readonly folder: string
}

function readFile(file: string): LoadedConfig {
  const place = { file, folder: dirname(file) }
  try {
    return check(JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/u, '')), place)
  } catch (thrown) {
    return broken([errorMessage(thrown)], place)
  }
}

function check(value: unknown, place: Place): LoadedConfig {
  const parsed = configSchema.safeParse(value)
  if (parsed.success) return { ...place, config: parsed.data, problems: [] }
  return broken(
    parsed.error.issues.flatMap((issue) => issueTexts(issue, knownConfigKeys)),
    place,
  )
}

function broken(messages: readonly string[], place: Place): LoadedConfig {
  const { file } = place
  const problems = messages.map((message) =>
    planError(
      'config_invalid',
      `${file ?? 'The configuration'}: ${message}`,
      file === undefined ? {} : { file },
    ),
  )
  return { ...place, config: {}, problems }
}
