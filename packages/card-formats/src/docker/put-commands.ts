import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dottedPath, type FieldContext, type FieldOutcome } from '@troupe/cards/formats'
import { dropWithWarning, ignored, mappingOf, textOf, translated } from '../rules/field-rule.ts'
import { commandsOf } from './put-groups.ts'

/** Arguments in a command of docker-agent: `${args.join(" ")}`, `${args[0]}`, `${args}`, `$1`. */
const ARGUMENTS = /\$\{args(?:\[(?<index>\d)\]|\.join\([^)]*\))?\}|\$(?<place>[1-9])/gu
const SHELL_COMMAND = /!`[^`]+`/u

/** Adds `commands` as tools that send their prompt to the agent. */
export function putCommands(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, from } = field
  if (!isJsonObject(value) && !Array.isArray(value)) return ignored('it is not a mapping of commands')
  const commands = Object.entries(commandsOf(value))
  for (const [name, command] of commands) reportLosses(command, { ...field, from: [...from, name] })
  const tools = commands.flatMap(([name, command]) => toTool(name, command))
  if (tools.length === 0) return ignored('it holds no command')
  rewriter.put(['exports', 'tools'], tools, from)
  return translated('exports.tools', tools.map(({ name }) => textOf(name)).join(', '))
}

function reportLosses(command: Json, field: FieldContext): void {
  const { instruction = command, agent, url } = mappingOf(command)
  const warn = (reason: string, key: string): void => {
    dropWithWarning(reason).apply?.(command, { ...field, from: [...field.from, key] })
  }
  if (agent !== undefined) warn('the command is sent to the agent that defines it', 'agent')
  if (SHELL_COMMAND.test(textOf(instruction))) warn('commands in !`…` are not run', 'instruction')
  if (url !== undefined)
    field.rewriter.note({ key: dottedPath([...field.from, 'url']), ...ignored('Troupe opens no browser') })
}

function toTool(name: string, command: Json): readonly JsonObject[] {
  const { instruction = command, description } = mappingOf(command)
  if (typeof instruction !== 'string' || instruction.trim() === '') return []
  const names = new Set<string>()
  let end = 0
  let prompt = ''
  for (const { 0: written, index, groups } of instruction.matchAll(ARGUMENTS)) {
    const number = groups?.['place'] ?? placeOf(groups?.['index'])
    const argument = number === undefined ? 'arguments' : `argument${number}`
    names.add(argument)
    prompt += `${escapeBraces(instruction.slice(end, index))}{${argument}}`
    end = index + written.length
  }
  prompt += escapeBraces(instruction.slice(end))
  return [
    {
      name,
      description: textOf(description, instruction.slice(0, 200)),
      parameters: {
        type: 'object',
        properties: Object.fromEntries([...names].map((argument) => [argument, { type: 'string' }])),
        ...(names.size === 0 ? {} : { required: [...names] }),
        additionalProperties: false,
      },
      prompt,
    },
  ]
}

/** Returns the number of an argument, counted from 1. */
function placeOf(index: string | undefined): string | undefined {
  return index === undefined ? undefined : String(Number(index) + 1)
}

/** Escapes braces, so that they are not placeholders of an exported tool. */
function escapeBraces(text: string): string {
  return text.replaceAll('{', '{{').replaceAll('}', '}}')
}
