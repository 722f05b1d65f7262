import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { textList, type FieldContext, type FieldOutcome } from '@troupe/cards/formats'
import { ignored, mappingOf, textOf, translated } from '../rules/field-rule.ts'

/** Arguments in a command of docker-agent: `${args.join(" ")}`, `${args[0]}`, `${args}`. */
const ARGUMENTS = /\$\{args(?:\[\d+\]|\.join\([^)]*\))?\}/gu

/** Adds `commands` as tools that send their prompt to the agent. */
export function putCommands(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  if (!isJsonObject(value)) return ignored('it is not a mapping of commands')
  const tools = Object.entries(value).flatMap(([name, command]) => toTool(name, command))
  if (tools.length === 0) return ignored('it holds no command')
  rewriter.put(['exports', 'tools'], tools, from)
  return translated('exports.tools', tools.map(({ name }) => textOf(name)).join(', '))
}

/** Returns the commands of an agent with those of the file that `use_commands` names. */
export function commandsOf(agent: JsonObject, file: JsonObject): JsonObject {
  const names = textList(agent['use_commands'] ?? [], []) ?? []
  const shared = names.map(({ text }) => mappingOf(getOwn(mappingOf(file['commands']), text)))
  const commands: JsonObject = Object.assign({}, ...shared, mappingOf(agent['commands']))
  return Object.keys(commands).length === 0 ? {} : { commands }
}

function toTool(name: string, command: Json): readonly JsonObject[] {
  const { instruction = command, description } = mappingOf(command)
  if (typeof instruction !== 'string' || instruction.trim() === '') return []
  const hasArguments = instruction.search(ARGUMENTS) !== -1
  const escaped = instruction.replaceAll('{{', '{ {').replaceAll('}}', '} }')
  return [
    {
      name,
      description: textOf(description, instruction.slice(0, 200)),
      parameters: {
        type: 'object',
        properties: hasArguments ? { arguments: { type: 'string' } } : {},
        ...(hasArguments ? { required: ['arguments'] } : {}),
        additionalProperties: false,
      },
      prompt: escaped.replaceAll(ARGUMENTS, '{{arguments}}'),
    },
  ]
}
