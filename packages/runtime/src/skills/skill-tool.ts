import {
  toolResult,
  troupeError,
  TroupeError,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@troupe/schema'
import { decodeText, readBytes } from '../filesystem/read-bytes.ts'
import type { Filesystem } from '../filesystem/filesystem.ts'
import { createRootFolder } from '../filesystem/root-folder.ts'
import { walk } from '../filesystem/walk.ts'
import { runtimeTool } from '../tools/runtime-tool.ts'
import type { Skill } from './load-skills.ts'

const MAX_LISTED = 100
const MAX_DEPTH = 4
const FRONT_MATTER = /^\uFEFF?---[^\n]*\n[^]*?\n---[ \t]*(?:\r?\n|$)/u

interface SkillArguments {
  readonly name: string
  readonly path: string
}

/**
 * Creates `skill.read`, which returns the text of a skill or of a file in its folder. The system prompt lists
 * only names and descriptions. If the agent can run commands, the result includes the folder's path, because
 * skills may contain programs.
 */
export function skillTool(
  skills: readonly Skill[],
  options: { readonly includesFolder: boolean },
): ToolDefinition {
  const byName = new Map(skills.map((skill) => [skill.name, { skill, files: filesOf(skill) }]))
  return runtimeTool({
    name: 'skill.read',
    description:
      'Reads a skill, which explains how to do a kind of task well. With `path`, reads a file of the skill.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', enum: [...byName.keys()] },
        path: {
          type: 'string',
          minLength: 1,
          default: 'SKILL.md',
          description: 'Relative to the folder of the skill',
        },
      },
      required: ['name'],
      additionalProperties: false,
    },
    instructions: instructionsFor(skills),
    effect: 'read',
    execute: async (args, context) => {
      const { name, path } = args as unknown as SkillArguments
      const known = byName.get(name)
      if (known === undefined)
        throw troupeError('skill_unknown', `There is no skill ${JSON.stringify(name)}.`)
      const { skill, files } = known
      if (files === undefined) return toolResult.text(ownText(skill, path))
      const text = await textOf(files, { name, path })
      if (path !== 'SKILL.md') return toolResult.text(text)
      return toSkillResult(text, { skill, files, context, ...options })
    },
  })
}

function instructionsFor(skills: readonly Skill[]): string {
  const lines = skills.map(({ name, description }) => `- ${name}: ${description}`)
  return [
    'Skills explain how to do a kind of task well. Before you start such a task, read its skill with skill_read.',
    ...lines,
  ].join('\n')
}

/** Returns the text of a skill that is part of the card, which has no files. */
function ownText({ name, text = '' }: Skill, path: string): string {
  if (path === 'SKILL.md') return text.trim()
  throw troupeError('skill_unknown', `The skill ${name} has no files.`)
}

/** Confines reads to the skill's folder, like any file access. `undefined` if it has none. */
function filesOf({ folder }: Skill): Filesystem | undefined {
  if (folder === undefined) return undefined
  const open = { whyNotRead: () => undefined, whyNotWrite: () => 'is part of a skill' }
  return { root: createRootFolder(folder, 'the folder of the skill'), guard: () => Promise.resolve(open) }
}

async function textOf(files: Filesystem, { name, path }: SkillArguments): Promise<string> {
  try {
    const { bytes } = await readBytes(files, path)
    const text = decodeText(bytes)
    if (text !== undefined) return text
  } catch (thrown) {
    if (!TroupeError.isInstance(thrown) || thrown.code !== 'filesystem_failed') throw thrown
    throw troupeError('skill_unknown', `The skill ${name}: ${thrown.message}`, { cause: thrown })
  }
  throw troupeError('skill_unknown', `The skill ${name}: ${JSON.stringify(path)} is not a text file.`)
}

async function toSkillResult(
  text: string,
  options: {
    readonly skill: Skill
    readonly files: Filesystem
    readonly context: ToolContext
    readonly includesFolder: boolean
  },
): Promise<ToolResult> {
  const names = await namesIn(options.files, options.context.signal)
  const { folder } = options.skill
  const more = [
    ...(names.length === 0
      ? []
      : ['Files of this skill (read them with `path`):', ...names.map((name) => `- ${name}`)]),
    ...(options.includesFolder && folder !== undefined ? [`The folder of the skill is ${folder}`] : []),
  ]
  const body = text.replace(FRONT_MATTER, '').trim()
  return toolResult.text(more.length === 0 ? body : `${body}\n\n${more.join('\n')}`)
}

async function namesIn({ root }: Filesystem, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = []
  for await (const { location, kind } of walk(root, await root.locate('.'), {
    maxDepth: MAX_DEPTH,
    signal,
  })) {
    if (kind !== 'file' || location.shown === 'SKILL.md') continue
    if (names.length === MAX_LISTED) return [...names, '… and more']
    names.push(location.shown)
  }
  return names
}
