import { isJsonObject, type JsonObject } from '@troupe/schema'
import type { RawCard, Translation } from '@troupe/cards/formats'
import { mappingOf } from '../rules/field-rule.ts'
import { settingsOfFile, withFileReport } from '../rules/project-settings.ts'
import { OPENCODE_SETTINGS } from './opencode-settings.ts'
import { OPENCODE_FILE } from './opencode-tools.ts'

/** Keys of an `opencode.json` that hold agents, the older one first. */
export const AGENT_MAPS: readonly ['agent', 'agents'] = ['agent', 'agents']
/** The oldest of these keys. In files with a single agent, `mode` is text. */
const MODES = 'mode'

/** Keys of an `opencode.json` that hold commands. */
export const COMMAND_MAPS: readonly ['command', 'commands'] = ['command', 'commands']
/** Keys of an `opencode.json` that its agents and commands read. */
const SETTINGS = [
  ...AGENT_MAPS,
  'permission',
  'permissions',
  'provider',
  'providers',
  'enabled_providers',
  'disabled_providers',
  'experimental',
]

type Translate = (card: RawCard) => Translation

/** Translates the agents and commands of an `opencode.json`, each with the model, servers and rules of the file. */
export function opencodeAgents(
  card: RawCard,
  translate: { readonly agent: Translate; readonly command: Translate },
): readonly Translation[] | undefined {
  const { fields } = card
  if (!holdsAgents(card)) return OPENCODE_FILE.test(card.path) ? [] : undefined
  const project = [...(card.project ?? []), settingsOfFile(card, SETTINGS)]
  const entries = [
    ...agentMaps(card).flatMap((key) =>
      Object.entries(mappingOf(fields[key]))
        .filter(([, agent]) => leftOutReason(mappingOf(agent)) === undefined)
        .map(([name, agent]) => ({
          key,
          name,
          own: { name, ...withFileDefaults(fields, mappingOf(agent)) },
        })),
    ),
    ...COMMAND_MAPS.flatMap((key) =>
      Object.entries(mappingOf(fields[key])).map(([name, command]) => ({
        key,
        name,
        own: { ...withFileDefaults(fields, mappingOf(command), ['model', 'mcp']), name: `command:${name}` },
      })),
    ),
  ]
  const translations = entries.map(({ key, name, own }): Translation => {
    const isCommand = COMMAND_MAPS.some((each) => each === key)
    const translation = translate[isCommand ? 'command' : 'agent']({ ...card, fields: own, project })
    const isDefault = !isCommand && fields['default_agent'] === name
    return {
      ...translation,
      ...(isDefault ? { fields: { ...translation.fields, default: true } } : {}),
      at: [key, name],
    }
  })
  return withFileReport(translations, {
    card,
    rules: OPENCODE_SETTINGS,
    addNotes: (rewriter) => {
      for (const map of agentMaps(card))
        for (const [name, agent] of Object.entries(mappingOf(fields[map]))) {
          const reason = leftOutReason(mappingOf(agent))
          if (reason !== undefined) rewriter.note({ key: `${map}.${name}`, status: 'ignored', reason })
        }
    },
  })
}

/** Returns true for a file with a mapping of agents. */
export function holdsAgents(card: RawCard): boolean {
  const maps = OPENCODE_FILE.test(card.path) ? [...agentMaps(card), ...COMMAND_MAPS] : AGENT_MAPS
  return maps.some((key) => isJsonObject(card.fields[key]))
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
function withFileDefaults(file: JsonObject, agent: JsonObject, keys = ['model', 'mcp', 'tools']): JsonObject {
  const { tools } = file
  const shared = keys.filter((key) => key !== 'tools' && file[key] !== undefined)
  return {
    ...Object.fromEntries(shared.map((key) => [key, file[key] ?? null])),
    ...agent,
    ...(keys.includes('tools') && isJsonObject(tools)
      ? { tools: { ...tools, ...mappingOf(agent['tools']) } }
      : {}),
  }
}
