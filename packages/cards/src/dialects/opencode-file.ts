import { isJsonObject, type JsonObject } from '@troupe/schema'
import type { DialectInput, Translation } from './dialect.ts'
import { mappingOf } from './json-shapes.ts'
import { settingsOfFile } from './project-settings.ts'

/** The file that holds agents beside settings. */
export const OPENCODE_FILE: RegExp = /(?:^|\/)opencode\.jsonc?$/u
/** The keys of an `opencode.json` that hold agents, the older one first. */
export const AGENT_MAPS: readonly ['agent', 'agents'] = ['agent', 'agents']
/** The oldest one, which is a word in files of one agent. */
const MODES = 'mode'

/** The agents of an `opencode.json`, each with the model, the servers and the rules of the file. */
export function opencodeAgents(
  card: DialectInput,
  translate: (card: DialectInput) => Translation,
): readonly Translation[] | undefined {
  const { fields } = card
  if (!holdsAgents(card)) return OPENCODE_FILE.test(card.path) ? [] : undefined
  const translations = agentMaps(card).flatMap((key) =>
    Object.entries(mappingOf(fields[key]))
      .filter(([, agent]) => leftOut(mappingOf(agent)) === undefined)
      .map(([name, agent]) => {
        const own: JsonObject = { name, ...shared(fields, mappingOf(agent)) }
        const translation = translate({
          ...card,
          fields: own,
          project: [...(card.project ?? []), settingsOfFile(card, ['permission', 'permissions'])],
        })
        const isDefault = fields['default_agent'] === name
        return {
          ...translation,
          ...(isDefault ? { fields: { ...translation.fields, default: true } } : {}),
          at: [key, name],
        }
      }),
  )
  const [first, ...others] = translations
  return first === undefined ? [] : [{ ...first, report: [...fileReport(card), ...first.report] }, ...others]
}

/** Keys of a file and agents that are left out, which its first agent is told with. */
function fileReport(card: DialectInput): Translation['report'] {
  const { fields } = card
  const keys = Object.keys(fields).filter((key) => !SHARED_KEYS.has(key))
  const others = agentMaps(card).flatMap((map) =>
    Object.entries(mappingOf(fields[map])).flatMap(([name, agent]) => {
      const reason = leftOut(mappingOf(agent))
      return reason === undefined ? [] : [{ key: `${map}.${name}`, status: 'ignored' as const, reason }]
    }),
  )
  return [
    ...keys.map((key) => ({
      key,
      status: 'ignored' as const,
      reason: FILE_REASONS.get(key) ?? 'it is a setting of opencode',
    })),
    ...others,
  ]
}

/** What an `opencode.json` says of its agents. */
const SHARED_KEYS: ReadonlySet<string> = new Set([
  ...AGENT_MAPS,
  MODES,
  'default_agent',
  'model',
  'mcp',
  'permission',
  'permissions',
  'tools',
])
const FILE_REASONS: ReadonlyMap<string, string> = new Map([
  ['$schema', 'it is for editors'],
  ['instructions', 'files for all agents are not read; write them into the prompts'],
  ['provider', 'keys come from the environment or from `providers` of troupe.json'],
  ['providers', 'keys come from the environment or from `providers` of troupe.json'],
  ['command', 'there are no commands'],
  ['commands', 'there are no commands'],
])

/** True for a file with a mapping of agents. */
export function holdsAgents(card: DialectInput): boolean {
  return agentMaps(card).some((key) => isJsonObject(card.fields[key]))
}

function agentMaps({ path }: DialectInput): readonly string[] {
  return OPENCODE_FILE.test(path) ? [MODES, ...AGENT_MAPS] : AGENT_MAPS
}

/** Why an entry is no agent of the file: it is off, or holds settings of an agent that is defined elsewhere, such as those that opencode brings. */
function leftOut({ disable, disabled, prompt, system, description }: JsonObject): string | undefined {
  if (disable === true || disabled === true) return 'it is off'
  const isAgent = [prompt, system, description].some((text) => text !== undefined && text !== null)
  return isAgent ? undefined : 'it has no prompt and no description, so it is defined elsewhere'
}

/** The keys of one agent, with what the file says of all. */
function shared({ model, mcp, tools }: JsonObject, agent: JsonObject): JsonObject {
  return {
    ...(model === undefined ? {} : { model }),
    ...(mcp === undefined ? {} : { mcp }),
    ...agent,
    ...(isJsonObject(tools) ? { tools: { ...tools, ...mappingOf(agent['tools']) } } : {}),
  }
}
