import { toolResult, type ToolDefinition, type ToolResult } from '@troupe/schema'
import type { RunContext } from '@troupe/schema/ports'
import { runtimeTool } from './runtime-tool.ts'

/** Key in the state of the run tree. Its value has one list per run. */
const STATE_KEY = 'troupe.todo'
const MAX_TODOS = 100
const MAX_CHARACTERS = 1000

const MARKS = { pending: '[ ]', in_progress: '[~]', completed: '[x]' } as const

/** An entry of a to-do list. */
interface Todo {
  readonly content: string
  readonly status: keyof typeof MARKS
}

/** Tools with which an agent maintains a to-do list of its run. The list is dropped when the run ends. */
export const TODO_TOOLS: readonly ToolDefinition[] = Object.freeze([
  runtimeTool({
    name: 'todo.read',
    description: 'Returns your to-do list for this run.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    execute: (_args, { run }) => toResult(listsOf(run).get(run.request.runId) ?? []),
  }),
  runtimeTool({
    name: 'todo.write',
    description:
      'Replaces your to-do list for this run. Use it for work of several steps: list them first, have one in progress at a time, and mark each as completed as soon as it is done.',
    inputSchema: {
      type: 'object',
      properties: {
        todos: {
          type: 'array',
          maxItems: MAX_TODOS,
          description: 'The whole list',
          items: {
            type: 'object',
            properties: {
              content: { type: 'string', minLength: 1, maxLength: MAX_CHARACTERS },
              status: { type: 'string', enum: Object.keys(MARKS) },
            },
            required: ['content', 'status'],
            additionalProperties: false,
          },
        },
      },
      required: ['todos'],
      additionalProperties: false,
    },
    effect: 'idempotent',
    execute: ({ todos }, { run }) => {
      const list = todos as unknown as readonly Todo[]
      listsOf(run).set(run.request.runId, list)
      return toResult(list)
    },
  }),
])

function toResult(todos: readonly Todo[]): ToolResult {
  const lines = todos.map(({ content, status }) => `${MARKS[status]} ${content}`)
  return {
    ...toolResult.text(lines.join('\n') || 'The list is empty.'),
    structured: { todos: todos.map(({ content, status }) => ({ content, status })) },
  }
}

function listsOf({ rootState }: RunContext): Map<string, readonly Todo[]> {
  const known = rootState.get(STATE_KEY)
  if (known instanceof Map) return known as Map<string, readonly Todo[]>
  const lists = new Map<string, readonly Todo[]>()
  rootState.set(STATE_KEY, lists)
  return lists
}
