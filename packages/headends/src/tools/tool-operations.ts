import { z } from 'zod'
import type { OperationTable } from '../headend/headend.ts'
import { operation, RUN_ERRORS, type OperationParts } from '../openapi/operation.ts'
import { reportShape } from '../openapi/shapes.ts'
import { jsonObject } from '../request/read-json.ts'
import { argumentsBody, toolBody, trialBody } from './tool-bodies.ts'

const toolShape = z.object({
  name: z.string(),
  description: z.string(),
  parameters: jsonObject,
  prompt: z.string(),
})
const toolListShape = z.object({
  agent: z.string(),
  file: z.string().meta({ description: 'The card.' }),
  readOnly: z.string().optional().meta({ description: 'Why the card cannot be written; none: it can.' }),
  version: z.string().optional().meta({ description: 'Of the text of the card.' }),
  tools: z.array(toolShape),
})
const promptShape = z.object({ prompt: z.string(), problems: z.array(z.string()) })
const startedShape = z.object({ runId: z.string(), state: z.enum(['running', 'queued']), prompt: z.string() })

/** Returns the OpenAPI operations of exported tools. */
export function toolOperations(): OperationTable {
  const toolListAnswer: OperationParts['answers'] = {
    200: answer('The tools as they are now', toolListShape),
  }
  const ofAgent = (parts: Omit<OperationParts, 'tag'>): ReturnType<typeof operation> =>
    operation({
      path: ['agent', 'tool'],
      ...parts,
      tag: 'Exported tools',
      errors: [404, 409, ...(parts.errors ?? [])],
    })
  return {
    '/api/agents/{agent}/template': {
      get: ofAgent({
        id: 'readTemplate',
        summary: 'The front matter of an agent with all keys and their values, to copy',
        path: ['agent'],
        answers: { 200: answer('The template', z.object({ template: z.string() })) },
      }),
    },
    '/api/agents/{agent}/tools': {
      get: ofAgent({
        id: 'listTools',
        summary: 'The tools that an agent itself offers',
        path: ['agent'],
        answers: toolListAnswer,
      }),
      post: ofAgent({
        id: 'addTool',
        summary: 'Writes a new tool into the card of an agent',
        path: ['agent'],
        body: toolBody,
        answers: { 201: answer('The tools as they are now', toolListShape) },
      }),
    },
    '/api/agents/{agent}/tools/{tool}': {
      put: ofAgent({
        id: 'replaceTool',
        summary: 'Writes a tool in place of another',
        body: toolBody,
        answers: toolListAnswer,
      }),
      delete: ofAgent({
        id: 'deleteTool',
        summary: 'Takes a tool out of the card',
        query: z.object({ version: z.string().optional() }),
        answers: toolListAnswer,
      }),
    },
    '/api/agents/{agent}/tools/{tool}/preview': {
      post: ofAgent({
        id: 'previewTool',
        summary: 'The prompt of a call, and what is wrong with its arguments',
        body: argumentsBody,
        answers: { 200: answer('The prompt', promptShape) },
      }),
    },
    '/api/agents/{agent}/tools/{tool}/test': {
      post: ofAgent({
        id: 'testTool',
        summary: 'Calls a tool, as a run that can be watched',
        body: trialBody,
        answers: {
          200: answer('It ended before anything of it was kept', reportShape),
          202: answer('It goes on by itself', startedShape),
        },
        errors: RUN_ERRORS,
      }),
    },
  }
}

function answer(description: string, schema: z.ZodType): OperationParts['answers'][number] {
  return { description, content: { 'application/json': schema } }
}
