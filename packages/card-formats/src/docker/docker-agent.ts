import { isJsonObject } from '@troupe/schema'
import { type RawCard, type Translation } from '@troupe/cards/formats'
import { mappingOf } from '../rules/json-shapes.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import { settingsOfFile } from '../rules/project-settings.ts'
import { DOCKER_FILE_KEYS, fileReport, RUN_KEYS, SHARED } from './docker-file.ts'
import { DOCKER_RULES } from './docker-rules.ts'
import { findReturningHandoffs, withoutReturning } from './returning-handoffs.ts'
import { putPermissions } from './put-permissions.ts'
import { putPromptFiles } from './put-prompt-files.ts'

const OWN_KEYS = ['instruction', 'model', 'toolsets', 'sub_agents']

/** Card format of docker-agent: one YAML file per team. */
export const dockerAgentFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'docker-agent',
  product: 'docker-agent',
  pathPatterns: ['*.yaml'],
  rules: DOCKER_RULES,
  tools: 'none',
  hasUniqueShape: ({ fields }) =>
    isJsonObject(fields['agents']) &&
    Object.values(fields['agents']).every(
      (agent) => isJsonObject(agent) && OWN_KEYS.some((key) => Object.hasOwn(agent, key)),
    ),
  acceptsValues: ({ fields, body }) => body === undefined && isJsonObject(fields['agents']),
  fileKeys: DOCKER_FILE_KEYS,
  afterKeys: (field) => {
    putPromptFiles(field)
    putPermissions(field)
  },
  several,
})

/** Translates every agent of the file. The one named `root`, else the first, is the entry. */
function several(card: RawCard): readonly Translation[] | undefined {
  const { agents } = card.fields
  if (!isJsonObject(agents)) return undefined
  const names = Object.keys(agents)
  const entry = names.includes('root') ? 'root' : names[0]
  const backs = findReturningHandoffs(agents, entry)
  return names.map((name) => {
    const isEntry = name === entry
    const agent = mappingOf(agents[name])
    const back = backs.get(name)
    const keys = [...SHARED, ...(isEntry ? RUN_KEYS : [])]
    const shared = Object.fromEntries(
      keys.flatMap((key) => (key in card.fields ? [[key, card.fields[key] ?? null]] : [])),
    )
    const fields = {
      ...shared,
      ...agent,
      ...(back === undefined ? {} : { handoffs: withoutReturning(agent['handoffs'] ?? [], back) }),
      // Other agents refer to it by its key.
      name,
      ...(isEntry && names.length > 1 ? { default: true } : {}),
    }
    const translation = dockerAgentFormat.translate({
      ...card,
      fields,
      project: [...(card.project ?? []), settingsOfFile(card, ['permissions'])],
    })
    const report = [
      ...translation.report,
      ...[...(back ?? [])].map(([place, to]) => ({
        key: `handoffs.${place}`,
        status: 'ignored' as const,
        reason: `the answer goes back to ${to} by itself`,
      })),
      ...(isEntry ? fileReport(card.fields) : []),
    ]
    return { ...translation, report, at: ['agents', name] }
  })
}
