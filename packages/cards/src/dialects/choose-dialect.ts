import { aiAgentDialect } from './ai-agent.ts'
import { claudeCodeDialect } from './claude-code.ts'
import { copilotDialect } from './copilot.ts'
import type { Dialect, DialectInput } from './dialect.ts'
import { dockerAgentDialect } from './docker/docker-agent.ts'
import { fastAgentDialect } from './fast-agent.ts'
import { geminiDialect } from './gemini.ts'
import { gooseDialect } from './goose.ts'
import { opencodeDialect } from './opencode.ts'
import { troupeDialect } from './troupe.ts'
import { tsagentDialect } from './tsagent.ts'

/** The dialects of other products. */
const FOREIGN: readonly Dialect[] = [
  fastAgentDialect,
  aiAgentDialect,
  tsagentDialect,
  claudeCodeDialect,
  opencodeDialect,
  copilotDialect,
  geminiDialect,
  gooseDialect,
  dockerAgentDialect,
]

/** Every dialect, ours first. */
export const DIALECTS: readonly Dialect[] = [troupeDialect, ...FOREIGN]

/** Anything that could be the path of another product's file. */
const OTHER_PATH = /(?:^|\/)(?:\.|opencode\/)|opencode\.jsonc?$|\.(?:ai|agent\.md|chatmode\.md)$/iu

/**
 * The dialect of a card: the one it names with `dialect:`, else the one its path tells, else ours when all keys are ours,
 * else the only one that knows all of them, else the only one of whose shape they are, else ours.
 */
export function chooseDialect(card: DialectInput): Dialect {
  return namedDialect(card) ?? dialectOfPath(card) ?? dialectOfKeys(card)
}

/** The name of the dialect that a path tells by itself; ours for any other. */
export function dialectOfFile(path: string): string {
  const file = path.replaceAll('\\', '/')
  const found =
    FOREIGN.find((dialect) => dialect.isAt(file)) ?? FOREIGN.find((dialect) => dialect.endsLike(file))
  return (found ?? troupeDialect).name
}

/** The name that a card gives with `dialect:`, when no dialect has it. */
export function unknownDialect(card: DialectInput): string | undefined {
  const name = card.fields['dialect']
  return typeof name === 'string' && namedDialect(card) === undefined ? name : undefined
}

/** The values `dialect:` may have. */
export function dialectNames(): readonly string[] {
  return DIALECTS.map((dialect) => dialect.name)
}

/** True for keys and values that one dialect of another product knows, and ours does not, unless the file may hold several agents and has none. */
export function isForeign(card: DialectInput): boolean {
  const dialect = chooseDialect(card)
  return dialect !== troupeDialect && dialect.several?.(card)?.length !== 0
}

function namedDialect(card: DialectInput): Dialect | undefined {
  const name = card.fields['dialect']
  return name === undefined ? undefined : DIALECTS.find((dialect) => dialect.name === name)
}

function dialectOfPath(card: DialectInput): Dialect | undefined {
  const path = card.path.replaceAll('\\', '/')
  if (!OTHER_PATH.test(path)) return undefined
  const inFolder = FOREIGN.find((dialect) => dialect.isAt(path))
  if (inFolder !== undefined) return inFolder
  const ending = FOREIGN.find((dialect) => dialect.endsLike(path))
  return ending === undefined || ending.covers(card) || !troupeDialect.covers(card) ? ending : troupeDialect
}

function dialectOfKeys(card: DialectInput): Dialect {
  if (troupeDialect.covers(card)) return troupeDialect
  const covering = FOREIGN.filter((dialect) => dialect.covers(card))
  const found = covering.length > 0 ? covering : FOREIGN.filter((dialect) => dialect.isMarked(card))
  const [only, ...others] = found
  return only === undefined || others.length > 0 ? troupeDialect : only
}
