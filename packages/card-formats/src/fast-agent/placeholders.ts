import { release, type } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { JsonObject } from '@troupe/schema'
import type { FieldContext } from '@troupe/cards/formats'
import { isText, mappingOf, textOf } from '../rules/field-rule.ts'
import { projectOf } from './project.ts'

/** The first sentence of the default prompt. */
export const DEFAULT_OPENING = 'You are a helpful AI agent.'

/** The prompt of an agent without one. */
export const DEFAULT_PROMPT: string = [
  DEFAULT_OPENING,
  '{{serverInstructions}}\n{{agentSkills}}\n{{file_silent:AGENTS.md}}\n{{env}}',
  'You may draw Mermaid diagrams in fenced code blocks.',
  '{{model_specific}}',
  'Today is {{currentDate}}.',
].join('\n\n')

/** Placeholders that stand for nothing in Troupe, with the reason. */
const EMPTY: ReadonlyMap<string, string> = new Map([
  ['serverInstructions', 'the instructions of MCP servers are not added to prompts'],
  ['agentSkills', 'Troupe lists the skills of an agent at the end of its prompt'],
  ['agentInternalResources', 'agents have no texts of fast-agent'],
  ['model_specific', 'Troupe has no prompts for particular models'],
  ['pythonVer', 'agents do not run in Python'],
])

/** Placeholders that describe this computer. */
const LOCAL: ReadonlySet<string> = new Set([
  'hostPlatform',
  'workspaceRoot',
  'homeDir',
  'environmentDir',
  'homeAgentCardsDir',
  'homeToolCardsDir',
  'agentCardPath',
  'agentCardDir',
  'env',
])

/** Returns the value of a placeholder; `undefined` for a name that fast-agent does not have, which stays. */
export function builtInValue(name: string, field: FieldContext): string | undefined {
  const { card, rewriter } = field
  const empty = name.startsWith('executionEnvironment') ? 'tools run on this computer' : EMPTY.get(name)
  if (empty !== undefined) {
    rewriter.note({ key: `(prompt) {{${name}}}`, status: 'ignored', reason: empty })
    return ''
  }
  if (LOCAL.has(name) && card.readText === undefined) {
    const reason = 'a card that is not a local file learns nothing about this computer'
    rewriter.note({ key: `(prompt) {{${name}}}`, status: 'ignored', reason })
    return ''
  }
  const { root, home, settings } = projectOf(card)
  switch (name) {
    case 'currentDate':
      return card.now === undefined ? undefined : dateText(card.now)
    case 'hostPlatform':
      return platformText()
    case 'workspaceRoot':
      return root
    case 'homeDir':
    case 'environmentDir':
      return home
    case 'homeAgentCardsDir':
      return join(home, 'agent-cards')
    case 'homeToolCardsDir':
      return join(home, 'tool-cards')
    case 'clientDisplay':
      return 'Troupe'
    case 'agentName':
      return agentName(field)
    case 'agentType':
      return isText(card.fields['type']) ? card.fields['type'] : 'agent'
    case 'agentCardPath':
      return card.path
    case 'agentCardDir':
      return dirname(card.path)
    case 'modelReferences':
      return referencesText(mappingOf(settings['model_references']))
    case 'env':
      return [
        'Environment:',
        `- Workspace root: ${root}`,
        '- Client: Troupe',
        `- Host platform: ${platformText()}`,
      ].join('\n')
    default:
      return undefined
  }
}

/** Returns the operating system and its version. */
export function platformText(): string {
  return `${type()} ${release()}`
}

function agentName({ card }: FieldContext): string {
  const { name } = card.fields
  return (isText(name) ? name.trim() : basename(card.path).replace(/\.[^.]+$/u, '')).replaceAll(' ', '_')
}

function dateText(date: Date): string {
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
}

function referencesText(references: JsonObject): string {
  return Object.entries(references)
    .flatMap(([space, keys]) =>
      Object.entries(mappingOf(keys)).map(([key, model]) => `- $${space}.${key}: ${textOf(model)}`),
    )
    .join('\n')
}
