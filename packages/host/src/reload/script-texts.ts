import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseModelId } from '@troupe/models'
import type { CheckedAgent } from '../check/check-agent.ts'

/** The files of the scripts that play the models of an agent. */
export function scriptFiles({
  member,
  modelFolder,
}: Pick<CheckedAgent, 'member' | 'modelFolder'>): readonly string[] {
  return member.definition.model.flatMap((id) => {
    const { provider, name } = parseModelId(id)
    return provider === 'script' ? [resolve(modelFolder, name)] : []
  })
}

/** The scripts of a team as they are now, by file. */
export function scriptTexts(agents: Iterable<CheckedAgent>): ReadonlyMap<string, string> {
  const files = new Set([...agents].flatMap(scriptFiles))
  return new Map([...files].flatMap((file) => textOf(file).map((text) => [file, text] as const)))
}

function textOf(file: string): readonly string[] {
  try {
    return [readFileSync(file, 'utf8')]
  } catch {
    // the model that it plays says what is wrong
    return []
  }
}
