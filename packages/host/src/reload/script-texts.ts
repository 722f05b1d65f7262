import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseModelId } from '@troupe/models'
import type { CheckedAgent } from '../check/check-agent.ts'

/** Returns the files of the scripted models of an agent. */
export function scriptFiles({
  member,
  modelFolder,
}: Pick<CheckedAgent, 'member' | 'modelFolder'>): readonly string[] {
  return member.definition.model.flatMap((id) => {
    const { provider, name } = parseModelId(id)
    return provider === 'script' ? [resolve(modelFolder, name)] : []
  })
}

/** Reads the scripts of a team by file. Scripts in `known` are not read again. */
export function scriptTexts(
  agents: Iterable<CheckedAgent>,
  known: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const files = new Set([...agents].flatMap(scriptFiles))
  const wanted = [...files].filter((file) => !known.has(file))
  return new Map([...known, ...wanted.flatMap((file) => textOf(file).map((text) => [file, text] as const))])
}

function textOf(file: string): readonly string[] {
  try {
    return [readFileSync(file, 'utf8')]
  } catch {
    // The scripted model reports the error.
    return []
  }
}
