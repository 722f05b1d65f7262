import { isJsonObject, type JsonObject } from '@troupe/schema'
import { type RawCard, type Translation } from '@troupe/cards/formats'
import { mappingOf } from '../rules/field-rule.ts'
import { settingsOfFile } from '../rules/project-settings.ts'

/** Path of the opencode configuration, which may define agents. */
export const OPENCODE_FILE: RegExp = /(?:^|\/)opencode\.jsonc?$/u
/** Keys of an `opencode.json` that hold agents, the older one first. */
export const AGENT_MAPS: readonly ['agent', 'agents'] = ['agent', 'agents']
/** The oldest of these keys. In files with a single agent, `mode` is text. */
const MODES = 'mode'

/** Translates the agents of an `opencode.json`, each with the model, servers and rules of the file. */
export function opencodeAgents(
  card: RawCard,
  translate: (card: RawCard) => Translation,
): readonly Translation[] | undefined {
  const { fields } = card
  if (!holdsAgents(card)) return OPENCODE_FILE.test(card.path) ? [] : undefined
  const translations = agentMaps(card).flatMap((key) =>
    Object.entries(mappingOf(fields[key]))
      .filter(([, agent]) => leftOutReason(mappingOf(agent)) === undefined)
      .map(([name, agent]) => {
        const own: JsonObject = { name, ...withFileDefaults(fields, mappingOf(agent)) }
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

/** Reports the keys and agents of a file that are left out. The first agent carries this report. */
function fileReport(card: RawCard): Translation['report'] {
  const { fields } = card
  const keys = Object.keys(fields).filter((key) => !SHARED_KEYS.has(key))
  const others = agentMaps(card).flatMap((map) =>
    Object.entries(mappingOf(fields[map])).flatMap(([name, agent]) => {
      const reason = leftOutReason(mappingOf(agent))
      return reason === undefined ? [] : [{ key: `${map}.${name}`, status: 'ignored' as const, reason }]
    }),
  )
  return [
    ...keys.map((key) => ({
      key,
      status: 'ignored' as const,
      reason: FILE_REASONS.get(key) ?? 'it is an opencode setting',
    })),
    ...others,
  ]
}

/** Keys of an `opencode.json` that apply to its agents. */
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
  ['$schema', 'only editors use it'],
  ['instructions', 'shared instruction files are not read; write them in the prompts'],
  ['provider', 'API keys come from the environment or from `providers` in troupe.json'],
  ['providers', 'API keys come from the environment or from `providers` in troupe.json'],
  ['command', 'Troupe has no commands'],
  ['commands', 'Troupe has no commands'],
])

/** Returns true for a file with a mapping of agents. */
export function holdsAgents(card: RawCard): boolean {
  return agentMaps(card).some((key) => isJsonObject(card.fields[key]))
}

function agentMaps({ path }: RawCard): readonly string[] {
  return OPENCODE_FILE.test(path) ? [MODES, ...AGENT_MAPS] : AGENT_MAPS
}

/**
 * Returns why an entry is left out: it is disabled, or only changes settings of an agent defined elsewhere,
 * such as a built-in one. `undefined` if it is an agent.
 */
function leftOutReason({ disable, disabled, prompt, system, description }: JsonObject): string | undefined {
  if (disable === true || disabled === true) return 'it is disabled'
  const isAgent = [prompt, system, description].some((text) => text !== undefined && text !== null)
  return isAgent ? undefined : 'it has neither prompt nor description, so it is defined elsewhere'
}

/** Returns the keys of one agent, with the defaults of the file. */
function withFileDefaults({ model, mcp, tools }: JsonObject, agent: JsonObject): JsonObject {
  return {
    ...(model === undefined ? {} : { model }),
    ...(mcp === undefined ? {} : { mcp }),
    ...agent,
    ...(isJsonObject(tools) ? { tools: { ...tools, ...mappingOf(agent['tools']) } } : {}),
  }
}
