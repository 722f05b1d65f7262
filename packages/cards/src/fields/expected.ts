import { REASONING_LEVELS } from '@troupe/schema'
import type { FieldPath } from './field-path.ts'

const SPEC = 'text of the form `module.ts:function`'
const DURATION = 'a number of ms or text such as "120s" or "5m"'
const SCHEMA = 'a JSON Schema, or the path of a JSON file that holds one'

/**
 * Descriptions of expected values, where the schema only has a list of alternatives. `*` is any key or index.
 */
const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['reasoning', `one of ${REASONING_LEVELS.join(', ')}, or a number of tokens`],
  ['minRating', 'a rating such as `GOOD`, or a number'],
  ['version', 'text of the form `1.4.0` (semver)'],
  ['model', 'text such as `openai/gpt-5-mini`, or a list of such texts'],
  ['tools', 'a list of names, a mapping of servers to lists of names, or of names to true or false'],
  ['agents.*', 'the name or the path of an agent'],
  ['functionTools.*', `${SPEC}, or a mapping with it as \`use\``],
  ['toolHooks.*', `${SPEC}, the name of a stock hook, or a mapping with \`use\``],
  ['loopHooks.*', SPEC],
  ['input.schema', SCHEMA],
  ['output.schema', SCHEMA],
  ['acquire', '`fresh` or `{pool: N}`'],
  ['toolPrefix', 'true, false or text'],
  ['mcpServers.*.requiresApproval', 'true, false or a list of tool names'],
  ['mcpServers.*.toolTimeout', DURATION],
  ['exports.tools.*.parameters', 'a JSON Schema'],
])

/**
 * Returns a description of the value expected at a path, or `undefined` if the schema describes it well
 * enough.
 */
export function expectedAt(path: FieldPath): string | undefined {
  if (path.length === 2 && path[0] === 'limits' && /timeout$/iu.test(String(path[1]))) return DURATION
  for (const [pattern, words] of EXPECTED) if (isMatch(pattern.split('.'), path)) return words
  return undefined
}

function isMatch(pattern: readonly string[], path: FieldPath): boolean {
  return (
    pattern.length === path.length && pattern.every((step, index) => step === '*' || step === path[index])
  )
}
