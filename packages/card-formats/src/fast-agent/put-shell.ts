import { isJsonObject, mcpToolName, type Json, type JsonObject } from '@troupe/schema'
import { addToList, textList, type FieldContext, type FieldRow, type RawCard } from '@troupe/cards/formats'
import { isText, mappingOf } from '../rules/field-rule.ts'
import { typeOf } from './card-types.ts'
import { projectOf, SETTINGS_WITHOUT_FILE, warnOfSetting } from './project.ts'
import { NOT_READ } from './put-servers.ts'

/** The differences between the shell and fast-agent's shell. */
export const SHELL_LOSS = 'each command and each change of a file needs approval'

const LIMITS: ReadonlyMap<string, string> = new Map([
  ['timeout_seconds', 'toolTimeout'],
  ['output_byte_limit', 'maxToolResultBytes'],
])
const FILE_TOOLS: ReadonlyMap<string, string> = new Map([
  ['enable_read_text_file', 'filesystem.read'],
  ['write_text_file_mode', 'filesystem.write'],
])
const SHOWN = 'it only affects what fast-agent shows'
const WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ['warning_interval_seconds', SHOWN],
  ['output_display_lines', SHOWN],
  ['show_bash', SHOWN],
  ['interactive_use_pty', 'it only affects commands that people type'],
  ['prefer_local_shell', 'the shell always runs on this computer'],
  ['missing_cwd_policy', 'commands start in the folder in which the run was started'],
  ['enable_attach_media', '`filesystem.read` reads images, too'],
])

/** Rows of the documentation for each key of `shell_execution`. */
export const SHELL_ROWS: readonly FieldRow[] = [
  ...[...LIMITS].map(
    ([key, to]) =>
      ({
        key,
        status: 'translated',
        to: `limits.${to}`,
        reason: 'a warning if the agent has other tools',
      }) as const,
  ),
  ...[...FILE_TOOLS].map(
    ([key, tool]) => ({ key, status: 'translated', to: 'tools', reason: tool }) as const,
  ),
  ...[...WITHOUT_EFFECT].map(([key, reason]) => ({ key, status: 'ignored', reason }) as const),
].map((row) => ({ ...row, key: `shell_execution.${row.key}` }))

/** Returns true if fast-agent gives the agent a shell. */
export function hasShell(card: RawCard): boolean {
  const { shell } = card.fields
  return shell === true || (shell === undefined && typeOf(card) === 'smart')
}

/** Adds the shell, and the file tools that come with it in fast-agent. Returns the groups of tools. */
export function addShell({ rewriter, card, from }: FieldContext): readonly string[] {
  const files = fileToolsOf(card)
  const groups = files.length > 0 ? ['shell', 'filesystem'] : ['shell']
  addToList(rewriter, { to: ['runtimeTools'], values: groups, from })
  const asks = ['shell.execute', ...files.filter((tool) => tool === 'filesystem.write')]
  addToList(rewriter, { to: ['permissions', 'ask'], values: asks, from })
  return groups
}

/** Returns the file tools of an agent with a shell: reading and writing, unless the configuration says no. */
function fileToolsOf(card: RawCard): readonly string[] {
  const settings = shellSettings(card)
  return [...FILE_TOOLS].filter(([key]) => !isOff(settings[key])).map(([, tool]) => tool)
}

/** Tools by the group of `runtimeTools` or the key that an agent has them by. */
const TOOLS_BY_KEY: ReadonlyMap<string, string> = new Map([
  ['human', 'human.*'],
  ['skills', 'skill.*'],
  ['shared', 'shared.*'],
  ['fetch', 'web.fetch'],
  ['search', 'web.search'],
  ['todo', 'todo.*'],
  ['memory', 'memory.*'],
])

/** Excludes the file tools that fast-agent does not have from those of an agent with a shell. */
export function limitFileTools({ rewriter, card }: FieldContext): void {
  const files = hasShell(card) ? fileToolsOf(card) : []
  const filters = rewriter.get(['tools'])
  // A list of tools, or switches by their names, is the author's own choice.
  const isByServer = isJsonObject(filters) && !Object.values(filters).some((on) => typeof on === 'boolean')
  if (files.length === 0 || (filters !== undefined && !isByServer)) return
  const names = (key: string): readonly string[] =>
    textList(rewriter.get([key]) ?? [], [])?.map(({ text }) => text) ?? []
  const keys = [...names('runtimeTools'), ...['skills', 'memory'].filter((key) => isSet(rewriter.get([key])))]
  const servers = new Set([...names('servers'), ...Object.keys(mappingOf(rewriter.get(['mcpServers'])))])
  const serverTools = [...servers].flatMap((server) => {
    const filter = textList(filters?.[server] ?? ['*'], []) ?? []
    return filter.map(({ text }) => mcpToolName(server, text))
  })
  const others = keys.flatMap((key) => TOOLS_BY_KEY.get(key) ?? [])
  const from = rewriter.originOf(['tools'])
  rewriter.remove(['tools'])
  rewriter.put(['tools'], [...new Set(['shell.execute', ...files, ...others, ...serverTools])], from)
}

function isSet(value: Json | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== ''
}

function isOff(value: Json | undefined): boolean {
  return value === false || (isText(value) && /^(?:off|false|no|0)$/iu.test(value.trim()))
}

function shellSettings(card: RawCard): JsonObject {
  return mappingOf(projectOf(card).settings['shell_execution'])
}

/**
 * Applies `shell_execution` to an agent with a shell. Its limits become those of all tools, so they are only
 * set for agents without other tools.
 */
export function putShellSettings({ rewriter, card }: FieldContext): void {
  const label = projectOf(card).file?.name ?? SETTINGS_WITHOUT_FILE
  const hasOthers = ['servers', 'agents', 'function_tools', 'mcp_connect'].some(
    (key) => card.fields[key] !== undefined,
  )
  for (const [key, value] of Object.entries(shellSettings(card))) {
    const at = `${label}: shell_execution.${key}`
    const to = LIMITS.get(key)
    const tool = FILE_TOOLS.get(key)
    if (!hasShell(card)) rewriter.note({ key: at, status: 'ignored', reason: 'the agent has no shell' })
    else if (tool !== undefined) rewriter.note({ key: at, status: 'translated', to: tool })
    else if (to === undefined || value === null)
      rewriter.note({ key: at, status: 'ignored', reason: WITHOUT_EFFECT.get(key) ?? NOT_READ })
    else if (rewriter.get(['limits', to]) !== undefined)
      rewriter.note({ key: at, status: 'ignored', reason: `the card sets \`limits.${to}\`` })
    else if (!hasOthers) {
      const limit = key === 'timeout_seconds' ? toMilliseconds(value) : value
      rewriter.put(['limits', to], limit, ['shell_execution', key])
      rewriter.note({ key: at, status: 'translated', to: `limits.${to}` })
    } else {
      const reason = `see \`limits.${to}\`, which applies to all tools of an agent`
      rewriter.note({ key: at, status: 'ignored', reason })
      warnOfSetting(
        ['shell_execution', key],
        `\`shell_execution.${key}\` has no effect for an agent with other tools: ${reason}.`,
        { rewriter, card },
      )
    }
  }
}

/** Converts seconds, such as `90` or `2m`. */
function toMilliseconds(value: Json): Json {
  if (typeof value === 'number') return value * 1000
  return isText(value) && /^\s*\d+\s*$/u.test(value) ? Number(value) * 1000 : value
}
