import { CARD_FORMATS } from '@troupe/card-formats'
import { renderTemplate } from '@troupe/cards'
import { editExportedTool } from '@troupe/cards/edit'
import type { ToolEdit, ToolList, ToolRepository } from '@troupe/headends'
import { troupeError, type AgentTool } from '@troupe/schema'
import type { ServedHost } from '../runs/served-runner.ts'
import { readCardFile, type CardWriter, type EditableCard } from './card-files.ts'

/** Host operations that a tool repository needs. */
type ToolRepositoryHost = Pick<ServedHost, 'plan' | 'definition' | 'origin' | 'redact'>

/**
 * Creates a repository of the exported tools in a host's cards. Only local files in Troupe's own card format can
 * be edited.
 */
export function createToolRepository(host: ToolRepositoryHost, writer: CardWriter): ToolRepository {
  async function read(agent: string): Promise<ToolList> {
    const { name, source, exports } = host.definition(agent)
    const readOnly = readOnlyReason(source, host.plan())
    const { tools } = exports
    if (readOnly !== undefined) return { agent: name, file: source.path, readOnly, tools }
    const { version } = await readCardFile(source.path)
    return { agent: name, file: source.path, version, tools }
  }

  async function change(edit: ToolEdit): Promise<ToolList> {
    const { file, readOnly } = await read(edit.agent)
    if (readOnly !== undefined) throw troupeError('card_read_only', readOnly)
    const before = await readCardFile(file)
    if (edit.version !== undefined && edit.version !== before.version)
      throw troupeError('card_changed', `${file} has changed since it was read.`)
    checkNames(edit, host.definition(edit.agent).exports.tools)
    await writer.write(before, editText(before, edit))
    return read(edit.agent)
  }

  return {
    read,
    change: (edit) => writer.inOrder(() => change(edit)),
    async template(agent) {
      return host.redact(
        renderTemplate(host.definition(agent), { originOf: (path) => host.origin(agent, path) }),
      )
    },
  }
}

function editText({ path, text }: EditableCard, { name, tool }: ToolEdit): string {
  const edit = editExportedTool(
    text,
    { name: name ?? tool?.name ?? '', tool },
    { path, formats: CARD_FORMATS },
  )
  if (edit.problem === undefined) return edit.text
  const { code, message, remediation } = edit.problem
  throw troupeError(code, message, { fix: remediation })
}

function checkNames({ agent, name, tool }: ToolEdit, tools: readonly AgentTool[]): void {
  const names = new Set(tools.map((one) => one.name))
  if (name !== undefined && !names.delete(name))
    throw troupeError('tool_unknown', `${agent} does not export a tool named ${name}.`)
  if (tool !== undefined && names.has(tool.name))
    throw troupeError('tool_name_conflict', `${agent} already exports a tool named ${tool.name}.`)
}

/** Returns the reason why a card cannot be edited over HTTP, or `undefined` if it can. */
function readOnlyReason(
  { kind, path }: ReturnType<ServedHost['definition']>['source'],
  { cards }: Pick<ReturnType<ServedHost['plan']>, 'cards'>,
): string | undefined {
  if (kind === 'url') return 'The card was loaded from a URL. Save it as a file to edit it.'
  if (kind === 'code') return 'The agent is defined in code. Change its tools there.'
  const ofFile = cards.filter(({ file }) => file === path)
  if (ofFile.length > 1) return 'The file defines several agents. Change their tools in the file.'
  const dialect = ofFile[0]?.dialect ?? 'troupe'
  return dialect === 'troupe'
    ? undefined
    : `The card is in the format ${dialect}. Change its tools in the file.`
}
