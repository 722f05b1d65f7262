import { AGENT_KEY_TABLE, type AgentKey } from '../../../packages/schema/src/agents/agent-keys.ts'

const TABLE = /<!-- keys: (?<section>[^>]+) -->\n[\s\S]*?<!-- keys: end -->/gu

/** Returns the page with the tables of card keys between their markers. */
export function withKeyTables(page: string): string {
  const sections = new Set([...AGENT_KEY_TABLE.values()].flatMap(({ docs }) => docs?.section ?? []))
  const written = page.replaceAll(TABLE, (_all, section: string) => {
    if (!sections.delete(section)) throw new Error(`No key of a card is in the section "${section}".`)
    return `<!-- keys: ${section} -->\n\n${keyTable(section)}\n\n<!-- keys: end -->`
  })
  if (sections.size > 0) throw new Error(`The page has no table of ${[...sections].join(', ')}.`)
  return written
}

function keyTable(section: string): string {
  const keys = [...AGENT_KEY_TABLE].filter(([, { docs }]) => docs?.section === section)
  const [ofFile, ofAgent] = [keys.filter(isFileKey), keys.filter((key) => !isFileKey(key))]
  const rows = [...ofAgent, ...ofFile].map(([name, key]) => row(name, key))
  return ['| key | type | default | description |', '|---|---|---|---|', ...rows].join('\n')
}

function isFileKey([, { group }]: readonly [string, AgentKey]): boolean {
  return group === 'file'
}

function row(name: string, { docs, default: preset }: AgentKey): string {
  return `| \`${name}\` | ${docs?.values} | ${docs?.unset ?? defaultText(preset)} | ${docs?.text} |`
}

function defaultText(preset: unknown): string {
  if (preset === undefined) return 'none'
  if (typeof preset === 'string' || typeof preset === 'boolean') return `\`${preset}\``
  const members = Object.entries(preset as object).filter(
    ([, value]) => !Array.isArray(value) || value.length > 0,
  )
  if (members.length === 0) return 'none'
  return `\`{ ${members.map(([key, value]) => `${key}: ${String(value)}`).join(', ')} }\``
}
