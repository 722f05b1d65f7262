import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { OtherFile } from '@troupe/cards/formats'

const NEW_CARD = 'Make a card with `troupe new NAME`'
const COMMAND = {
  fix: `Commands are read only in the folder \`commands\` of a project or plugin. ${NEW_CARD}, put the prompt below its front matter, and list its tools in \`runtimeTools\` and \`tools\`.`,
}

/** Keys of commands and skills, in Claude Code and elsewhere. */
const COMMAND_KEYS: ReadonlySet<string> = new Set(
  [
    ['name', 'description', 'when_to_use', 'argument-hint', 'arguments', 'disable-model-invocation'],
    ['user-invocable', 'allowed-tools', 'disallowed-tools', 'model', 'effort', 'context', 'agent', 'hooks'],
    ['paths', 'shell', 'subtask', 'license', 'compatibility', 'metadata', 'version'],
  ].flat(),
)
/** Keys that mark a file as a command or skill, if all its other keys are those of commands too. */
const ONLY_COMMAND_KEYS = [
  'argument-hint',
  'allowed-tools',
  'disable-model-invocation',
  'user-invocable',
  'when_to_use',
]

/** Files of other products that are often taken for agents. */
export const OTHER_FILES: readonly OtherFile[] = [
  {
    what: 'a TOML file',
    fix: `TOML is read only as \`.codex/config.toml\`, in \`.codex/agents\` and in \`.gemini/commands\`. ${NEW_CARD}, and put the instructions below its front matter.`,
    path: /^(?!(?:.*\/)?(?:\.codex\/(?:agents\/|config\.toml$)|\.gemini\/commands\/)).*\.toml$/iu,
  },
  { what: 'a Claude Code command or skill, not an agent', isLike: isCommand, ...COMMAND },
  {
    what: 'an A2A agent card, which describes a remote agent',
    fix: 'This version cannot call remote agents.',
    isLike: isA2aCard,
  },
  {
    what: 'a CrewAI file (tasks.yaml)',
    fix: 'Name the file with the agents instead, `agents.yaml`. The tasks beside it are read with it.',
    isLike: (fields) => membersHaveKeys(fields, ['description', 'expected_output']),
  },
]

function isCommand(fields: JsonObject, { body }: { readonly body: string | undefined }): boolean {
  const keys = Object.keys(fields)
  return (
    body !== undefined &&
    ONLY_COMMAND_KEYS.some((key) => Object.hasOwn(fields, key)) &&
    keys.every((key) => COMMAND_KEYS.has(key))
  )
}

function isA2aCard(fields: JsonObject): boolean {
  const { instruction, skills, capabilities } = fields
  const hasSkills = Array.isArray(skills) && isJsonObject(capabilities)
  const isVersioned = ['protocolVersion', 'supportedInterfaces', 'defaultInputModes'].some((key) =>
    Object.hasOwn(fields, key),
  )
  return instruction === undefined && hasSkills && isVersioned
}

/** Returns true for a non-empty mapping whose members are all mappings with these keys. */
function membersHaveKeys(fields: JsonObject, keys: readonly string[]): boolean {
  const members: readonly Json[] = Object.values(fields)
  return (
    members.length > 0 &&
    members.every((member) => isJsonObject(member) && keys.every((key) => Object.hasOwn(member, key)))
  )
}
