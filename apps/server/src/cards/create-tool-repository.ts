import { CARD_FORMATS } from '@troupe/card-formats'
import { renderTemplate } from '@troupe/cards'
import { editExportedTool } from '@troupe/cards/edit'
import type { ToolEdit, ToolList, ToolRepository } from '@troupe/headends'
import { troupeError, type AgentTool, type TroupeError } from '@troupe/schema'
import { createHash, randomUUID } from 'node:crypto'
import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import type { ServedHost } from '../runs/served-runner.ts'

/** Host operations that a tool repository needs. */
type ToolRepositoryHost = Pick<ServedHost, 'plan' | 'definition' | 'origin' | 'redact' | 'reload'>

/**
 * Creates a repository of the exported tools in a host's cards. Edits are made one after the other: the file
 * is written, the team is reloaded, and if the team rejects the edit, the file is restored. Only local files
 * in Troupe's own card format can be edited.
 */
export function createToolRepository(host: ToolRepositoryHost): ToolRepository {
  let last: Promise<unknown> = Promise.resolve()

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
    await apply(before, editText(before, edit))
    return read(edit.agent)
  }

  /** Writes the text and reloads the team. Restores the old text if the team rejects the edit. */
  async function apply(before: EditableCard, text: string): Promise<void> {
    await writeCardFile(before, text)
    const { outcome, problems } = await host.reload()
    if (outcome !== 'kept') return
    await writeCardFile(before, before.text)
    await host.reload()
    throw toEditError(problems)
  }

  return {
    read,
    change(edit) {
      const done = last.then(() => change(edit))
      last = done.catch(() => undefined) // The caller gets the error, and the next edit runs anyway.
      return done
    },
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

/** Creates the error for an edit that the team rejects. */
function toEditError([problem]: Awaited<ReturnType<ToolRepositoryHost['reload']>>['problems']): TroupeError {
  if (problem === undefined)
    return troupeError('card_edit_refused', 'The team cannot be loaded with this edit.')
  const { code, message, fix } = problem
  return troupeError(code, message, fix === undefined ? {} : { fix })
}

/** The text of a card file. */
interface EditableCard {
  /** Path without symbolic links, so that a write replaces the file itself. */
  readonly path: string
  readonly text: string
  /** Hash of the text. */
  readonly version: string
}

/** Reads a card from a local file. */
export async function readCardFile(file: string): Promise<EditableCard> {
  const path = await realpath(file)
  const text = await readFile(path, 'utf8')
  return { path, text, version: createHash('sha256').update(text).digest('base64url').slice(0, 22) }
}

/** Replaces the text of a card atomically. The file keeps its permissions. */
async function writeCardFile({ path }: EditableCard, text: string): Promise<void> {
  const { mode } = await stat(path)
  const temporaryPath = `${path}.${randomUUID()}.tmp`
  try {
    await writeFile(temporaryPath, text, { mode, flag: 'wx' })
    await rename(temporaryPath, path)
  } finally {
    await rm(temporaryPath, { force: true })
  }
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
