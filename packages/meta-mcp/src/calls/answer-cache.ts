import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Clock, JsonObject } from '@troupe/schema'
import { canonicalJson, sha256Hex } from '@troupe/schema/json'
import { fillPromptTemplate } from '@troupe/tools/prompt-template'
import type { ExportedTool } from '../tools/exported-tool.ts'

/** Cache of complete answers, for tools whose cards enable it. */
export interface AnswerCache {
  /**
   * Returns the cache key of a call; `undefined` if the tool is not cached. `args` must include the defaults.
   */
  keyOf(tool: ExportedTool, args: JsonObject): string | undefined
  find(key: string): CallToolResult | undefined
  store(key: string, result: CallToolResult, ttl: number): void
}

/** Maximum number of cached answers. The oldest is evicted first. */
const MAX_ANSWERS = 1000

export function createAnswerCache(clock: Pick<Clock, 'now'>): AnswerCache {
  const entries = new Map<string, { readonly result: CallToolResult; readonly until: number }>()
  return {
    keyOf(tool, args) {
      const { cache, subject, wireName } = tool
      if (cache === undefined) return undefined
      const same =
        cache.key === undefined
          ? canonicalJson(args)
          : fillPromptTemplate(cache.key, { subject, args, mode: 'run' })
      return sha256Hex(JSON.stringify([wireName, same]))
    },
    find(key) {
      const found = entries.get(key)
      if (found === undefined) return undefined
      if (found.until > clock.now()) return found.result
      entries.delete(key)
      return undefined
    },
    store(key, result, ttl) {
      entries.delete(key)
      entries.set(key, { result, until: clock.now() + ttl })
      const [oldest] = entries.keys()
      if (entries.size > MAX_ANSWERS && oldest !== undefined) entries.delete(oldest)
    },
  }
}
