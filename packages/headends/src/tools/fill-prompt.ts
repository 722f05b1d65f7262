import type { AgentTool, JsonObject, ValidateArguments } from '@troupe/schema'
import {
  fillPromptTemplate,
  parsePromptTemplate,
  templateProblems,
  type FillMode,
  type PromptSubject,
} from '@troupe/tools/prompt-template'

/** The prompt that a call of an exported tool sends to its agent. */
export interface ToolPrompt {
  readonly prompt: string
  /** Problems of the arguments; empty if they are valid. */
  readonly problems: readonly string[]
}

/**
 * Fills the prompt of a tool with the arguments of a call and validates them. The mode `preview` keeps the
 * placeholders of missing arguments.
 */
export function fillPrompt(
  tool: AgentTool,
  args: JsonObject,
  { validate, mode }: { readonly validate: ValidateArguments; readonly mode: FillMode },
): ToolPrompt {
  const subject = subjectOf(tool)
  const valid = validate(subject.parameters, args)
  const template = parsePromptTemplate(tool.prompt)
  return {
    prompt: fillPromptTemplate(template, { subject, args: valid.ok ? valid.args : args, mode }),
    problems: valid.ok ? [] : valid.problems,
  }
}

/** Returns the unknown placeholders in the prompt of a tool. */
export function unknownPlaceholders(tool: AgentTool): readonly string[] {
  return templateProblems(parsePromptTemplate(tool.prompt), subjectOf(tool)).map(
    ({ placeholder }) => placeholder,
  )
}

function subjectOf({ name, description, parameters }: AgentTool): PromptSubject {
  return { tool: { name, description }, parameters: parameters as unknown as JsonObject }
}
